"""The rings around every handler: ids, order of checks, capacity, errors that say nothing of their content."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from emulators.azure_search.service import SearchService
from local.sample_settings import INSPECTIONS, SCHOOLS, TRUSTS
from shared.api import (
    ANSWERS,
    CITATIONS,
    CONTEXT,
    CONTEXT_REMEMBER,
    EVIDENCE,
    GET_BRIEFING,
    INDEXES,
    READY,
    SEARCH,
    Reply,
    Request,
    Route,
    answer_live,
)
from shared.api.routes import Call
from shared.api.services import Services
from shared.retrieval import MAX_ERRORS, MAX_JSON_DEPTH
from tests.support.app import App, app_over, body_of
from tests.support.principals import principal

QUERY = {"index": "schools", "query": "choir"}


def code_of(reply: Reply) -> tuple[int, str]:
    """Status and code of a problem reply, whose shape is checked on the way."""
    body = body_of(reply)
    assert reply.content_type == "application/problem+json"
    assert body.keys() == {"type", "title", "status", "detail", "code", "errors", "requestId"}
    assert body["status"] == reply.status
    assert reply.headers["x-ms-client-request-id"] == body["requestId"]
    return reply.status, body["code"]


IDS = [
    ("abc-1", True),
    ("a" * 128, True),
    ("a" * 129, False),
    ("", False),
    ("grüße", False),
    ("a b", True),
    ("a\x7f", False),
    ("a\r\nb", False),
    ("a\tb", False),
]


@pytest.mark.parametrize(("given", "echoed"), IDS)
async def test_request_id(app: App, given: str, echoed: bool) -> None:
    reply = await app.call(SEARCH, QUERY, headers={"x-ms-client-request-id": given})
    shown = reply.headers["x-ms-client-request-id"]
    assert (shown == given) is echoed
    assert shown.isascii()
    assert 0 < len(shown) <= 128
    live = answer_live(Request(method="GET", headers={"x-ms-client-request-id": given}))
    assert (live.status, live.headers["x-ms-client-request-id"] == given) == (200, echoed)


async def test_content_is_not_stored_and_not_sniffed(app: App) -> None:
    for reply in (await app.call(SEARCH, QUERY), await app.call(SEARCH, b"{")):
        assert reply.headers["Cache-Control"] == "no-store"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"


BIG = b'{"index": "' + b"x" * (1024 * 1024) + b'"}'
BODIES = [
    ("chunked", {"transfer-encoding": "chunked"}, b"", 411, "length_required"),
    ("chunked beats type", {"transfer-encoding": "Chunked", "content-type": "text/plain"}, b"", 411, "length_required"),
    ("too long", {}, BIG, 413, "body_too_large"),
    ("too long beats type", {"content-type": "text/plain"}, BIG, 413, "body_too_large"),
    ("declared too long", {"content-length": "1048577"}, b"{}", 413, "body_too_large"),
    ("declared far too long", {"content-length": "9" * 5000}, b"{}", 413, "body_too_large"),
    ("text", {"content-type": "text/plain"}, b"{}", 415, "unsupported_media_type"),
    ("form", {"content-type": "application/x-www-form-urlencoded"}, b"a=b", 415, "unsupported_media_type"),
    ("charset", {"content-type": "application/json; charset=latin-1"}, b"{}", 415, "unsupported_media_type"),
    ("gzip", {"content-encoding": "gzip"}, b"{}", 415, "unsupported_encoding"),
    ("identity", {"content-encoding": "identity"}, b"{}", 415, "unsupported_encoding"),
    ("no json", {}, b"{", 400, "invalid_json"),
    ("no object", {}, b"[]", 400, "wrong_type"),
    ("member", {}, b'{"index": "schools"}', 400, "invalid_request"),
    ("unknown index", {}, b'{"index": "Schools", "query": "x"}', 400, "unknown_index"),
]


@pytest.mark.parametrize(("headers", "body", "status", "code"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
async def test_refused_bodies(app: App, headers: dict[str, str], body: bytes, status: int, code: str) -> None:
    assert code_of(await app.call(SEARCH, body, headers=headers)) == (status, code)


ACCEPTED = [
    "application/json",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json; charset='utf-8'",
    "application/x+json",
    "",
]


@pytest.mark.parametrize("content_type", ACCEPTED)
async def test_accepted_content_types(app: App, content_type: str) -> None:
    assert (await app.call(SEARCH, QUERY, headers={"content-type": content_type})).status == 200


async def test_no_body_of_a_caller_is_echoed(app: App) -> None:
    canary = "CANARY_77"
    for body in (f'{{"{canary}": 1}}', f'{{"index": "{canary}", "query": "{canary}"}}', f'{{"a": "{canary}"', f'"{canary}"'):
        reply = await app.call(SEARCH, body.encode())
        text = reply.content().decode()
        assert reply.status == 400
        assert canary not in text.replace(f"$.{canary}", "")


async def raising(services: Services, call: Call) -> Reply:
    """A handler with a fault that holds content."""
    raise KeyError("CANARY-KEY")


async def test_a_fault_of_ours_says_nothing(app: App) -> None:
    reply = await app.call(Route(name="search", handle=raising))
    assert code_of(reply) == (500, "internal_error")
    assert b"CANARY" not in reply.content()


async def test_cancellation_goes_through(app: App) -> None:
    async def waiting(services: Services, call: Call) -> Reply:
        await asyncio.sleep(60)
        raise AssertionError("not reached")

    task = asyncio.create_task(app.call(Route(name="search", handle=waiting)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with app.services.capacity.place():
        pass


@pytest.mark.parametrize(("length", "away"), [(2, False), (100_000, True)])
async def test_long_bodies_are_read_in_a_thread(app: App, length: int, away: bool) -> None:
    readers: list[int] = []

    async def handle(services: Services, call: Call) -> Reply:
        return Reply()

    def read(request: Request) -> None:
        readers.append(threading.get_ident())

    reply = await app.call(Route(name="search", handle=handle, read=read), b" " * length)
    assert reply.status == 200
    assert [reader != threading.get_ident() for reader in readers] == [away]


LONG_FILTER = {"equals": {"number_on_roll": list(range(8_000))}}
FILTERED = [
    (SEARCH, QUERY | {"filter": LONG_FILTER}),
    (EVIDENCE, {"searches": [QUERY | {"filter": LONG_FILTER}]}),
    (ANSWERS, {"prompt": "choir", "searches": [QUERY | {"filter": LONG_FILTER}]}),
]


@pytest.mark.parametrize(("route", "body"), FILTERED, ids=lambda value: getattr(value, "name", ""))
async def test_other_calls_go_on_while_a_long_filter_is_built(service: SearchService, route: Route, body: Any) -> None:
    indexes = json.dumps([{"Name": "schools", "ContentFields": ["name"], "FilterFields": ["town"]}])
    settings = {"AiAgents__AISearch__Indexes": indexes, "AiAgents__KnowledgeAgents": "", "AiAgents__Context__Index": "",
                "AiAgents__Context__Unfiltered": ""}  # fmt: skip
    async with app_over(service, settings) as app:
        call = asyncio.create_task(app.call(route, body))
        turns = 0
        while not call.done():
            await asyncio.sleep(0.005)
            turns += 1
        assert code_of(call.result()) == (400, "filter_field_not_allowed")
        assert turns > 5


async def test_too_many_calls_at_once(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__MaxConcurrentRequests": "2"}) as app:
        begun, go_on = asyncio.Semaphore(0), asyncio.Event()

        async def waiting(services: Services, call: Call) -> Reply:
            begun.release()
            await go_on.wait()
            return Reply()

        route = Route(name="search", handle=waiting)
        held = [asyncio.create_task(app.call(route)) for _ in range(2)]
        for _ in held:
            await begun.acquire()
        refused = await app.call(SEARCH, QUERY)
        assert code_of(refused) == (429, "too_many_requests")
        assert refused.headers["Retry-After"] == "1"
        assert (await app.call(READY)).status in (200, 503)
        go_on.set()
        assert [reply.status for reply in await asyncio.gather(*held)] == [200, 200]
        assert (await app.call(SEARCH, QUERY)).status == 200


async def test_briefing_calls_take_at_most_half_of_the_places(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__MaxConcurrentRequests": "4"}) as app:
        begun, go_on = asyncio.Semaphore(0), asyncio.Event()

        async def waiting(services: Services, call: Call) -> Reply:
            begun.release()
            await go_on.wait()
            return Reply()

        stored = replace(GET_BRIEFING, handle=waiting)
        where = {"id": "a"}
        held = [asyncio.create_task(app.call(stored, route_params=where)) for _ in range(2)]
        for _ in held:
            await begun.acquire()
        assert code_of(await app.call(stored, route_params=where)) == (429, "too_many_requests")
        assert (await app.call(SEARCH, QUERY)).status == 200
        go_on.set()
        assert [reply.status for reply in await asyncio.gather(*held)] == [200, 200]
        assert (await app.call(stored, route_params=where)).status == 200


async def test_missing_settings_name_themselves(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__AISearch__Endpoint": "", "AiAgents__AISearch__TimeoutSeconds": "x"}) as app:
        reply = await app.call(SEARCH, QUERY)
        assert code_of(reply) == (503, "not_configured")
        paths = [error["path"] for error in body_of(reply)["errors"]]
        assert paths == ["AiAgents__AISearch__Endpoint", "AiAgents__AISearch__TimeoutSeconds"]
        assert code_of(await app.call(SEARCH, b"{")) == (400, "invalid_json"), "members are looked at first"
        filtered = QUERY | {"filter": {"equals": {}, "raw": "a eq"}}
        assert (await app.call(SEARCH, filtered)).status == 400, "so are filters"
        assert (await app.call(EVIDENCE, {"searches": [filtered]})).status == 400
        assert (await app.call(ANSWERS, {"prompt": "x", "searches": [filtered]})).status == 400
        citations = await app.call(CITATIONS, {"answer": "x", "sources": []})
        assert citations.status == 200, "citations need no search settings"


async def test_a_wrong_index_takes_out_itself_alone(service: SearchService) -> None:
    indexes = json.dumps([SCHOOLS, {**INSPECTIONS, "MinimumRerankerScore": 9}, {**TRUSTS, "KeyField": "urn", "keyfield": 1}])
    agents = json.dumps([{"Name": "reports", "Indexes": [{"Name": "inspections"}]}])
    settings = {
        "AiAgents__AISearch__Indexes": indexes,
        "AiAgents__KnowledgeAgents": agents,
        "AiAgents__Context__Index": "schools",
        "AiAgents__Foundry__Endpoint": "https://foundry.example.org",
    }
    async with app_over(service, settings) as app:
        assert (await app.call(SEARCH, QUERY)).status == 200
        for name in ("inspections", "trusts"):
            assert code_of(await app.call(SEARCH, QUERY | {"index": name})) == (503, "not_configured")
        assert [index["name"] for index in body_of(await app.call(INDEXES))["indexes"]] == ["schools"]
        ready = body_of(await app.call(READY))
        wrong = {check["name"] for check in ready["checks"] if not check["ok"] and ":" in check["name"]}
        place = "setting:AiAgents__AISearch__Indexes"
        assert wrong == {f"{place}[1].MinimumRerankerScore", f"{place}[2]"}
        assert "AiAgents__Foundry__Endpoint: Is not read by this app." in ready["warnings"]


async def test_a_wrong_setting_of_briefings_hides_no_other_check(service: SearchService) -> None:
    settings = {"AiAgents__Briefings__MaxConcurrency": "x", "AiAgents__AISearch__TimeoutSeconds": "x"}
    async with app_over(service, settings) as app:
        ready = await app.call(READY)
        names = [check["name"] for check in body_of(ready)["checks"]]
        assert (ready.status, body_of(ready)["status"]) == (503, "not_ready")
        assert {f"setting:{name}" for name in settings} <= set(names)
    async with app_over(service, {"AiAgents__Briefings__MaxConcurrency": "x"}) as app:
        checks = {check["name"]: check["ok"] for check in body_of(await app.call(READY))["checks"]}
        assert checks["index:schools"]
        assert not checks["setting:AiAgents__Briefings__MaxConcurrency"]


@pytest.mark.parametrize("padding", [0, 9_000])
@pytest.mark.parametrize("levels", [62, 63, 98, 99, 200, 900, 982, 5_000, 100_000])
async def test_deep_json_is_told_whatever_reads_it(app: App, levels: int, padding: int) -> None:
    """The body is one level, the state another; a long body is read in a thread, whose stack is another."""
    nested = "[" * levels + "]" * levels
    body = f'{{"messages": [{{"role": "user", "text": "x"}}], "state": {{"a": {nested}}}}}'
    for route in (CONTEXT, CONTEXT_REMEMBER):
        reply = await app.call(route, body.encode() + b" " * padding)
        assert reply.status < 500
        if levels + 2 > MAX_JSON_DEPTH:
            assert code_of(reply) == (400, "too_deep")


async def test_an_unusable_mode_closes_every_route(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__Auth__Mode": "everyone"}) as app:
        for route, body in ((SEARCH, QUERY), (CITATIONS, {"answer": "x", "sources": []}), (INDEXES, None)):
            assert code_of(await app.call(route, body)) == (503, "not_configured")
        ready = await app.call(READY)
        assert ready.status == 503
        assert "setting:auth" in [check["name"] for check in body_of(ready)["checks"]]


ENTRA = {"AiAgents__Auth__Mode": "entra", "WEBSITE_AUTH_ENABLED": "True"}
PRINCIPALS = [
    ("none", {}, 401, "principal_required"),
    ("no base64", {"x-ms-client-principal": "!"}, 401, "principal_required"),
    ("no json", {"x-ms-client-principal": base64.b64encode(b"{").decode()}, 401, "principal_required"),
    ("no claims", {"x-ms-client-principal": base64.b64encode(b"{}").decode()}, 401, "principal_required"),
    ("a list", {"x-ms-client-principal": base64.b64encode(b"[]").decode()}, 401, "principal_required"),
    ("no role", principal(), 403, "role_required"),
    ("other role", principal("Briefings.Read"), 403, "role_required"),
    ("a list as claim type", principal(claims=[{"typ": ["roles"], "val": "Evidence.Read"}]), 403, "role_required"),
    (
        "a list as role type",
        principal(role_typ=["scp"], claims=[{"typ": "scp", "val": "Evidence.Read"}]),
        403,
        "role_required",
    ),
    ("too long", principal(*["Evidence.Read"] * 5_000), 401, "principal_too_long"),
    ("a claim without type", principal(role_typ=None, claims=[{"val": "Evidence.Read"}]), 403, "role_required"),
    ("role of another claim", principal(claims=[{"typ": "scp", "val": "Evidence.Read"}]), 403, "role_required"),
]


@pytest.mark.parametrize(("headers", "status", "code"), [row[1:] for row in PRINCIPALS], ids=[row[0] for row in PRINCIPALS])
async def test_principals_that_do_not_open(service: SearchService, headers: dict[str, str], status: int, code: str) -> None:
    async with app_over(service, ENTRA) as app:
        assert code_of(await app.call(SEARCH, b"{", headers=headers)) == (status, code), "before the body is looked at"


async def test_roles_of_an_index(service: SearchService) -> None:
    indexes = json.dumps([{"Name": "schools", "ContentFields": ["name"], "AllowedRoles": ["Inspectors"]}])
    settings = {"AiAgents__AISearch__Indexes": indexes, "AiAgents__KnowledgeAgents": "", "AiAgents__Context__Index": "",
                "AiAgents__Context__Unfiltered": ""}  # fmt: skip
    async with app_over(service, settings | ENTRA) as app:
        reader, inspector = principal("Evidence.Read"), principal("Evidence.Read", "Inspectors")
        assert code_of(await app.call(SEARCH, QUERY, headers=reader)) == (403, "role_required")
        assert (await app.call(SEARCH, QUERY, headers=inspector)).status == 200
        assert body_of(await app.call(INDEXES, headers=reader))["indexes"] == []
        assert len(body_of(await app.call(INDEXES, headers=inspector))["indexes"]) == 1
    async with app_over(service, settings) as app:
        forged = await app.call(EVIDENCE, {"searches": [QUERY]}, headers=inspector)
        assert code_of(forged) == (403, "role_required"), "nobody has roles in this mode, whatever the headers say"
        ready = body_of(await app.call(READY))
        assert any("AllowedRoles" in warning for warning in ready["warnings"])


async def test_a_redactor_that_cannot_be_made_is_a_warning(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__Telemetry__Redactor": "no.such.module:CANARY"}) as app:
        ready = body_of(await app.call(READY))
    assert ready["warnings"] == ["AiAgents__Telemetry__Redactor names a class that cannot be made. Texts are erased."]


async def test_telemetry_that_would_leak_closes_every_route(app: App) -> None:
    app.services.telemetry.unsafe = True
    try:
        assert code_of(await app.call(SEARCH, QUERY)) == (503, "telemetry_unsafe")
        ready = await app.call(READY)
        assert (ready.status, body_of(ready)["status"]) == (503, "not_ready")
    finally:
        app.services.telemetry.unsafe = False


async def test_readiness_is_kept_briefly(app: App) -> None:
    first = await app.call(READY)
    again = await app.call(READY)
    assert first.body is again.body
    assert replace(again, headers={}) == replace(first, headers={})


HOSTILE = [
    ("values", b'{"a": [' + b"1," * 400_000 + b"1]}", (413, "too_many_values")),
    ("empty lists", b'{"a": [' + b"[]," * 250_000 + b"1]}", (413, "too_many_values")),
    ("empty objects", b"[" + b"{}," * 300_000, (413, "too_many_values")),
    ("brackets in texts", b'{"a": ["' + b"[{,}]" * 100_000 + b'"]}', (400, "invalid_request")),
    ("commas in texts", b'{"a": "' + b'\\",' * 250_000 + b'"}', (400, "invalid_request")),
    ("open text", b'{"a": "' + b'\\",' * 250_000, (400, "invalid_json")),
    ("depth", b'{"a":' * 70, (400, "too_deep")),
    ("closed and opened", b"[" + b"[],[]," * 70 + b"1]", (400, "wrong_type")),
    ("unknown keys", json.dumps({f"k{n}": n for n in range(50_000)}).encode(), (400, "invalid_request")),
    ("a key many times", b"{" + b'"a":1,' * 90_000 + b'"a":1}', (400, "duplicate_key")),
    ("byte order mark", b"\xef\xbb\xbf" + json.dumps(QUERY).encode(), (200, None)),
]


@pytest.mark.parametrize(("body", "expected"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
async def test_hostile_bodies(app: App, body: bytes, expected: tuple[int, str | None]) -> None:
    reply = await app.call(SEARCH, body)
    assert (reply.status, body_of(reply).get("code")) == expected
    assert len(body_of(reply).get("errors", [])) <= MAX_ERRORS
