"""A provider that somebody installed before the app: nothing with content is served, and it says why."""

from __future__ import annotations

import json

import pytest

from .fresh_process import run

CALLS = """
import asyncio, json
{before}
from shared.api import AGENTS, ANSWERS, BRIEFING_DEFINITIONS, CITATIONS, CONTEXT, INDEXES, READY, SEARCH
from shared.api import Message, Request, answer_live, run_message
from shared.briefing import Redeliver
from tests.support.app import app_over, body_of, sample_service

SEARCHES = [{{"index": "schools", "query": "school"}}]
BODIES = {{
    SEARCH: SEARCHES[0],
    CITATIONS: {{"answer": "A [Evidence 1].", "sources": [{{"number": 1, "name": "S"}}]}},
    ANSWERS: {{"prompt": "school", "searches": SEARCHES}},
    CONTEXT: {{"messages": [{{"role": "user", "text": "school"}}]}},
    INDEXES: None,
    AGENTS: None,
    BRIEFING_DEFINITIONS: None,
    {ready}
}}

async def main():
    statuses = {{}}
    async with app_over(await sample_service()) as app:
        for route, body in BODIES.items():
            reply = await app.call(route, body)
            said = body_of(reply)
            codes = [check.get("code") for check in said.get("checks", [])]
            statuses[route.name] = [reply.status, said.get("code") or codes]
        try:
            await run_message(app.services, Message(body=b"{{}}", id="1"))
        except Redeliver as again:
            statuses["queue"] = [503, again.code]
        except Exception as error:
            statuses["queue"] = [500, str(error)]
    statuses["live"] = [answer_live(Request(method="GET")).status, None]
    print(json.dumps(statuses))

asyncio.run(main())
"""
PROVIDER = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
trace.set_tracer_provider(TracerProvider())
"""


@pytest.fixture(scope="module")
def unsafe() -> dict[str, list[object]]:
    answered: dict[str, list[object]] = json.loads(run(CALLS.format(before=PROVIDER, ready="READY: None,")).out)
    return answered


def test_content_routes_answer_503_and_the_queue_keeps_its_messages(unsafe: dict[str, list[object]]) -> None:
    content = {name: answered for name, answered in unsafe.items() if name not in {"live", "health/ready"}}
    assert len(content) == 8
    assert {tuple(answered) for answered in content.values()} == {(503, "telemetry_unsafe")}


def test_readiness_names_it_and_liveness_does_not_mind(unsafe: dict[str, list[object]]) -> None:
    status, codes = unsafe["health/ready"]
    assert status == 503
    assert "telemetry_unsafe" in str(codes)
    assert unsafe["live"][0] == 200


def test_without_a_provider_the_same_calls_are_answered() -> None:
    answered = json.loads(run(CALLS.format(before="", ready="")).out)
    assert {name: status for name, (status, _) in answered.items() if name != "queue" and status != 200} == {}
