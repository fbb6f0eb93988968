"""Blobs and queues in Azure Storage: the only file that imports its SDKs.

Import it when storage is first connected: that takes half a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Self

from azure.core import MatchConditions
from azure.core.credentials import AccessToken
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.storage.blob import BlobProperties
from azure.storage.blob.aio import ContainerClient
from azure.storage.queue.aio import QueueClient, QueueServiceClient

from shared.retrieval import IdentityUnavailable, NotConfigured, RetrievalError

from .errors import InvalidContinuation, StorageRefused, StorageUnavailable
from .settings import BriefingSettings, StorageSettings
from .storage import LIST_PAGE, Blob, BlobEntry, BlobPage, NewBlob, Storage

# The storage SDKs' errors as ours. Raised from nothing: their texts hold addresses, names and keys' owners.

REFUSED = (401, 403)
MISSING = 404
# Worth another try later: a busy or broken service, and a container that is just being deleted or made (409).
BUSY = (408, 409, 412, 429)
RETRIES: dict[str, Any] = {
    "retry_total": 2,
    # About 1.2 s before each repetition: the base to the power of its number comes on top.
    "initial_backoff": 0.2,
    "increment_base": 1,
    "random_jitter_range": 0.3,
    "connection_timeout": 3,
    "read_timeout": 5,
}
"""Options of every storage client: its own default waits 15 s before the first repetition."""
CALL_SECONDS = 10.0
"""The most that one call takes with its repetitions, so that hung storage holds no request for a minute."""
RETRY_AFTER_SECONDS = 2.0
"""What callers are told to wait before they try again."""


def translate(error: AzureError) -> RetrievalError:
    """The error of ours that says who must act."""
    if isinstance(error, HttpResponseError) and error.status_code is not None:
        return _from_status(error.status_code)
    if isinstance(error, ClientAuthenticationError):
        return IdentityUnavailable("no token for the briefing storage could be had")
    if isinstance(error, ServiceRequestError | ServiceResponseError):
        return _unavailable("the briefing storage cannot be reached")
    return _unavailable("the briefing storage failed")


def _unavailable(message: str) -> StorageUnavailable:
    return StorageUnavailable(message, retry_after=RETRY_AFTER_SECONDS)


def _from_status(status: int) -> RetrievalError:
    if status in REFUSED:
        return StorageRefused("the briefing storage refuses the app's identity")
    if status == MISSING:
        return StorageRefused("the container or queue of briefings does not exist")
    if status in BUSY or status >= 500:
        return _unavailable("the briefing storage is busy or failed")
    return StorageRefused("the briefing storage refuses the request")


@asynccontextmanager
async def storage_call(seconds: float = CALL_SECONDS) -> AsyncIterator[None]:
    """Bounds one call with its repetitions, and turns what the SDKs raise inside into our errors."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except AzureError as error:
        raise translate(error) from None
    except TimeoutError:
        # The call's own limit, and aiohttp's time-outs, which pass the SDK as they are.
        raise _unavailable("the briefing storage did not answer in time") from None


@asynccontextmanager
async def list_call(marker: str | None) -> AsyncIterator[None]:
    """As `storage_call`; a marker that the service refuses is the caller's continuation, so the caller's mistake."""
    try:
        async with storage_call():
            yield
    except StorageRefused as error:
        if marker is None or error.__context__ is None or getattr(error.__context__, "status_code", None) != 400:
            raise
        raise InvalidContinuation("the continuation is not one of this list") from None


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
        async with storage_call():
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
        async with storage_call():
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
        async with storage_call():
            try:
                await self._container.delete_blob(name)
            except ResourceNotFoundError as error:
                _raise_unless_blob(error)

    async def list_page(self, prefix: str, *, marker: str | None = None, size: int = LIST_PAGE) -> BlobPage:
        """One page of the blobs whose names begin so, by name, with metadata."""
        async with list_call(marker):
            if size <= SMALL_PAGE:
                return await _list(self._container, prefix, marker, size)
            # The SDK reads a full page for a second: in a thread, with a client of that thread's own loop.
            credential = await self._held_credential()
            return await asyncio.to_thread(self._list_aside, credential, prefix, marker, size)

    def _list_aside(self, credential: Any, prefix: str, marker: str | None, size: int) -> BlobPage:
        async def listed() -> BlobPage:
            # A limit of its own: when the caller gives up, the thread would go on.
            async with asyncio.timeout(CALL_SECONDS), self._connect(credential) as container:
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
        async with storage_call():
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
        async with storage_call():
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


NEVER = -1


class AzureQueue:
    """A queue to put messages on, their text as it is: `messageEncoding` is none in host.json."""

    def __init__(self, queue: QueueClient, *, create_queue: bool = False) -> None:
        self._queue = queue
        self._create_queue = create_queue

    async def put(self, text: str, *, delay_seconds: int = 0) -> None:
        """Puts a message that never expires, hidden for the delay."""
        async with storage_call():
            await self._queue.send_message(text, visibility_timeout=delay_seconds, time_to_live=NEVER)

    async def check(self) -> None:
        """Returns when the queue can be reached, having made it where that is wanted."""
        async with storage_call():
            try:
                await self._queue.get_queue_properties()
            except ResourceNotFoundError:
                if not self._create_queue:
                    raise
                await _create_queue(self._queue)

    async def close(self) -> None:
        """Ends its connections."""
        await self._queue.close()


class AzureQueues:
    """The queues of one account over one client's connections."""

    def __init__(self, service: QueueServiceClient, *, create_queues: bool = False) -> None:
        self._service = service
        self._create_queues = create_queues

    def queue(self, name: str) -> AzureQueue:
        """One queue of the account."""
        return AzureQueue(self._service.get_queue_client(name), create_queue=self._create_queues)

    async def close(self) -> None:
        """Ends the connections that the queues share."""
        await self._service.close()


def queues_from_connection_string(text: str) -> AzureQueues:
    """The queues of the local emulator; a missing one is made on its first check."""
    return AzureQueues(QueueServiceClient.from_connection_string(text, **RETRIES), create_queues=True)


def queues_from_identity(uri: str, credential: Any) -> AzureQueues:
    """The queues behind a service address, reached with a token credential of azure-identity."""
    return AzureQueues(QueueServiceClient(uri, credential=credential, **RETRIES))


async def _create_queue(queue: QueueClient) -> None:
    try:
        await queue.create_queue()
    except ResourceExistsError:
        return  # another process was first


CONNECTION_SETTING = "BriefingStorage"
BLOB_SETTING = "BriefingStorage__blobServiceUri"
QUEUE_SETTING = "BriefingStorage__queueServiceUri"


def connect_storage(where: StorageSettings, settings: BriefingSettings, credential: Any = None) -> Storage:
    """The container and queues of briefings, without calling them yet; call it in the loop that will use them.

    `credential` is an asynchronous token credential of azure-identity; a connection string needs none.
    Raises `NotConfigured` naming what is missing.
    """
    if where.connection_string:
        try:
            queues = queues_from_connection_string(where.connection_string)
            blobs = blobs_from_connection_string(where.connection_string, settings.container)
        except ValueError:
            raise NotConfigured(f"{CONNECTION_SETTING} is no connection string") from None
        return replace(_storage(blobs, queues, settings), makes_missing=True)
    blob_uri = _required(where.blob_service_uri, BLOB_SETTING)
    queue_uri = _required(where.queue_service_uri, QUEUE_SETTING)
    if credential is None:
        raise NotConfigured("no identity was given for the briefing storage")
    queues = queues_from_identity(queue_uri, credential)
    return _storage(blobs_from_identity(blob_uri, settings.container, credential), queues, settings)


def _storage(blobs: Any, queues: AzureQueues, settings: BriefingSettings) -> Storage:
    done = settings.done_queue_name
    return Storage(
        blobs=blobs,
        queue=queues.queue(settings.queue_name),
        poison=queues.queue(settings.poison_queue_name),
        done=queues.queue(done) if done else None,
        release=queues.close,
    )


def _required(value: str | None, name: str) -> str:
    if not value:
        raise NotConfigured(f"{name} is not set")
    return value
