"""The real storage SDK against storage that is busy, refuses, and loses requests and answers; and that is restarted."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from local.azurite import ACCOUNT, ACCOUNT_KEY, Azurite
from shared.briefing import (
    FINAL,
    BriefingSettings,
    Redeliver,
    Storage,
    StorageRefused,
    StorageSettings,
    StorageUnavailable,
)
from shared.briefing.azure_storage import connect_storage, storage_call
from shared.briefing.storage import NewBlob
from tests.briefing.fault_run import FaultRun
from tests.briefing.workbench import NOBODY, Workbench, body, message, profile
from tests.support.faulty_proxy import Fault, FaultyProxy


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


@pytest.fixture
async def proxy(azurite: Azurite) -> AsyncIterator[FaultyProxy]:
    """A proxy in front of the blobs."""
    async with FaultyProxy(_origin(azurite.blob_url)) as running:
        yield running


@pytest.fixture
async def storage(
    azurite: Azurite, proxy: FaultyProxy, real_storage: Storage, real_settings: BriefingSettings
) -> AsyncIterator[Storage]:
    """The storage of a test, its blobs reached through the proxy."""
    where = (
        f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={ACCOUNT_KEY};"
        f"BlobEndpoint={proxy.url}/{ACCOUNT};QueueEndpoint={azurite.queue_url};"
    )
    connected = connect_storage(StorageSettings(connection_string=where), real_settings)
    yield connected
    await connected.close()


@pytest.mark.parametrize("write", [1, 2], ids=["taking", "saving"])
@pytest.mark.parametrize("submitted", [True, False], ids=["submitted", "direct"])
@pytest.mark.parametrize("fault", [503, "lose_request", "lose_answer"])
async def test_one_fault_is_repeated_by_the_sdk_and_a_lost_answer_is_recognised(
    storage: Storage, proxy: FaultyProxy, real_settings: BriefingSettings, fault: Fault, submitted: bool, write: int
) -> None:
    bench = Workbench(storage=storage, settings=real_settings)
    if submitted:
        await bench.briefings().submit("b1", [profile("a")], NOBODY)
    writes: list[str] = []

    def one_write_fails(method: str, path: str) -> Fault:
        writes.extend([path] if method == "PUT" and "/records/" in path else [])
        # Of a run's writes the first takes the record and the second is its result.
        return fault if len(writes) == write and not proxy.faults else None

    proxy.plan = one_write_fails
    assert await bench.briefings().handle_message(_message("a"), "m1") == "completed"
    assert proxy.faults == [fault]
    record = await bench.record("a")
    assert (record.standing.status, record.standing.attempts) == ("completed", 1)


@pytest.mark.parametrize(
    ("fault", "error"),
    [(503, StorageUnavailable), (409, StorageUnavailable), (403, StorageRefused), ("lose_request", StorageUnavailable)],
)
async def test_a_fault_that_stays_has_an_error_without_the_services_words(
    storage: Storage, proxy: FaultyProxy, fault: Fault, error: type[Exception]
) -> None:
    proxy.plan = lambda method, path: fault
    with pytest.raises(error, match="the briefing storage") as raised:
        await storage.blobs.read("records/x")
    assert "CANARY" not in str(raised.value)
    with pytest.raises(error, match="the briefing storage"):
        await storage.blobs.replace(NewBlob(name="records/x", metadata={}), '"1"')


async def test_a_call_has_a_limit_and_says_when_to_come_again() -> None:
    with pytest.raises(StorageUnavailable, match="did not answer in time") as raised:
        async with storage_call(0.05):
            await asyncio.Event().wait()
    assert raised.value.retry_after == 2.0


async def test_the_callers_own_limit_is_not_the_storages() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), storage_call():
            await asyncio.Event().wait()


@pytest.mark.slow
async def test_hung_storage_is_given_up(storage: Storage, proxy: FaultyProxy) -> None:
    proxy.plan = lambda method, path: "hang"
    with pytest.raises(StorageUnavailable):
        await storage.blobs.read("records/x")
    with pytest.raises(StorageUnavailable):
        await storage.blobs.list_page("records/")
    assert len(proxy.faults) <= 4


async def test_a_changed_blob_is_no_error(storage: Storage, proxy: FaultyProxy) -> None:
    proxy.plan = lambda method, path: 412 if method == "PUT" else None
    assert await storage.blobs.replace(NewBlob(name="records/x", metadata={}), '"1"') is None
    assert await storage.blobs.annotate("records/x", {}, '"1"') is None


@pytest.mark.slow
async def test_briefings_over_unsound_storage_come_out_once(
    storage: Storage, proxy: FaultyProxy, real_settings: BriefingSettings
) -> None:
    chance = random.Random(11)
    bench = Workbench(storage=storage, settings=real_settings)
    ids = [f"i{number}" for number in range(30)]
    await bench.briefings().submit("b1", [profile(name) for name in ids], NOBODY)
    kinds: tuple[Fault, ...] = (500, 503, "lose_request", "lose_answer")
    proxy.plan = lambda method, path: chance.choice(kinds) if chance.random() < 0.1 else None

    async def deliver(name: str) -> None:
        for count in range(1, 6):
            try:
                await bench.briefings().handle_message(_message(name), f"m-{name}", count, last_delivery=count == 5)
            except Redeliver:
                continue
            return
        await bench.briefings().handle_poison(_message(name), f"p-{name}")

    for start in range(0, len(ids), 6):
        await asyncio.gather(*(deliver(name) for name in ids[start : start + 6]))
    proxy.plan = lambda method, path: None
    counts = (await bench.briefings().batch("b1")).counts
    print(f"\nunsound storage: {len(proxy.faults)} faults, {counts}")
    assert len(proxy.faults) > 10
    assert set(counts) <= set(FINAL)
    assert sum(counts.values()) == len(ids)
    assert counts["completed"] >= len(ids) * 0.9


def _message(briefing_id: str) -> bytes:
    return body(message(id=briefing_id, batchId="b1"))


@pytest.mark.slow
async def test_storage_that_is_restarted_under_a_running_host(tmp_path: Path) -> None:
    settings = BriefingSettings(queue_name="again", container="again", done_queue_name="again-done", lease_seconds=1.0)
    with Azurite(folder=tmp_path / "azurite") as azurite:
        storage = connect_storage(StorageSettings(connection_string=azurite.connection_string), settings)
        await storage.check()
        run = FaultRun(azurite=azurite, storage=storage, settings=settings, log=tmp_path / "log.jsonl")
        await run.submit(60)
        with run.host():
            await run.finished(2.0, 60)
            await asyncio.to_thread(azurite.stop)
            await asyncio.sleep(1.0)
            await asyncio.to_thread(azurite.start)
            counts = await run.finished(60.0, 60)
        await storage.close()
    assert counts == {"completed": 60}
    # A final write whose answer the restart swallowed is found done afterwards, and then nobody tells of it as theirs.
    finals = [line["id"] for line in run.told("final")]
    assert len(finals) == len(set(finals))
    assert len(finals) > 50
