"""One run of the app under the development host, with everything that leaves it kept: the canary suite looks through it."""

from __future__ import annotations

import asyncio
import http.client
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from azure.core.exceptions import ResourceExistsError
from azure.storage.blob import ContainerClient
from azure.storage.queue import QueueClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from local.azurite import Azurite
from local.sample_settings import app_settings
from tests.support.host import ROOT, HostProcess
from tests.support.ingestion import Ingestion
from tests.support.principals import principal

from .calls import Call, calls, tool_calls
from .canaries import CANARIES, SECRET_HEADERS, found_in
from .hostile import Hostile

NOISY = Path(__file__).resolve().parent / "noisy"
AT_ONCE = 8
QUEUE_SECONDS = 60.0
QUIET_LOOKS = 12
"""Looks in a row without work: longer than a failed delivery stays hidden."""
MESSAGES = (
    f"{CANARIES['queue_garbage']} is no JSON",
    json.dumps({"version": 1, "id": CANARIES["queue_garbage"], "briefing": CANARIES["queue_garbage"], "parameters": {}}),
    json.dumps({"version": 1, "id": "c-1", "briefing": "school-profile", "parameters": {"urn": CANARIES["parameter"]}}),
    json.dumps(
        {
            "version": 1,
            "id": CANARIES["queue_garbage"] + "2",
            "briefing": "inspection-summary",
            "parameters": {"urn": "100000", "focus": f"{CANARIES['parameter']} fault503"},
        }
    ),
)


@dataclass
class CanaryRun:
    """The traces of a run: `statuses` of the calls by name, and every place that a text could have got to."""

    statuses: dict[str, int] = field(default_factory=dict)
    ingestion: Ingestion = field(default_factory=Ingestion)
    hostile: Hostile = field(default_factory=Hostile)
    said: str = ""
    files: dict[str, str] = field(default_factory=dict)

    def leaks(self) -> dict[str, set[str]]:
        """The canaries found, by place."""
        places = {"ingestion": self.ingestion.text, "stdout and stderr": self.said, **self.files}
        return {place: found for place, text in places.items() if (found := found_in(text))}


@dataclass(frozen=True)
class Plan:
    """A run: the app of `project` with further `settings`, these calls and messages; `folder` takes its files."""

    folder: Path
    project: Path = ROOT
    settings: Mapping[str, str] = field(default_factory=dict)
    calls: Sequence[Call] = field(default_factory=calls)
    messages: Sequence[str] = MESSAGES


@contextmanager
def ran(plan: Plan) -> Iterator[CanaryRun]:
    """All calls and messages, run to their end."""
    run = CanaryRun()
    folder = plan.folder
    with run.ingestion, run.hostile, Azurite() as azurite:
        with HostProcess(plan.project, environment=_environment(run, azurite, plan)) as host:
            run.statuses = _call_all(_port(host), plan.calls)
            asyncio.run(_call_tools(_port(host)))
            _queue_all(azurite, plan.messages)
            _wait_for_briefings(azurite)
            run.ingestion.wait_for(lambda seen: seen.points())
        run.said = "\n".join([*host.lines, *host.complaints])
        run.files = {str(path): path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file()}
        yield run


def _environment(run: CanaryRun, azurite: Azurite, plan: Plan) -> dict[str, str]:
    return {
        **app_settings(run.hostile.search, azurite.connection_string),
        "AiAgents__Auth__Mode": "entra",
        "WEBSITE_AUTH_ENABLED": "True",
        "AiAgents__AISearch__MaxRetryAttempts": "1",
        "AiAgents__AISearch__TimeoutSeconds": "2",
        "AiAgents__Model__Endpoint": run.hostile.model,
        "AiAgents__Model__Deployment": "gpt-test",
        "AiAgents__Briefings__DeadlineSeconds": "5",
        "APPLICATIONINSIGHTS_CONNECTION_STRING": run.ingestion.connection_string,
        "AzureFunctionsJobHost__extensions__queues__maxDequeueCount": "2",
        "AzureFunctionsJobHost__extensions__queues__visibilityTimeout": "00:00:01",
        "OPENAI_LOG": "debug",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_BLRP_SCHEDULE_DELAY": "200",
        "OTEL_METRIC_EXPORT_INTERVAL": "1000",
        "PYTHONPATH": str(NOISY),
        "TMPDIR": str(plan.folder),
        "HOME": str(plan.folder),
        **plan.settings,
    }


def _port(host: HostProcess) -> int:
    """Where it listens: other lines may follow that one, since everything in there talks."""
    return int(next(line for line in host.lines if line.startswith("Host: ")).rpartition(":")[2])


def _call_all(port: int, every: Sequence[Call]) -> dict[str, int]:
    """Some at a time, in their order: briefings are submitted before they are read."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = pool.map(lambda call: _send(port, call), every)
        return {call.name: status for call, status in zip(every, statuses, strict=True)}


def _send(port: int, call: Call) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {**SECRET_HEADERS, "User-Agent": CANARIES["user_agent"], **call.headers}
    try:
        connection.request(call.method, f"/api/{call.path}", call.body or None, headers)
        reply = connection.getresponse()
        reply.read()
        return reply.status
    finally:
        connection.close()


async def _call_tools(port: int) -> None:
    url = f"http://127.0.0.1:{port}/runtime/webhooks/mcp"
    async with (
        httpx2.AsyncClient(headers=principal("Evidence.Read")) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        for name, arguments in tool_calls():
            await client.call_tool(name, arguments)


def _queue_all(azurite: Azurite, messages: Sequence[str]) -> None:
    """The same messages to the queue and, as if nobody had handled them, to its poison queue."""
    for queue in _queues(azurite):
        for message in messages:
            queue.send_message(message)


def _wait_for_briefings(azurite: Azurite) -> None:
    """Waits until no message is to be taken and no briefing is at work; what waits for a fault to be cured may stay."""
    until, quiet = time.monotonic() + QUEUE_SECONDS, 0
    while quiet < QUIET_LOOKS:
        assert time.monotonic() < until, "the messages were not handled in time"
        visible = [message for queue in _queues(azurite) for message in queue.peek_messages(32)]
        quiet = 0 if visible or _at_work(azurite) else quiet + 1
        time.sleep(0.5)


def _at_work(azurite: Azurite) -> bool:
    with ContainerClient.from_connection_string(azurite.connection_string, "briefings") as container:
        blobs = container.list_blobs(name_starts_with="records/", include=["metadata"])
        return any((blob.metadata or {}).get("status") in ("queued", "running") for blob in blobs)


def _queues(azurite: Azurite) -> Iterator[QueueClient]:
    for name in ("briefings", "briefings-poison"):
        with QueueClient.from_connection_string(azurite.connection_string, name) as queue:
            with suppress(ResourceExistsError):
                queue.create_queue()
            yield queue
