"""The service over HTTP: addresses, keys that are ignored, faults as they reach a client, the command line."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from yarl import URL

from emulators.azure_search.analysis.embedding import HashedWords
from emulators.azure_search.server import application
from emulators.azure_search.service import SearchService

from .hotels import DEFINITION, DOCUMENTS

README = Path(__file__).parents[3] / "emulators" / "azure_search" / "README.md"
VERSION = "api-version=2024-07-01"
SEARCH = f"/indexes('inns')/docs/search.post.search?{VERSION}"


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """A client of a served, filled service."""
    server = TestServer(application(SearchService(embedder=HashedWords())))
    await server.start_server()
    async with aiohttp.ClientSession(str(server.make_url("/"))) as client:
        await client.post(f"/indexes?{VERSION}", json=DEFINITION)
        await client.post(f"/indexes('inns')/docs/search.index?{VERSION}", json={"value": DOCUMENTS})
        yield client
    await server.close()


async def order(session: aiohttp.ClientSession, **fault: Any) -> None:
    async with session.post("/local/faults", json=fault) as reply:
        assert reply.status == 201


async def searched(session: aiohttp.ClientSession, **body: Any) -> tuple[int, Any, Any]:
    async with session.post(SEARCH, json={"search": "river", **body}) as reply:
        text = await reply.text()
        return reply.status, json.loads(text) if text.startswith("{") else text, reply.headers


@pytest.mark.parametrize(
    "path", ["/indexes('inns')/docs('1')", "/indexes(%27inns%27)/docs(%271%27)", "/indexes/inns/docs/1"]
)
async def test_addresses_in_every_form(session: aiohttp.ClientSession, path: str) -> None:
    async with session.get(URL(f"{path}?{VERSION}", encoded=True)) as reply:
        assert (reply.status, (await reply.json())["id"]) == (200, "1")


@pytest.mark.parametrize("headers", [{}, {"api-key": "anything"}, {"Authorization": "Bearer x"}])
async def test_keys_and_tokens_are_taken_and_ignored(session: aiohttp.ClientSession, headers: dict[str, str]) -> None:
    async with session.post(SEARCH, json={"search": "river"}, headers=headers) as reply:
        assert reply.status == 200
        assert len((await reply.json())["value"]) == 2


async def test_repeated_facets_of_a_get(session: aiohttp.ClientSession) -> None:
    async with session.get(f"/indexes/inns/docs?search=*&facet=rating&facet=open&{VERSION}") as reply:
        assert set((await reply.json())["@search.facets"]) == {"rating", "open"}


@pytest.mark.parametrize("status", [401, 402, 403, 408, 429, 500, 502, 503, 504])
async def test_a_status_on_order_comes_once(session: aiohttp.ClientSession, status: int) -> None:
    await order(session, operation="search", status=status, code="Fault", message="as ordered")
    given, body, _ = await searched(session)
    assert (given, body) == (status, {"error": {"code": "Fault", "message": "as ordered"}})
    assert (await searched(session))[0] == 200


async def test_retry_after_forms(session: aiohttp.ClientSession) -> None:
    await order(session, status=429, retryAfter=2)
    assert (await searched(session))[2]["Retry-After"] == "2"
    await order(session, status=503, retryAfter=60, retryAfterDate=True)
    _, _, headers = await searched(session)
    waiting = parsedate_to_datetime(headers["Retry-After"]) - parsedate_to_datetime(headers["Date"])
    assert 55 <= waiting.total_seconds() <= 65


async def test_faults_wait_their_turn_and_end(session: aiohttp.ClientSession) -> None:
    await order(session, operation="search", status=503, times=2, after=1)
    assert [(await searched(session))[0] for _ in range(4)] == [200, 503, 503, 200]


async def test_faults_meet_only_what_they_name(session: aiohttp.ClientSession) -> None:
    await order(session, operation="count", index="inns", status=500, times=None)
    assert (await searched(session))[0] == 200
    async with session.get(f"/indexes/inns/docs/$count?{VERSION}") as reply:
        assert reply.status == 500
    async with session.get("/local/faults") as reply:
        assert await reply.json() == {"count": 1}
    async with session.delete("/local/faults") as reply:
        assert reply.status == 204
    async with session.get(f"/indexes/inns/docs/$count?{VERSION}") as reply:
        assert reply.status == 200


async def test_a_delay_comes_before_the_answer(session: aiohttp.ClientSession) -> None:
    await order(session, delay=0.2)
    start = asyncio.get_running_loop().time()
    assert (await searched(session))[0] == 200
    assert asyncio.get_running_loop().time() - start >= 0.2


async def test_a_broken_body(session: aiohttp.ClientSession) -> None:
    await order(session, body='{"value": [')
    async with session.post(SEARCH, json={"search": "river"}) as reply:
        assert (reply.status, reply.content_type, await reply.text()) == (200, "application/json", '{"value": [')


async def test_a_dropped_connection(session: aiohttp.ClientSession) -> None:
    await order(session, dropped=True)
    with pytest.raises(aiohttp.ClientError, match=r"disconnected|reset|closed"):
        await searched(session)


async def test_a_connection_cut_in_the_body(session: aiohttp.ClientSession) -> None:
    await order(session, cut=True)
    with pytest.raises(aiohttp.ClientPayloadError, match="not completed"):
        await searched(session)


@pytest.mark.parametrize(
    ("fault", "message"),
    [({"colour": 1}, "'colour' does not exist"), ({"partial": "tired"}, "partial: "), ({"status": "x"}, "status: ")],
)
async def test_invalid_fault_is_refused(session: aiohttp.ClientSession, fault: dict[str, Any], message: str) -> None:
    async with session.post("/local/faults", json=fault) as reply:
        assert reply.status == 400
        assert message in (await reply.json())["error"]["message"]


async def test_requests_are_captured_while_wanted(session: aiohttp.ClientSession) -> None:
    await searched(session)
    async with session.post("/local/requests") as reply:
        assert reply.status == 204
    await searched(session, top=1)
    async with session.get("/local/requests") as reply:
        shown = (await reply.json())["value"]
    assert [(each["method"], each["body"]) for each in shown] == [("POST", {"search": "river", "top": 1})]
    assert shown[0]["query"] == {"api-version": "2024-07-01"}
    async with session.delete("/local/requests") as reply:
        assert reply.status == 204
    async with session.get("/local/requests") as reply:
        assert await reply.json() == {"value": []}


async def test_definitions_can_need_a_key(session: aiohttp.ClientSession) -> None:
    async with session.put("/local/definitions", json={"needKey": True}) as reply:
        assert reply.status == 204
    async with session.get(f"/indexes('inns')?{VERSION}") as reply:
        assert reply.status == 403
    async with session.get(f"/indexes('inns')?{VERSION}", headers={"api-key": "x"}) as reply:
        assert reply.status == 200
    assert (await searched(session))[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [("GET", "/local/other", {}, 404), ("GET", "/local/requests", {"Authorization": "Bearer x"}, 403)],
)
async def test_the_admin_side_refuses(
    session: aiohttp.ClientSession, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    async with session.request(method, path, headers=headers) as reply:
        assert reply.status == status


async def test_who_calls_can_be_registered(session: aiohttp.ClientSession) -> None:
    async with session.put("/local/callers", json={"token": "t", "user": "ann", "groups": ["red"]}) as reply:
        assert reply.status == 204
    async with session.put("/local/callers", json={"user": "ann"}) as reply:
        assert reply.status == 400


async def test_the_command_serves_alone_and_empty() -> None:
    arguments = (sys.executable, "-m", "emulators.azure_search", "--port", "0")
    process = await asyncio.create_subprocess_exec(*arguments, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 20)).decode()
        address = line.split()[-1]
        async with aiohttp.ClientSession() as client, client.get(f"{address}/indexes?{VERSION}") as reply:
            assert (reply.status, (await reply.json())["value"]) == (200, [])
    finally:
        process.terminate()
        await process.wait()


def test_the_readme_names_every_option() -> None:
    command = (sys.executable, "-m", "emulators.azure_search", "--help")
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    table = README.read_text(encoding="utf-8").partition("| option |")[2].partition("\n\n")[0]
    assert set(re.findall(r"--[a-z][a-z-]+", table)) == set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help"}


async def test_a_busy_port_is_one_clear_line() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    arguments = (sys.executable, "-m", "emulators.azure_search", "--port", str(port))
    process = await asyncio.create_subprocess_exec(*arguments, stderr=asyncio.subprocess.PIPE)
    _, errors = await asyncio.wait_for(process.communicate(), 20)
    server.close()
    assert process.returncode == 1
    assert errors.decode().strip() == f"Port {port} is busy: stop what listens there, or choose another with --port."
