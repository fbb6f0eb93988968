"""HTTP on the wire: limits, malformed requests, connections that are kept, answers that need care."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emulators.functions_host import ConnectionLimits, HostOptions, HostServer
from emulators.functions_host.connection import LONGEST_HEADERS, LONGEST_REQUEST_LINE
from emulators.functions_host.messages import Framing, Response
from tests.emulators.functions_host import apps
from tests.support.http11 import RawResponse, exchange, parse

HOST = "Host: x\r\nConnection: close\r\n"


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[HostServer]:
    async with HostServer(apps.folder(tmp_path), app=apps.echo_app(), settings={}) as running:
        yield running


async def send(host: HostServer, request: str | bytes) -> RawResponse:
    raw = request.encode("latin-1") if isinstance(request, str) else request
    return await asyncio.to_thread(exchange, host.port, raw)


def line_of(length: int) -> str:
    start, end = "GET /api/echo?", " HTTP/1.1\r\n"
    return start + "x" * (length - len(start) - len(end)) + end


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (f"GET /api/echo HTTP/1.1\r\n{HOST}\r\n", 200),
        (f"GET /api/echo HTTP/1.1\n{HOST}\n".replace("\r", ""), 200),
        (f"\r\nGET /api/echo HTTP/1.1\r\n{HOST}\r\n", 200),
        ("GET /api/echo HTTP/1.0\r\n\r\n", 200),
        ("GET /api/echo HTTP/1.1\r\n\r\n", 400),
        (f"GET /api/echo HTTP/1.1\r\nHost: y\r\n{HOST}\r\n", 400),
        ("nonsense\r\n\r\n", 400),
        (f"GET /api/echo HTTP/2.0\r\n{HOST}\r\n", 505),
        (f"GET /api/gr\xfc HTTP/1.1\r\n{HOST}\r\n", 400),
        (f"GET api HTTP/1.1\r\n{HOST}\r\n", 405),
        (f"GET api/echo HTTP/1.1\r\n{HOST}\r\n", 400),
        (f"GET /api/echo%00 HTTP/1.1\r\n{HOST}\r\n", 400),
        (f"GET /api/e\0cho HTTP/1.1\r\n{HOST}\r\n", 400),
        (f"CONNECT x:80 HTTP/1.1\r\n{HOST}\r\n", 400),
        (f"GET http://x/api/echo HTTP/1.1\r\n{HOST}\r\n", 200),
        (f"GET http://y/api/echo HTTP/1.1\r\n{HOST}\r\n", 400),
        ("GET /api/echo HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", 400),
        ("GET /api/echo HTTP/1.1\r\nHost: a:b\r\nConnection: close\r\n\r\n", 400),
        ("GET /api/echo HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n", 200),
        (f"GET /api/echo HTTP/1.1\r\nX: a\r\n b\r\n{HOST}\r\n", 400),
        (f"GET /api/echo HTTP/1.1\r\n{HOST}\r\n body", 200),
        (f"GET /api/echo HTTP/1.1\r\nX Y: 1\r\n{HOST}\r\n", 400),
        (f"GET /api/echo HTTP/1.1\r\nX: gr\xfc\r\n{HOST}\r\n", 400),
        (f"POST /api/echo HTTP/1.1\r\nContent-Length: x\r\n{HOST}\r\n", 400),
        (f"POST /api/echo HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n{HOST}\r\n", 400),
        (f"POST /api/echo HTTP/1.1\r\nTransfer-Encoding: gzip\r\n{HOST}\r\n", 400),
        (f"OPTIONS * HTTP/1.1\r\n{HOST}\r\n", 404),
        (f"{line_of(LONGEST_REQUEST_LINE)}{HOST}\r\n", 200),
        (f"{line_of(LONGEST_REQUEST_LINE + 1)}{HOST}\r\n", 414),
        ("GET /" + "x" * 100_000, 414),
        (f"GET /api/echo HTTP/1.1\r\nX: {'x' * (LONGEST_HEADERS - 100)}\r\n{HOST}\r\n", 200),
        (f"GET /api/echo HTTP/1.1\r\nX: {'x' * LONGEST_HEADERS}\r\n{HOST}\r\n", 431),
        (f"GET /api/echo HTTP/1.1\r\n{HOST}" + "".join(f"X{n}: 1\r\n" for n in range(98)) + "\r\n", 200),
        (f"GET /api/echo HTTP/1.1\r\n{HOST}" + "".join(f"X{n}: 1\r\n" for n in range(99)) + "\r\n", 431),
    ],
)
async def test_status(host: HostServer, request_text: str, status: int) -> None:
    answer = await send(host, request_text)
    assert answer.status == status
    if status != 200:
        assert answer.body == b""
        assert answer.headers["content-length"] == "0"
        assert answer.headers["connection"] == "close"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_are_answered(shared_port: int, noise: bytes) -> None:
    raw = exchange_or_none(shared_port, noise + b"\r\n\r\n")
    assert raw is None or raw.status in (200, 400, 404, 405, 505)


def exchange_or_none(port: int, request: bytes) -> RawResponse | None:
    try:
        return exchange(port, request, ends=True)
    except IndexError:
        return None


@pytest.fixture(scope="module")
def shared_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A host in a loop of its own, for tests whose examples do not run in one."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = HostServer(apps.folder(tmp_path_factory.mktemp("noise")), app=apps.echo_app(), settings={})
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    yield server.port
    asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def read_answer(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    """One chunked or sized answer of a connection that stays."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *fields = head.rstrip("\r\n").split("\r\n")
    headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
    if headers.get("transfer-encoding") != "chunked":
        return line, headers, await reader.readexactly(int(headers["content-length"]))
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)
    return line, headers, body


@pytest.mark.parametrize(
    "first",
    [
        "GET /api/echo HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /api/nosuch HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /api/fail HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /api/nosuch HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
        "POST /api/echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    ],
)
async def test_the_connection_is_kept(host: HostServer, first: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
    writer.write(first.encode())
    await read_answer(reader)
    writer.write(b"POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nsecond")
    line, _, body = await read_answer(reader)
    assert line == "HTTP/1.1 200 OK"
    assert json.loads(body)["body"] == "second"
    writer.close()


async def test_length_beside_transfer_coding(host: HostServer) -> None:
    head = f"POST /api/echo HTTP/1.1\r\n{HOST}Content-Length: 999\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = await send(host, f"{head}3\r\nabc\r\n0\r\n\r\n")
    seen = json.loads(answer.body)
    assert (seen["body"], seen["headers"]["x-content-length"]) == ("", "999")
    assert "content-length" not in seen["headers"]


@pytest.mark.parametrize("body", ["nonsense", "zz\r\nabc\r\n0\r\n\r\n"])
async def test_malformed_chunk(host: HostServer, body: str) -> None:
    answer = await send(host, f"POST /api/echo HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n{body}")
    seen = json.loads(answer.body)
    assert (answer.status, seen["body"], seen["headers"]["transfer-encoding"]) == (200, "", "chunked")


async def test_header_values_are_utf_8(host: HostServer) -> None:
    answer = await send(host, f"GET /api/echo HTTP/1.1\r\nX: gr\u00fc\u00dfe\r\n{HOST}\r\n".encode())
    assert json.loads(answer.body)["headers"]["x"] == "grüße"


async def test_head_of_the_home_page(host: HostServer) -> None:
    whole = await send(host, f"GET / HTTP/1.1\r\n{HOST}\r\n")
    answer = await send(host, f"HEAD / HTTP/1.1\r\n{HOST}\r\n")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-length"] == whole.headers["content-length"] == str(len(whole.body))


IMPATIENT = ConnectionLimits(head_seconds=0.3, body_grace_seconds=0.3, least_body_rate=1e9)


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("GET /api/echo HTTP/1.1\r\nHost: x\r\nX: ", "HTTP/1.1 408 Request Timeout"),
        ("POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf", "HTTP/1.1 500 Internal Server Error"),
    ],
    ids=["headers that never end", "a body that stops half-way"],
)
async def test_a_client_that_stalls(tmp_path: Path, part: str, line: str) -> None:
    options = HostOptions(limits=IMPATIENT)
    async with HostServer(apps.folder(tmp_path), options, app=apps.echo_app(), settings={}) as host:
        reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
        writer.write(part.encode())
        first, headers, body = await read_answer(reader)
        assert (first, headers["connection"], body) == (line, "close", b"")
        assert await reader.read() == b""
        writer.close()


async def test_slow_body_within_the_rate(tmp_path: Path) -> None:
    options = HostOptions(limits=ConnectionLimits(body_grace_seconds=0.3, least_body_rate=1.0))
    async with HostServer(apps.folder(tmp_path), options, app=apps.echo_app(), settings={}) as host:
        reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
        writer.write(b"POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n" + b"x" * 59)
        await asyncio.sleep(0.6)
        writer.write(b"x")
        assert json.loads((await read_answer(reader))[2])["body"] == "x" * 60
        writer.close()


@pytest.mark.parametrize(("limit", "length", "status"), [("10", 10, 200), ("10", 11, 500), ("ten", 11, 200), ("", 11, 200)])
async def test_body_limit_setting(tmp_path: Path, limit: str, length: int, status: int) -> None:
    settings = {"FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": limit}
    async with HostServer(apps.folder(tmp_path), app=apps.echo_app(), settings=settings) as host:
        request = f"POST /api/echo HTTP/1.1\r\n{HOST}Content-Length: {length}\r\n\r\n{'x' * length}"
        answer = await send(host, request)
    assert (answer.status, answer.body == b"") == (status, status == 500)


async def test_pipelined_requests(host: HostServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
    writer.write(b"".join(b"GET /api/echo?n=%d HTTP/1.1\r\nHost: x\r\n\r\n" % number for number in range(3)))
    numbers = [json.loads((await read_answer(reader))[2])["params"]["n"] for _ in range(3)]
    assert numbers == ["0", "1", "2"]
    writer.close()


async def test_continue_only_when_the_body_is_read(host: HostServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
    writer.write(b"POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(b"ab")
    assert json.loads((await read_answer(reader))[2])["body"] == "ab"
    writer.write(b"POST /api/nosuch HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert (await read_answer(reader))[0] == "HTTP/1.1 404 Not Found"
    assert await reader.read() == b""
    writer.close()


async def test_no_continue_when_the_body_is_there(host: HostServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
    writer.write(b"POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab")
    line, _, body = await read_answer(reader)
    assert (line, json.loads(body)["body"]) == ("HTTP/1.1 200 OK", "ab")
    writer.close()


@pytest.mark.parametrize(("part", "received"), [(b"GET /api/echo HTTP/1.1\r\nHos", b"HTTP/1.1 400 Bad Request"), (b"", b"")])
async def test_a_client_that_stops_in_the_head(host: HostServer, part: bytes, received: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
    writer.write(part)
    writer.write_eof()
    assert (await reader.read()).partition(b"\r\n")[0] == received
    writer.close()


async def test_client_that_leaves(host: HostServer) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", host.port)
    writer.write(b"POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
    await writer.drain()
    writer.transport.abort()
    assert (await send(host, f"GET /api/echo HTTP/1.1\r\n{HOST}\r\n")).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("Content-Length", "0")], 500),
        ([("Content-Length", "x")], 500),
        ([("Content-Length", "1")], 200),
        ([("Content-Length", "50")], 200),
        ([("X-A", "a\x01b")], 500),
        ([("X-A", "tab\there")], 200),
        ([("", "x")], 500),
        ([("Connection", "close")], 200),
    ],
)
async def test_headers_of_an_answer(tmp_path: Path, headers: list[tuple[str, str]], status: int) -> None:
    app = apps.headers_app(headers)
    async with HostServer(apps.folder(tmp_path), app=app, settings={}) as host:
        answer = await send(host, f"GET /api/answer HTTP/1.1\r\n{HOST}\r\n")
    assert answer.status == status
    assert answer.body == (b"x" if status == 200 else b"")


@pytest.mark.parametrize(
    ("method", "http_1_0", "answer", "head_has", "closes"),
    [
        ("GET", False, Response(200, (), b"x"), "Transfer-Encoding: chunked", False),
        ("GET", True, Response(200, (), b"x"), "Connection: close", True),
        ("GET", False, Response(200, (), b"x", sized=True), "Content-Length: 1", False),
        ("GET", False, Response(200), "Content-Length: 0", False),
        ("GET", False, Response(1000, (), b"x"), "HTTP/1.1 1000 \r\n", False),
        ("HEAD", False, Response(200, (("Content-Length", "5"),), b"12345"), "Content-Length: 5", False),
        ("GET", False, Response(200, (("Transfer-Encoding", "identity"),), b"x"), "Connection: close", True),
        ("GET", False, Response(200, (("Server", "mine"),), b"x"), "Server: mine", False),
    ],
)
def test_framing(method: str, http_1_0: bool, answer: Response, head_has: str, closes: bool) -> None:
    framing = Framing(method=method, http_1_0=http_1_0, keep_alive=not http_1_0, answer=answer)
    assert framing.valid
    assert head_has in framing.head().decode()
    assert framing.closes is closes
    assert framing.head().count(b"Server:") == 1


@given(st.binary(max_size=300_000))
def test_a_chunked_body_arrives_whole(body: bytes) -> None:
    framing = Framing(method="GET", http_1_0=False, keep_alive=True, answer=Response(200, (), body))
    assert parse(framing.head() + b"".join(framing.pieces())).body == body
