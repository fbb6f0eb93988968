"""The queue trigger beyond the recorded scenarios: faults, settings, connections, and the message that a function gets."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import azure.functions as func
import pytest
from azure.storage.queue.aio import QueueClient
from hypothesis import given
from hypothesis import strategies as st

from emulators.functions_host import HostOptions, HostServer
from emulators.functions_host.queues.accounts import BadConnection, queue_client
from emulators.functions_host.queues.message_encoding import NotBase64, decode_message
from emulators.functions_host.settings import AppSettings
from local.azurite import Azurite
from tests.emulators.functions_host import apps

NONE = {"messageEncoding": "none", "maxPollingInterval": "00:00:00.200"}
Handler = Callable[[func.QueueMessage, func.Context], Awaitable[None]]


@pytest.mark.parametrize(
    ("text", "body"),
    [("aGVsbG8=", b"hello"), ("", b""), (" aGVs\r\nbG8= ", b"hello"), ("//4AeA==", b"\xff\xfe\x00x"), ("QQ==", b"A")],
)
def test_base64_is_read(text: str, body: bytes) -> None:
    assert decode_message(text, is_base64=True) == body


@pytest.mark.parametrize("text", ["{}", "aGVsbG8", "aGVsbG8==", "a", "aGVs=bG8", "aGVsbG8-", "====", "grüß"])
def test_other_text_is_not_base64(text: str) -> None:
    with pytest.raises(NotBase64):
        decode_message(text, is_base64=True)


@given(st.text())
def test_without_encoding_every_text_arrives(text: str) -> None:
    assert decode_message(text, is_base64=False) == text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({"S": "UseDevelopmentStorage=true;"}, "http://127.0.0.1:10001/devstoreaccount1/q"),
        ({"S__queueServiceUri": "https://a.queue.core.windows.net"}, "https://a.queue.core.windows.net/q"),
        ({"S__serviceUri": "https://b.queue.core.windows.net/"}, "https://b.queue.core.windows.net/q"),
        ({"S__accountName": "c"}, "https://c.queue.core.windows.net/q"),
        (
            {"S__accountName": "c", "S__credential": "managedidentity", "S__clientId": "1"},
            "https://c.queue.core.windows.net/q",
        ),
        ({"S__accountName": "c", "S__credential": "managedidentity"}, "https://c.queue.core.windows.net/q"),
    ],
)
async def test_connections(settings: dict[str, str], url: str) -> None:
    async with queue_client(AppSettings(settings), "S", "q") as client:
        assert client.url == url


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"S": "nonsense"}, "The app setting 'S' is no storage connection string"),
        ({"S__clientId": "1"}, "'S' has neither a connection string nor S__queueServiceUri"),
    ],
)
def test_connections_that_lead_nowhere(settings: dict[str, str], message: str) -> None:
    with pytest.raises(BadConnection, match=message):
        queue_client(AppSettings(settings), "S", "q")


async def test_trigger_without_an_account(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with HostServer(apps.folder(tmp_path), app=app_for("queue"), settings={"Store": "nonsense"}) as host:
        assert host.describe()[0] == "on_message: queue queue"
    assert "The 'on_message' function is in error: The app setting 'Store' is no storage connection string." in caplog.text


@pytest.fixture
async def queue(azurite: Azurite) -> AsyncIterator[QueueClient]:
    """A queue of its own, not yet made."""
    name = f"q{uuid.uuid4().hex}"
    async with QueueClient.from_connection_string(azurite.connection_string, name) as client:
        yield client


def app_for(queue_name: str, handler: Handler | None = None, **trigger: Any) -> func.FunctionApp:
    app = func.FunctionApp()

    @app.queue_trigger(arg_name="msg", queue_name=queue_name, connection="Store", **trigger)
    async def on_message(msg: func.QueueMessage, context: func.Context) -> None:
        if handler is not None:
            await handler(msg, context)

    return app


def host_for(folder: Path, azurite: Azurite, app: func.FunctionApp, *, taken: float = 600.0, **queues: Any) -> HostServer:
    options = HostOptions(taken_visibility=taken, grace=1)
    made = apps.folder(folder, extensions={"queues": {**NONE, **queues}})
    return HostServer(made, options, app=app, settings={"Store": azurite.connection_string})


async def until(holds: Callable[[], bool | Awaitable[bool]], seconds: float = 10.0) -> None:
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        value = holds()
        if value if isinstance(value, bool) else await value:
            return
        assert asyncio.get_running_loop().time() < deadline, "it did not come to hold in time"
        await asyncio.sleep(0.05)


async def count(queue: QueueClient) -> int:
    return (await queue.get_queue_properties()).approximate_message_count or 0


async def test_message_of_a_function(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    seen: list[tuple[func.QueueMessage, str, str]] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        seen.append((msg, context.function_name, context.trace_context.trace_parent))

    await queue.create_queue()
    sent = await queue.send_message("grüße")
    async with host_for(tmp_path, azurite, app_for(queue.queue_name, note)):
        await until(lambda: len(seen) == 1)
        await until(lambda: is_empty(queue))
    message, name, trace = seen[0]
    now = datetime.now(UTC)
    assert (message.get_body(), message.id, message.dequeue_count) == ("grüße".encode(), sent.id, 1)
    assert (name, trace) == ("on_message", "")
    assert message.pop_receipt
    assert message.insertion_time is not None
    assert message.expiration_time is not None
    assert message.time_next_visible is not None
    assert abs(now - message.insertion_time) < timedelta(seconds=20)
    assert abs(message.expiration_time - message.insertion_time - timedelta(days=7)) < timedelta(seconds=2)
    assert abs(message.time_next_visible - now - timedelta(minutes=10)) < timedelta(seconds=20)


async def is_empty(queue: QueueClient) -> bool:
    return await count(queue) == 0


async def test_missing_queue_works_once_made(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    seen: list[bytes] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        seen.append(msg.get_body())

    async with host_for(tmp_path, azurite, app_for(queue.queue_name, note)):
        await asyncio.sleep(0.5)
        await queue.create_queue()
        await queue.send_message("late")
        await until(lambda: seen == [b"late"])


async def test_long_run_keeps_its_message(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    counts: list[int | None] = []

    async def slow(msg: func.QueueMessage, context: func.Context) -> None:
        counts.append(msg.dequeue_count)
        await asyncio.sleep(3)

    await queue.create_queue()
    await queue.send_message("slow")
    async with host_for(tmp_path, azurite, app_for(queue.queue_name, slow), taken=2.0):
        await until(lambda: is_empty(queue))
    assert counts == [1]


async def test_run_ending_during_renewal_is_settled_once(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    counts: list[int | None] = []

    async def about_half(msg: func.QueueMessage, context: func.Context) -> None:
        counts.append(msg.dequeue_count)
        await asyncio.sleep(0.99 + 0.03 * random.random())

    await queue.create_queue()
    for number in range(40):
        await queue.send_message(str(number))
    async with host_for(tmp_path, azurite, app_for(queue.queue_name, about_half), taken=2.0):
        await until(lambda: is_empty(queue), 20)
    assert counts == [1] * 40


async def test_killed_host_gives_its_message_back(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    counts: list[int | None] = []

    async def wait(msg: func.QueueMessage, context: func.Context) -> None:
        counts.append(msg.dequeue_count)
        if len(counts) == 1:
            await asyncio.sleep(60)

    await queue.create_queue()
    await queue.send_message("x")
    app = app_for(queue.queue_name, wait)
    first = await host_for(tmp_path, azurite, app, taken=2.0).start()
    await until(lambda: counts == [1])
    await first.stop()
    async with host_for(tmp_path, azurite, app, taken=2.0):
        await until(lambda: is_empty(queue))
    assert counts == [1, 2]


async def test_killed_worker_gives_its_message_back(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    log = tmp_path / "seen.txt"
    script = (
        f"import asyncio\n@app.queue_trigger(arg_name='msg', queue_name='{queue.queue_name}', connection='Store')\n"
        "async def on_message(msg: func.QueueMessage) -> None:\n"
        f"    with open({str(log)!r}, 'a') as log: log.write(f'{{msg.dequeue_count}} ')\n"
        "    if msg.dequeue_count == 1: await asyncio.sleep(60)"
    )
    folder = apps.folder(tmp_path / "app", script, extensions={"queues": {**NONE, "visibilityTimeout": "00:00:01"}})
    await queue.create_queue()
    await queue.send_message("x")
    settings = {**os.environ, "Store": azurite.connection_string}
    async with HostServer(folder, HostOptions(grace=0), settings=settings) as host:
        await until(lambda: log.exists() and log.read_text() == "1 ")
        assert host.worker_process_id is not None
        os.kill(host.worker_process_id, signal.SIGKILL)
        await until(lambda: is_empty(queue))
    assert log.read_text() == "1 2 "


@pytest.mark.slow
async def test_storage_that_is_away_for_a_while(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[bytes] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        seen.append(msg.get_body())

    with Azurite(folder=tmp_path / "data") as azurite:
        async with QueueClient.from_connection_string(azurite.connection_string, "away", retry_total=0) as queue:
            await queue.create_queue()
            async with host_for(tmp_path / "app", azurite, app_for("away", note)):
                await queue.send_message("before")
                await until(lambda: seen == [b"before"])
                await asyncio.to_thread(azurite.stop)
                await until(lambda: "The queue away cannot be read" in caplog.text, 60)
                await asyncio.to_thread(azurite.start)
                await queue.send_message("after")
                await until(lambda: seen == [b"before", b"after"], 60)


async def test_worn_out_message_goes_to_poison(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    called: list[int] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        called.append(1)

    await queue.create_queue()
    await queue.send_message("worn out")
    for _ in range(2):
        assert await queue.receive_message(visibility_timeout=1) is not None
        await asyncio.sleep(1.2)
    async with (
        QueueClient.from_connection_string(azurite.connection_string, f"{queue.queue_name}-poison") as poison,
        host_for(tmp_path, azurite, app_for(queue.queue_name, note), maxDequeueCount=1),
    ):
        await until(lambda: is_empty(queue))
        assert [message.content for message in await poison.peek_messages()] == ["worn out"]
    assert called == []


async def test_binary_data(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    seen: list[bytes] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        seen.append(msg.get_body())

    await queue.create_queue()
    await queue.send_message("//4AeA==")
    app = app_for(queue.queue_name, note, data_type=func.decorators.core.DataType.BINARY)
    async with host_for(tmp_path, azurite, app, messageEncoding="base64"):
        await until(lambda: seen == [b"\xff\xfe\x00x"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id": "forged", "DEQUEUECOUNT": 7, "PopReceipt": "r"}', ("forged", 7, "r")),
        ('{"Id": "one", "id": "two"}', ("two", 1, None)),
        ('{"insertiontime": "2020-01-01T00:00:00Z", "x": 1}', (None, 1, None)),
        ('{"id": null, "dequeueCount": [7], "popReceipt": true}', (None, 1, "True")),
        ('[{"id": "forged"}]', (None, 1, None)),
        ('{"id": "forged"', (None, 1, None)),
        ("[" * 100_000, (None, 1, None)),
    ],
)
async def test_text_members_replace_trigger_data(
    azurite: Azurite, queue: QueueClient, tmp_path: Path, text: str, expected: tuple[str | None, int, str | None]
) -> None:
    seen: list[func.QueueMessage] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        seen.append(msg)

    await queue.create_queue()
    sent = await queue.send_message(text[:60_000])
    async with host_for(tmp_path, azurite, app_for(queue.queue_name, note)):
        await until(lambda: is_empty(queue))
    (message,) = seen
    forged_id, count, receipt = expected
    assert (message.id, message.dequeue_count) == (forged_id or sent.id, count)
    assert message.get_body() == text[:60_000].encode()
    assert receipt is None or message.pop_receipt == receipt
    assert message.insertion_time is not None
    assert (message.insertion_time.year == 2020) == ("2020" in text)


async def test_bytes_replace_nothing(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    seen: list[func.QueueMessage] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        seen.append(msg)

    await queue.create_queue()
    sent = await queue.send_message('{"id": "forged", "DequeueCount": "abc"}')
    app = app_for(queue.queue_name, note, data_type=func.DataType.BINARY)
    async with host_for(tmp_path, azurite, app):
        await until(lambda: is_empty(queue))
    assert [(message.id, message.dequeue_count) for message in seen] == [(sent.id, 1)]


async def test_member_of_a_wrong_kind(
    azurite: Azurite, queue: QueueClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    called: list[int] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        called.append(1)

    await queue.create_queue()
    await queue.send_message('{"DequeueCount": "abc"}')
    async with (
        QueueClient.from_connection_string(azurite.connection_string, f"{queue.queue_name}-poison") as poison,
        host_for(tmp_path, azurite, app_for(queue.queue_name, note), maxDequeueCount=2),
    ):
        await until(lambda: is_empty(queue))
        assert [message.content for message in await poison.peek_messages()] == ['{"DequeueCount": "abc"}']
    assert called == []
    assert "'abc'" in caplog.text


async def test_trace_for_each_message(azurite: Azurite, queue: QueueClient, tmp_path: Path) -> None:
    traces: list[str] = []

    async def note(msg: func.QueueMessage, context: func.Context) -> None:
        traces.append(context.trace_context.trace_parent)

    await queue.create_queue()
    for number in range(2):
        await queue.send_message(str(number))
    folder = apps.folder(tmp_path, telemetryMode="OpenTelemetry", extensions={"queues": NONE})
    settings = {"Store": azurite.connection_string}
    async with HostServer(folder, app=app_for(queue.queue_name, note), settings=settings):
        await until(lambda: len(traces) == 2)
    assert len({trace.split("-")[1] for trace in traces}) == 2
