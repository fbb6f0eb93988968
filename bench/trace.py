"""Draws what operators see of an evidence call and of a briefing: `python -m bench.trace`.

The app runs on this machine as with `make run`; its real exporters send to a local ingestion server, which keeps the spans.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

import aiohttp

from local.stack import Stack, running_stack
from local.subprocesses import free_port
from tests.support.ingestion import Envelope, Ingestion, tree

SECONDS = 30.0
SEARCHES = [
    {"index": "schools", "query": "engineering", "size": 2},
    {"index": "inspections", "query": "engineering car", "size": 1},
]
BRIEFING = {"briefing": "inspection-summary", "parameters": {"urn": "900001"}}


async def main() -> None:
    """Both traces, one after the other."""
    with Ingestion() as ingestion:
        os.environ["APPLICATIONINSIGHTS_CONNECTION_STRING"] = ingestion.connection_string
        async with running_stack(free_port(), lambda said: None) as stack:
            await _post(stack, "evidence", {"searches": SEARCHES})
            await _post(stack, "briefings", {"briefings": [BRIEFING]})
            await asyncio.to_thread(ingestion.wait_for, lambda seen: _named(seen, "briefing"), seconds=SECONDS)
    for name in ("evidence", "briefing"):
        trace = _named(ingestion, name)[0]["tags"]["ai.operation.id"]
        print(f"\n{name}:\n{tree([span for span in ingestion.spans() if span['tags']['ai.operation.id'] == trace])}")


async def _post(stack: Stack, route: str, body: Any) -> None:
    async with aiohttp.ClientSession() as session, session.post(f"{stack.app}/{route}", json=body) as reply:
        reply.raise_for_status()


def _named(ingestion: Ingestion, name: str) -> list[Envelope]:
    return [span for span in ingestion.spans() if span["name"] == name]


if __name__ == "__main__":
    asyncio.run(main())
