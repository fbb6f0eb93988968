"""Blobs and queues: the same contract for the real ones, on Azurite, and for those in memory that other tests use."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.storage.queue.aio import QueueClient

from local.azurite import Azurite
from shared.briefing import BriefingSettings, Storage, StorageRefused, StorageSettings, StorageUnavailable
from shared.briefing.azure_storage import connect_storage, translate
from shared.briefing.storage import Blobs, NewBlob
from shared.retrieval import IdentityUnavailable, NotConfigured, RetrievalError
from tests.briefing.memory_storage import MemoryBlobs


@pytest.fixture(params=["memory", "azurite"])
def blobs(request: pytest.FixtureRequest) -> Blobs:
    if request.param == "memory":
        return MemoryBlobs()
    storage: Storage = request.getfixturevalue("real_storage")
    return storage.blobs


def _blob(name: str, text: str = "{}", **metadata: str) -> NewBlob:
    return NewBlob(name=name, content=text.encode(), metadata=metadata)


async def test_a_blob_reads_as_it_was_written(blobs: Blobs) -> None:
    etag = await blobs.create(_blob("ids/a.json", "\u00e9", status="queued"))
    found = await blobs.read("ids/a.json")
    assert found is not None
    assert (found.content.decode(), dict(found.metadata), found.etag) == ("\u00e9", {"status": "queued"}, etag)
    assert abs(found.read_at - found.modified) < timedelta(seconds=5)


async def test_a_missing_blob_is_none(blobs: Blobs) -> None:
    assert await blobs.read("ids/none.json") is None


async def test_a_blob_is_created_once(blobs: Blobs) -> None:
    assert await blobs.create(_blob("a", "first")) is not None
    assert await blobs.create(_blob("a", "second")) is None
    found = await blobs.read("a")
    assert found is not None
    assert found.content == b"first"


async def test_a_write_over_a_changed_blob_changes_nothing(blobs: Blobs) -> None:
    first = await blobs.create(_blob("a", "1"))
    second = await blobs.replace(_blob("a", "2", status="running"), first or "")
    assert second is not None
    assert await blobs.replace(_blob("a", "3"), first or "") is None
    assert await blobs.annotate("a", {"status": "failed"}, first or "") is None
    found = await blobs.read("a")
    assert found is not None
    assert (found.content, dict(found.metadata), found.etag) == (b"2", {"status": "running"}, second)


async def test_metadata_alone_leaves_the_content(blobs: Blobs) -> None:
    etag = await blobs.create(_blob("a", "content", status="queued"))
    changed = await blobs.annotate("a", {"status": "running"}, etag or "")
    found = await blobs.read("a")
    assert found is not None
    assert (found.content, dict(found.metadata), found.etag) == (b"content", {"status": "running"}, changed)


async def test_a_write_over_a_missing_blob_makes_none(blobs: Blobs) -> None:
    assert await blobs.replace(_blob("none"), '"1"') is None
    assert await blobs.annotate("none", {}, '"1"') is None
    assert await blobs.read("none") is None


async def test_a_list_gives_names_in_order_with_metadata_and_etags_that_hold(blobs: Blobs) -> None:
    for name in ("records/b~3.json", "records/b~1.json", "records/bb~1.json", "records/b~2.json"):
        await blobs.create(_blob(name, status="queued"))
    page = await blobs.list_page("records/b~", size=2)
    rest = await blobs.list_page("records/b~", marker=page.marker, size=2)
    assert [entry.name for entry in page.entries] == ["records/b~1.json", "records/b~2.json"]
    assert [entry.name for entry in rest.entries] == ["records/b~3.json"]
    assert rest.marker is None
    entry = page.entries[0]
    assert dict(entry.metadata) == {"status": "queued"}
    assert await blobs.replace(_blob(entry.name), entry.etag) is not None


async def test_a_blob_is_deleted_and_a_missing_one_is_no_error(blobs: Blobs) -> None:
    await blobs.create(_blob("a"))
    await blobs.delete("a")
    await blobs.delete("a")
    assert await blobs.read("a") is None


async def test_nothing_to_list_is_an_empty_page(blobs: Blobs) -> None:
    page = await blobs.list_page("records/none~")
    assert (page.entries, page.marker) == ((), None)


async def test_a_message_arrives_as_it_was_put_and_never_expires(
    real_storage: Storage, real_settings: BriefingSettings, azurite: Azurite
) -> None:
    await real_storage.queue.put('{"id":"\\u6f22 <&>"}')
    async with QueueClient.from_connection_string(azurite.connection_string, real_settings.queue_name) as queue:
        message = await queue.receive_message()
    assert message is not None
    assert message.content == '{"id":"\\u6f22 <&>"}'
    assert message.expires_on is not None
    assert message.expires_on.year == 9999


async def test_a_delayed_message_waits(real_storage: Storage, real_settings: BriefingSettings, azurite: Azurite) -> None:
    await real_storage.poison.put("later", delay_seconds=60)
    async with QueueClient.from_connection_string(azurite.connection_string, real_settings.poison_queue_name) as queue:
        assert await queue.receive_message() is None


async def test_storage_that_is_not_there_is_unavailable() -> None:
    where = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=http://127.0.0.1:9/a;QueueEndpoint=http://127.0.0.1:9/a;"
    storage = connect_storage(StorageSettings(connection_string=where), BriefingSettings())
    with pytest.raises(StorageUnavailable, match="cannot be reached"):
        await storage.blobs.read("a")
    await storage.close()


async def test_a_container_that_is_missing_is_refused(azurite: Azurite, real_settings: BriefingSettings) -> None:
    storage = connect_storage(StorageSettings(connection_string=azurite.connection_string), real_settings)
    with pytest.raises(StorageRefused, match="does not exist"):
        await storage.blobs.read("a")
    with pytest.raises(StorageRefused, match="does not exist"):
        await storage.queue.put("a")
    await storage.close()


def _response_error(status: int) -> HttpResponseError:
    error = HttpResponseError("secret text of the service")
    error.status_code = status
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        *[(_response_error(status), StorageRefused) for status in (400, 401, 403, 404)],
        *[(_response_error(status), StorageUnavailable) for status in (408, 409, 412, 429, 500, 503)],
        (ClientAuthenticationError("secret"), IdentityUnavailable),
        (ServiceRequestError("secret"), StorageUnavailable),
        (ServiceResponseError("secret"), StorageUnavailable),
        (AzureError("secret"), StorageUnavailable),
    ],
)
def test_every_error_of_the_sdk_has_one_of_ours(error: AzureError, expected: type[RetrievalError]) -> None:
    ours = translate(error)
    assert type(ours) is expected
    assert "secret" not in ours.message


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (StorageSettings(), "BriefingStorage__blobServiceUri"),
        (StorageSettings(connection_string="garbage"), "BriefingStorage is no connection string"),
        (StorageSettings(blob_service_uri="https://a.blob.core.windows.net"), "BriefingStorage__queueServiceUri"),
    ],
)
def test_a_missing_address_is_named(settings: StorageSettings, named: str) -> None:
    with pytest.raises(NotConfigured, match=named):
        connect_storage(settings, BriefingSettings())


def test_addresses_without_an_identity_are_no_set_up() -> None:
    settings = StorageSettings(blob_service_uri="https://a.blob.core.windows.net", queue_service_uri="https://a")
    with pytest.raises(NotConfigured, match="no identity"):
        connect_storage(settings, BriefingSettings())


class Tokens:
    """A token credential that tells in which loop it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, asyncio.AbstractEventLoop]] = []

    async def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        """A token."""
        self.asked.append((scopes[0], asyncio.get_running_loop()))
        return AccessToken("t0ken", 9_999_999_999)

    async def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("size", [100, 5000])
async def test_a_list_asks_the_identity_in_the_loop_that_it_belongs_to(size: int) -> None:
    where = StorageSettings(blob_service_uri="https://127.0.0.1:9", queue_service_uri="https://127.0.0.1:9")
    tokens = Tokens()
    storage = connect_storage(where, BriefingSettings(), tokens)
    with pytest.raises(StorageUnavailable, match="cannot be reached"):
        await storage.blobs.list_page("records/", size=size)
    await storage.close()
    assert {scope for scope, _ in tokens.asked} == {"https://storage.azure.com/.default"}
    assert {loop for _, loop in tokens.asked} == {asyncio.get_running_loop()}


async def test_the_loop_goes_on_while_a_full_page_is_read(real_storage: Storage) -> None:
    for start in range(0, 400, 40):
        await asyncio.gather(
            *(real_storage.blobs.create(_blob(f"r/{number:04d}", status="queued")) for number in range(start, start + 40))
        )
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.001)

    turning = asyncio.create_task(turn())
    page = await real_storage.blobs.list_page("r/")
    turning.cancel()
    assert len(page.entries) == 400
    assert turns > 5
