"""Every measured case of the original's search agrees, or stands in the table of deviations with reason and result."""

from __future__ import annotations

import json
import ssl
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

import pytest
from aiohttp import web

from tests.retrieval.certificates import self_signed
from tests.retrieval.golden import Json, Run, expected, golden_cases
from tests.retrieval.golden_deviations import DEVIATIONS, MOST, Deviation
from tests.truths.rules import REASONS

SCOPE = ("https://search.azure.com/.default",)


def _cases() -> list[Any]:
    return [pytest.param(group, case, id=f"{group}-{case['name']}") for group in DEVIATIONS for case in golden_cases(group)]


@pytest.fixture
async def elsewhere() -> AsyncIterator[str]:
    """An https server whose certificate nobody trusts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with self_signed("other.example") as (certificate, key):
        context.load_cert_chain(certificate, key)
    runner = web.AppRunner(web.Application())
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    yield f"https://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.mark.parametrize(("group", "case"), _cases())
async def test_measured_case(group: str, case: Json, elsewhere: str) -> None:
    endpoint = {"connection_refused": "https://localhost:1", "certificate_not_trusted": elsewhere}.get(case["name"])
    run = Run(case, endpoint)

    result = await run.result()

    deviation = DEVIATIONS[group].get(case["name"])
    difference = _difference(case, run, result)
    if deviation is None:
        assert difference is None
    else:
        assert difference is not None, "this case agrees: it does not belong in the table"
        assert difference == deviation.ours
        if deviation.sources:
            assert tuple((name, link) for _, name, link in result["sources"]) == deviation.sources


def _difference(case: Json, run: Run, result: Json) -> str | None:
    """Where ours is not the original's: text or error, sources, requests, number of requests or waits."""
    want = expected(case)
    if result != want:
        return _our_text(result, want, run)
    sent = run.sent()
    if "requests" in case and [_sent(request) for request in sent] != [_recorded(request) for request in case["requests"]]:
        return json.dumps(sent[0]["body"], sort_keys=True, ensure_ascii=False)
    if "requestsSent" in case and run.endpoint is None and len(sent) != case["requestsSent"]:
        return f"requests: {len(sent)}"
    waits = [wait for wait in case.get("secondsBetweenRequests", []) if wait]
    alike = all(abs(ours - theirs) <= 0.5 * theirs for ours, theirs in zip(run.clock.pauses, waits, strict=False))
    return None if alike else f"waits: {run.clock.pauses}"


def _our_text(result: Json, want: Json, run: Run) -> str:
    if "error" in result:
        return f"error:{result['error']}"
    return "as the original" if result["text"] == want.get("text") else run.text


def _sent(request: Json) -> Json:
    return {**request, "path": unquote(request["path"].split("/indexes", 1)[1])}


def _recorded(request: Json) -> Json:
    headers = request["headers"]
    return {
        "method": request["method"],
        "path": request["path"].split("/indexes", 1)[1],
        "body": request["body"],
        "authorization": headers["authorization"].split()[0],
        "accept": headers["accept"].replace(" ", ""),
    }


@pytest.mark.parametrize("case", [c for c in golden_cases("request") if c["requests"]], ids=lambda case: str(case["name"]))
async def test_tokens_are_asked_for_the_scope_of_the_original(case: Json) -> None:
    run = Run(case)

    await run.result()

    assert set(run.credential.scopes) <= {SCOPE}


def _rows() -> list[Any]:
    return [
        pytest.param(group, name, row, id=f"{group}-{name}")
        for group, rows in DEVIATIONS.items()
        for name, row in rows.items()
    ]


@pytest.mark.parametrize(("group", "name", "row"), _rows())
def test_deviation_has_a_case_and_a_reason_that_can_be_read(group: str, name: str, row: Deviation) -> None:
    assert name in {case["name"] for case in golden_cases(group)}
    assert row.problem() is None


@pytest.mark.parametrize("group", list(DEVIATIONS))
def test_deviations_of_a_group_are_capped(group: str) -> None:
    rows = DEVIATIONS[group]
    counts = Counter(row.reason for row in rows.values())
    total = len(golden_cases(group))

    named = " / ".join(f"{reason} {counts[reason]}" for reason in REASONS)
    print(f"{group}: agree {total - len(rows)} / {named}")

    assert len(rows) <= MOST[group]
