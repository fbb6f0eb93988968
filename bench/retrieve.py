"""What retrieve costs: `python -m bench.retrieve`.

Three sub-queries in one index over a service that answers after 60 ms with 50 hits each: the whole call against its slowest
search, and against one search alone. Then the same over the embedded service in process, where searches share one processor.
Exits with 1 when the call takes more than 1.3 times its slowest search.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from azure.core.credentials import AccessToken

from emulators.azure_search.load import load, read_documents, read_index
from emulators.azure_search.service import SearchService
from emulators.azure_search.transport import EmbeddedTransport
from shared.retrieval import (
    AgentIndex,
    AgentSettings,
    IndexSettings,
    Retrieval,
    RetrievalSettings,
    RetrieveReply,
    SearchActivity,
    parse_retrieve_request,
    reply_to_json,
    retrieve,
)

SAMPLE = Path(__file__).resolve().parents[1] / "local" / "sample"
CALLS = 40
LATENCY = 0.06
MOST = 1.3
QUESTIONS = ("safeguarding concerns", "attendance above the national average", "mathematics in key stage 2")
INDEX = IndexSettings(
    name="inspections",
    content_fields=("school_name", "date", "outcome", "inspector", "title", "body"),
    name_field="title",
    key_field="id",
)
AGENT = AgentSettings(name="bench", indexes=(AgentIndex(name="inspections"),))


class Token:
    """A credential whose tokens nobody checks."""

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        """A token without end."""
        return AccessToken("none", 2**31)

    async def close(self) -> None:
        """Nothing is open."""

    async def __aenter__(self) -> Token:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class Distant(EmbeddedTransport):
    """The embedded service behind a network: an answer takes `latency` seconds more, and none of the processor."""

    def __init__(self, service: SearchService, latency: float) -> None:
        super().__init__(service)
        self._latency = latency

    async def send(self, request: Any, **options: Any) -> Any:
        """The service's answer, later."""
        await asyncio.sleep(self._latency)
        return await super().send(request, **options)


def conversation(questions: tuple[str, ...]) -> dict[str, Any]:
    """A request whose sub-queries are `questions`."""
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]} for text in questions]}


async def timed(retrieval: Retrieval, questions: tuple[str, ...]) -> tuple[float, float]:
    """Seconds of a call, JSON made, and of its slowest search."""
    request = parse_retrieve_request(conversation(questions), "2025-05-01-preview", "agent")
    began = time.perf_counter()
    reply: RetrieveReply = await retrieve(retrieval, AGENT, request)
    json.dumps(reply_to_json(reply, request))
    whole = time.perf_counter() - began
    return whole, max(one.elapsed_ms or 0 for one in reply.activity if isinstance(one, SearchActivity)) / 1000


async def measured(transport: EmbeddedTransport) -> tuple[float, float, float]:
    """Medians: a call of three sub-queries, its slowest search, a call of one."""
    settings = RetrievalSettings(endpoint="https://bench.search.windows.net", indexes=(INDEX,))
    retrieval = Retrieval(settings, Token(), transport=transport)
    await timed(retrieval, QUESTIONS)
    three = [await timed(retrieval, QUESTIONS) for _ in range(CALLS)]
    one = [await timed(retrieval, QUESTIONS[:1]) for _ in range(CALLS)]
    await retrieval.close()
    return (
        statistics.median(whole for whole, _ in three),
        statistics.median(slowest for _, slowest in three),
        statistics.median(whole for whole, _ in one),
    )


async def main() -> int:
    """Prints the figures; 0 when the bound holds."""
    service = SearchService()
    await load(service, read_index(SAMPLE / "indexes/inspections.json"), read_documents(SAMPLE / "data/inspections.jsonl"))
    ratio = 0.0
    for name, transport in (
        (f"service {LATENCY * 1000:.0f} ms away", Distant(service, LATENCY)),
        ("embedded, in process", EmbeddedTransport(service)),
    ):
        three, slowest, one = await measured(transport)
        ratio = ratio or three / slowest
        print(
            f"{name}: 3 sub-queries {three * 1000:.1f} ms, slowest search {slowest * 1000:.1f} ms, "
            f"1 sub-query {one * 1000:.1f} ms"
        )
    print(f"3 sub-queries take {ratio:.2f} times their slowest search (at most {MOST})")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
