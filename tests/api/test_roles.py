"""Callers over the host: each role × route × index in `entra` mode, keys in `function` mode, forged headers in all."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from emulators.azure_search.server import application
from emulators.functions_host import Authentication, HostOptions, HostServer, Keys, Principal
from local.azurite import Azurite
from local.sample_settings import INSPECTIONS, SCHOOLS, app_settings
from tests.support.app import sample_service
from tests.test_function_app import HTTP

ROOT = Path(__file__).resolve().parents[2]
READ, SUBMIT, SEE = "Evidence.Read", "Briefings.Submit", "Briefings.Read"
CALLERS = {
    "nobody": (),
    "reader": (READ,),
    "submitter": (SUBMIT,),
    "viewer": (SEE,),
    "inspector": (READ, SUBMIT, SEE, "Inspectors"),
    "plain": (READ, SUBMIT, SEE),
}
ROUTE_ROLE = {
    **dict.fromkeys(HTTP, READ),
    **dict.fromkeys(("submit_briefings", "delete_briefing", "delete_batch", "retry_batch"), SUBMIT),
    **dict.fromkeys(("get_briefing", "get_batch", "list_batch", "briefing_definitions", "briefing_rejections"), SEE),
}
OPEN_ROUTES = {"live"}
SETTINGS = {
    "AiAgents__AISearch__Indexes": json.dumps([SCHOOLS, INSPECTIONS | {"AllowedRoles": ["Inspectors"]}]),
    "AiAgents__KnowledgeAgents": json.dumps(
        [
            {"Name": "open", "Indexes": [{"Name": "schools"}]},
            {"Name": "closed", "Indexes": [{"Name": "schools"}, {"Name": "inspections"}]},
        ]
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def search() -> AsyncIterator[str]:
    """The sample data behind an address."""
    runner = web.AppRunner(application(await sample_service()))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def entra(search: str, azurite: Azurite) -> AsyncIterator[str]:
    """The app in `entra` mode behind App Service authentication."""
    principals = {name: Principal(name=name, id=name, roles=roles) for name, roles in CALLERS.items()}
    options = HostOptions(authentication=Authentication(principals), taken_visibility=30)
    settings = app_settings(search, azurite.connection_string) | SETTINGS | {"AiAgents__Auth__Mode": "entra"}
    async with HostServer(ROOT, options, settings=settings) as host:
        yield f"{host.url}/api"


async def status(app: str, name: str, headers: dict[str, str], body: Any = None) -> tuple[int, Any]:
    """Status and code of a call of a route by its function's name."""
    route, methods = HTTP[name]
    path = route.replace("{key}", "('open')").replace("{agentName}", "open").replace("{id}", "nobody-knows")
    async with (
        aiohttp.ClientSession() as session,
        session.request(methods[0], f"{app}/{path}", json={} if body is None else body, headers=headers) as reply,
    ):
        text = await reply.text()
        found = json.loads(text) if text else {}
        return reply.status, found.get("code") or found.get("error", {}).get("code")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("name", [name for name in HTTP if name not in OPEN_ROUTES])
async def test_each_role_on_each_route(entra: str, caller: str, name: str) -> None:
    found = await status(entra, name, {"Authorization": f"Bearer {caller}"})
    if ROUTE_ROLE[name] in CALLERS[caller]:
        assert found[0] not in (401, 403)
    else:
        assert found == (403, "role_required")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", [name for name in HTTP if name not in OPEN_ROUTES])
async def test_without_a_principal(entra: str, name: str) -> None:
    assert await status(entra, name, {}) == (401, "principal_required")


def forged(*roles: str) -> dict[str, str]:
    """Platform headers that a caller makes up."""
    claims = [{"typ": "roles", "val": role} for role in roles]
    value = base64.b64encode(json.dumps({"claims": claims, "role_typ": "roles"}).encode()).decode()
    return {"X-MS-CLIENT-PRINCIPAL": value, "X-MS-CLIENT-PRINCIPAL-ID": "forged"}


@pytest.mark.asyncio(loop_scope="module")
async def test_forged_headers_are_worthless_behind_authentication(entra: str) -> None:
    everything = forged(READ, SUBMIT, SEE, "Inspectors")
    assert (await status(entra, "indexes", everything))[0] == 401
    body = {"index": "inspections", "query": "car"}
    assert await status(entra, "search", everything | {"Authorization": "Bearer reader"}, body) == (403, "role_required")


@pytest.mark.asyncio(loop_scope="module")
async def test_live_is_open(entra: str) -> None:
    assert (await status(entra, "live", {}))[0] == 200


SEARCH = {"index": "inspections", "query": "electric car"}
RETRIEVE = {"messages": [{"role": "user", "content": [{"type": "text", "text": "electric car"}]}]}
RESTRICTED = [
    ("search", SEARCH),
    ("evidence", {"searches": [{"index": "schools", "query": "chess"}, SEARCH]}),
    ("answers", {"prompt": "What is raced?", "searches": [SEARCH]}),
    ("context", {"messages": [{"role": "user", "text": "electric car"}]}),
    ("tool_search", {"userQuestion": "electric car"}),
    ("submit_briefings", {"briefings": [{"briefing": "inspection-summary", "parameters": {"urn": "900016"}}]}),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("caller", "allowed"), [("plain", False), ("inspector", True)])
@pytest.mark.parametrize(("name", "body"), RESTRICTED, ids=[row[0] for row in RESTRICTED])
async def test_an_index_with_roles_wherever_it_is_read(entra: str, caller: str, allowed: bool, name: str, body: Any) -> None:
    found = await status(entra, name, {"Authorization": f"Bearer {caller}"}, body)
    assert found == ((202 if name == "submit_briefings" else 200, None) if allowed else (403, "role_required"))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("caller", "expected"), [("plain", 403), ("inspector", 200)])
async def test_an_agent_over_an_index_with_roles(entra: str, caller: str, expected: int) -> None:
    address = f"{entra}/agents/closed/retrieve?api-version=2025-05-01-preview"
    headers = {"Authorization": f"Bearer {caller}"}
    async with aiohttp.ClientSession() as session, session.post(address, json=RETRIEVE, headers=headers) as reply:
        assert reply.status == expected


@pytest.mark.asyncio(loop_scope="module")
async def test_a_briefing_is_read_with_the_roles_of_its_indexes(entra: str) -> None:
    body = {"briefings": [{"id": "roles-1", "briefing": "inspection-summary", "parameters": {"urn": "900016"}}]}
    assert (await status(entra, "submit_briefings", {"Authorization": "Bearer inspector"}, body))[0] == 202
    async with aiohttp.ClientSession() as session:
        for caller, expected in (("plain", 403), ("inspector", 200)):
            for query in ("", "?format=html"):
                headers = {"Authorization": f"Bearer {caller}"}
                async with session.get(f"{entra}/briefings/roles-1{query}", headers=headers) as reply:
                    assert reply.status == expected


@pytest.mark.asyncio(loop_scope="module")
async def test_keys_in_function_mode_and_no_roles_there(search: str, azurite: Azurite) -> None:
    settings = app_settings(search, azurite.connection_string) | SETTINGS | {"AiAgents__Auth__Mode": "function"}
    options = HostOptions(keys=Keys(function="f-key", host="h-key", master="m-key"))
    async with HostServer(ROOT, options, settings=settings) as host:
        app = f"{host.url}/api"
        for name in HTTP:
            assert (await status(app, name, {}))[0] == (200 if name in OPEN_ROUTES else 401), name
        key = {"x-functions-key": "f-key"}
        assert (await status(app, "search", key, {"index": "schools", "query": "chess"}))[0] == 200
        assert await status(app, "search", key, SEARCH) == (403, "role_required")
        assert await status(app, "search", key | forged(READ, "Inspectors"), SEARCH) == (403, "role_required")
