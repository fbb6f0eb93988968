"""What evidence costs: `python -m bench.evidence [--calls 300] [--memory]`.

The handler of `/api/evidence` and the retriever beside the raw SDK call, a bare `aiohttp` post and, where it is installed,
the context provider of `agent-framework-azure-ai-search`: the same server in another process, the same ten documents, one
run, all in turns. Prints p50, p95 and processor time with their ratio to the provider (else to the SDK). Exits with 1 when
evidence takes more than 0.8 of the provider's p50, when 50 calls at once leave something behind, or memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
from azure.core.credentials import AzureKeyCredential
from azure.core.rest import HttpRequest
from azure.search.documents.aio import SearchClient

from emulators.azure_search.load import load_index
from shared.api import EVIDENCE, Request, Services, respond
from shared.retrieval import IndexSettings, Retrieval, RetrievalSettings
from shared.settings import load_settings

SAMPLE = Path(__file__).parents[1] / "local" / "sample"
INDEX, QUERY, TOP = "inspections", "safeguarding concerns at the school", 10
FIELDS = ("title", "school_name", "date", "outcome", "body", "url")
WARM_UP = 30
MOST_OF_PROVIDER = 0.8
AT_ONCE = 50
MEMORY_CALLS = 10_000
MEMORY_GROWTH = 0.03
Way = Callable[[], Awaitable[object]]


def start_service(port: int) -> subprocess.Popen[bytes]:
    """The embedded service in a process of its own, with the sample inspections in it."""
    command = [sys.executable, "-m", "emulators.azure_search", "--port", str(port)]
    service = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    for _ in range(200):
        try:
            asyncio.run(load_index(address, SAMPLE / "indexes/inspections.json", SAMPLE / "data/inspections.jsonl"))
        except (OSError, aiohttp.ClientError):
            time.sleep(0.1)
        else:
            return service
    service.kill()
    raise SystemExit("the embedded service did not start")


class Contenders:
    """The ways to get the same hits, by name."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._body = {"search": QUERY, "top": TOP, "select": ",".join(FIELDS)}
        self._session = aiohttp.ClientSession()
        self._client = SearchClient(address, INDEX, AzureKeyCredential("local"))
        index = IndexSettings(name=INDEX, content_fields=FIELDS, key_field="id", minimum_relevance=0.0)
        self.retrieval = Retrieval(RetrievalSettings(endpoint=address, indexes=(index,)))
        self._services = Services(load_settings(_environment(address)))
        self.ways: dict[str, Way] = {
            "aiohttp post": self._bare,
            "SDK send_request": self._send_request,
            "SDK search": self._sdk,
            "Retrieval.search": lambda: self.retrieval.search(INDEX, QUERY, top=TOP),
            "Retrieval.evidence": lambda: self.retrieval.evidence(INDEX, QUERY, size=TOP),
            "POST /api/evidence": self._handler,
        }
        self._provider: Any = None

    async def add_provider(self) -> bool:
        """The provider of the Agent Framework, if it is installed."""
        try:
            from agent_framework import AgentSession, Message, SessionContext
            from agent_framework.azure import AzureAISearchContextProvider
        except ImportError:
            return False
        self._provider = AzureAISearchContextProvider(
            endpoint=self._address, index_name=INDEX, api_key="local", mode="semantic", top_k=TOP
        )

        async def provide() -> object:
            context = SessionContext(input_messages=[Message(role="user", contents=[QUERY])])
            session: Any = AgentSession()
            await self._provider.before_run(agent=None, session=session, context=context, state={})
            return context

        self.ways["Agent Framework provider"] = provide
        return True

    async def _bare(self) -> object:
        url = f"{self._address}/indexes('{INDEX}')/docs/search.post.search?api-version=2026-04-01"
        async with self._session.post(url, json=self._body) as reply:
            return json.loads(await reply.read())["value"]

    async def _send_request(self) -> object:
        path = f"/indexes('{INDEX}')/docs/search.post.search?api-version=2026-04-01"
        reply = await self._client.send_request(HttpRequest("POST", self._address + path, json=self._body))
        return reply.json()["value"]

    async def _sdk(self) -> object:
        found = await self._client.search(QUERY, top=TOP, select=list(FIELDS))
        return [document async for document in found]

    async def _handler(self) -> object:
        body = json.dumps({"searches": [{"index": INDEX, "query": QUERY, "size": TOP}]}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body))}
        reply = await respond(EVIDENCE, Request(method="POST", headers=headers, body=body), self._services)
        if reply.status != 200:
            raise SystemExit(f"the handler answered {reply.status}: {reply.body}")
        return reply

    async def close(self) -> None:
        """Close every session."""
        await self.retrieval.close()
        await self._services.retrieval.close()
        await self._client.close()
        await self._session.close()
        if self._provider is not None:
            await self._provider.close()


def _environment(address: str) -> dict[str, str]:
    index = {"Name": INDEX, "ContentFields": list(FIELDS), "KeyField": "id", "MinimumRelevanceFilter": 0}
    return {
        "AiAgents__AISearch__Endpoint": address,
        "AiAgents__AISearch__Indexes": json.dumps([index]),
        "AiAgents__Auth__Mode": "open",
    }


async def measure(ways: dict[str, Way], calls: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds by the clock and of this process's processor for each call, the ways in turns."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for turn in range(calls + WARM_UP):
        for name, way in ways.items():
            clock, processor = time.perf_counter(), time.process_time()
            await way()
            if turn >= WARM_UP:
                taken[name].append((time.perf_counter() - clock, time.process_time() - processor))
    return taken


def show(taken: dict[str, list[tuple[float, float]]], base: str) -> dict[str, float]:
    """The table; returns each way's p50 as a share of the base's."""
    against = statistics.median(clock for clock, _ in taken[base])
    print(f"| way | p50 ms | p95 ms | processor ms | p50 / {base} |\n| --- | ---: | ---: | ---: | ---: |")
    shares = {}
    for name, pairs in taken.items():
        clocks = sorted(clock for clock, _ in pairs)
        p50, p95 = statistics.median(clocks), clocks[int(len(clocks) * 0.95)]
        processor = statistics.median(used for _, used in pairs)
        shares[name] = p50 / against
        print(f"| {name} | {p50 * 1e3:.2f} | {p95 * 1e3:.2f} | {processor * 1e3:.2f} | {shares[name]:.2f} |")
    return shares


async def left_over(address: str) -> list[str]:
    """What 50 calls at once through one process leave behind after close: threads, sockets, tasks."""
    index = IndexSettings(name=INDEX, content_fields=FIELDS)
    before = (threading.active_count(), len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()))
    retrieval = Retrieval(RetrievalSettings(endpoint=address, indexes=(index,)))
    await asyncio.gather(*(retrieval.evidence(INDEX, QUERY) for _ in range(AT_ONCE)))
    await retrieval.close()
    await asyncio.sleep(0.3)
    after = (threading.active_count(), len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()))
    print(f"{AT_ONCE} calls at once: threads, open files, tasks {before} before, {after} after close")
    return [f"left over: {after} instead of {before}"] if any(a > b for a, b in zip(after, before, strict=True)) else []


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def memory(way: Way) -> list[str]:
    """Growth of the process over many calls, after a tenth of them."""
    started = 0
    for call in range(MEMORY_CALLS):
        if call == MEMORY_CALLS // 10:
            started = _resident()
        await way()
    ended = _resident()
    print(f"{MEMORY_CALLS} calls: {started / 2**20:.1f} MiB after a tenth of them, {ended / 2**20:.1f} MiB at the end")
    return ["memory grows"] if ended > started * (1 + MEMORY_GROWTH) else []


async def compare(address: str, calls: int, with_memory: bool) -> list[str]:
    """Every figure; returns what is not as it should be."""
    wrong = await left_over(address)
    contenders = Contenders(address)
    provider = await contenders.add_provider()
    base = "Agent Framework provider" if provider else "SDK search"
    shares = show(await measure(contenders.ways, calls), base)
    if provider:
        slow = [name for name in ("Retrieval.evidence", "POST /api/evidence") if shares[name] > MOST_OF_PROVIDER]
        wrong += [f"{name} takes {shares[name]:.2f} of the provider" for name in slow]
    if with_memory:
        wrong += await memory(lambda: contenders.retrieval.evidence(INDEX, QUERY, size=TOP))
    await contenders.close()
    return wrong


def main() -> int:
    """Run it all; 1 when a bound is passed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--calls", type=int, default=300)
    asked.add_argument("--memory", action="store_true")
    options = asked.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    service = start_service(port)
    try:
        wrong = asyncio.run(compare(f"http://127.0.0.1:{port}", options.calls, options.memory))
    finally:
        service.terminate()
        service.wait()
    print("\n".join(wrong) or "within its bounds")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
