"""Blobs in Azure Blob Storage: the only file that imports its SDK, loaded when storage is first connected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Self

from azure.core import MatchConditions
from azure.core.credentials import AccessToken
from azure.core.exceptions import (
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.storage.blob import BlobProperties
from azure.storage.blob.aio import ContainerClient

from .azure_errors import RETRIES, translated, translated_list
from .storage import LIST_PAGE, Blob, BlobEntry, BlobPage, NewBlob

Connect = Callable[[Any], ContainerClient]
"""Makes a client: with the credential given, or else with the container's own."""

STORAGE_SCOPE = "https://storage.azure.com/.default"
SMALL_PAGE = 200
BLOB_EXISTS = "BlobAlreadyExists"
CONTAINER_MISSING = ("ContainerNotFound", "ContainerBeingDeleted")


class AzureBlobs:
    """A container of Azure Blob Storage or of its emulator. `create_container` makes a missing one when checked."""

    def __init__(self, connect: Connect, *, create_container: bool = False) -> None:
        self._connect = connect
        self._container = connect(None)
        self._create_container = create_container

    async def read(self, name: str) -> Blob | None:
        """The blob, or None when there is none."""
        clock = _ServerClock()
        with translated():
            try:
                stream = await self._container.download_blob(name, raw_response_hook=clock.see)
                content = await stream.readall()
            except ResourceNotFoundError as error:
                _raise_unless_blob(error)
                return None
        entry = _entry(stream.properties)
        return Blob(
            name=name,
            metadata=entry.metadata,
            etag=entry.etag,
            modified=entry.modified,
            content=content,
            read_at=clock.now,
        )

    async def create(self, blob: NewBlob) -> str | None:
        """Writes a blob that must not exist; gives its ETag, or None when it does."""
        return await self._write(blob, {"overwrite": False})

    async def replace(self, blob: NewBlob, etag: str) -> str | None:
        """Writes a blob that must still have this ETag; gives the new one, or None when it has changed or gone."""
        return await self._write(blob, {"overwrite": True, **_unchanged(etag)})

    async def annotate(self, name: str, metadata: Mapping[str, str], etag: str) -> str | None:
        """Writes the metadata alone, under the same condition as `replace`."""
        with translated():
            try:
                client = self._container.get_blob_client(name)
                reply = await client.set_blob_metadata(dict(metadata), **_unchanged(etag))
            except ResourceModifiedError:
                return None
            except ResourceNotFoundError as error:
                _raise_unless_blob(error)
                return None
        return str(reply["etag"])

    async def delete(self, name: str) -> None:
        """Deletes a blob, if there is one."""
        with translated():
            try:
                await self._container.delete_blob(name)
            except ResourceNotFoundError as error:
                _raise_unless_blob(error)

    async def list_page(self, prefix: str, *, marker: str | None = None, size: int = LIST_PAGE) -> BlobPage:
        """One page of the blobs whose names begin so, by name, with metadata."""
        with translated_list(marker):
            if size <= SMALL_PAGE:
                return await _list(self._container, prefix, marker, size)
            # The SDK reads a full page for a second: in a thread, with a client of that thread's own loop.
            credential = await self._held_credential()
            return await asyncio.to_thread(self._list_aside, credential, prefix, marker, size)

    def _list_aside(self, credential: Any, prefix: str, marker: str | None, size: int) -> BlobPage:
        async def listed() -> BlobPage:
            async with self._connect(credential) as container:
                return await _list(container, prefix, marker, size)

        return asyncio.run(listed())

    async def _held_credential(self) -> Any:
        """A credential with a token got here, since one of azure-identity belongs to the loop that it was first used in."""
        credential = self._container.credential
        if not hasattr(credential, "get_token"):
            return None
        return _HeldToken(await credential.get_token(STORAGE_SCOPE))

    async def check(self) -> None:
        """Returns when the container can be reached, having made it where that is wanted."""
        with translated():
            try:
                await self._container.get_container_properties()
            except ResourceNotFoundError:
                if not self._create_container:
                    raise
                await _create(self._container)

    async def close(self) -> None:
        """Ends its connections."""
        await self._container.close()

    async def _write(self, blob: NewBlob, condition: Mapping[str, Any]) -> str | None:
        with translated():
            try:
                reply = await self._container.get_blob_client(blob.name).upload_blob(
                    blob.content, metadata=dict(blob.metadata), **condition
                )
            except ResourceModifiedError:
                return None
            except ResourceExistsError as error:
                if _code(error) != BLOB_EXISTS:
                    raise  # other conflicts pass: a lease, a container that is being deleted
                return None
            except ResourceNotFoundError as error:
                _raise_unless_blob(error)
                return None
        return str(reply["etag"])


class _ServerClock:
    """Reads the time of the storage from the `Date` of its reply."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def see(self, response: Any) -> None:
        date = response.http_response.headers.get("Date")
        if date:
            self.now = parsedate_to_datetime(date)


class _HeldToken:
    """A credential that has one token."""

    def __init__(self, token: AccessToken) -> None:
        self._token = token

    async def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        """The token."""
        return self._token

    async def close(self) -> None:
        """Has nothing to end."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Has nothing to end."""


def blobs_from_connection_string(text: str, container: str) -> AzureBlobs:
    """The container in the local emulator, made on the first check when it is missing."""
    return AzureBlobs(lambda _: ContainerClient.from_connection_string(text, container, **RETRIES), create_container=True)


def blobs_from_identity(uri: str, container: str, credential: Any) -> AzureBlobs:
    """The container behind a service address, reached with a token credential of azure-identity."""
    return AzureBlobs(lambda held: ContainerClient(uri, container, credential=held or credential, **RETRIES))


async def _list(container: ContainerClient, prefix: str, marker: str | None, size: int) -> BlobPage:
    listing = container.list_blobs(name_starts_with=prefix, include=["metadata"], results_per_page=size)
    pages = listing.by_page(continuation_token=marker)
    page = await anext(pages)
    entries = tuple([_entry(blob) async for blob in page])
    return BlobPage(entries=entries, marker=getattr(pages, "continuation_token", None) or None)


def _unchanged(etag: str) -> dict[str, Any]:
    return {"etag": etag, "match_condition": MatchConditions.IfNotModified}


def _raise_unless_blob(error: ResourceNotFoundError) -> None:
    """A missing blob is an answer; a missing container is a fault of the set-up."""
    if _code(error) in CONTAINER_MISSING:
        raise error


def _code(error: HttpResponseError) -> str:
    """The service's own word for what is wrong."""
    code = getattr(error, "error_code", None)
    return str(getattr(code, "value", code))


def _entry(properties: BlobProperties) -> BlobEntry:
    return BlobEntry(
        name=properties.name or "",
        metadata={key.lower(): value for key, value in (properties.metadata or {}).items()},
        etag=_quoted(properties.etag),
        modified=properties.last_modified,
    )


def _quoted(etag: str | None) -> str:
    """A list gives ETags bare, a download in quotes; conditions want the quotes."""
    text = etag or ""
    return text if text.startswith('"') else f'"{text}"'


async def _create(container: ContainerClient) -> None:
    try:
        await container.create_container()
    except ResourceExistsError:
        return  # another process was first
