"""One HTTP/1.1 connection: h11 reads the requests, Kestrel's limits are laid over it, answers are written as they are.

h11 only reads here: the real host also sends bytes that no library would write, such as a status of 1000 or a wrong length.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import h11

from .messages import Framing, Headers, Request, Response

LOG = logging.getLogger("emulators.functions_host")
# Kestrel's limits; past them the answer comes before any function.
LONGEST_REQUEST_LINE = 8192
LONGEST_HEADERS = 32768
MOST_HEADERS = 100
READ_SIZE = 262_144
DRAIN_SECONDS = 5.0
END_OF_HEAD = re.compile(rb"\n\r?\n")
FOLDED = re.compile(rb"\n[ \t]+[^ \t\r\n]")
# Kestrel's `HttpUtilities.IsHostHeaderValid`: a name or an address, and a port in digits.
HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9!$&'()\-._~]*)(?::[0-9]+)?")
LENGTH = re.compile(rb"\ncontent-length[ \t]*:", re.IGNORECASE)
VERSIONS = (b"1.0", b"1.1")

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    """How much and how long a client may send; the defaults are those of the Functions host and of Kestrel below it.

    largest_body: bytes. head_seconds: from the first byte of a request to the end of its head. body_grace_seconds and
    least_body_rate: a body that is not there after the grace fails once it comes slower than so many bytes a second.
    idle_seconds: how long a connection waits for its next request.
    """

    largest_body: int = 104_857_600
    head_seconds: float = 30.0
    body_grace_seconds: float = 5.0
    least_body_rate: float = 240.0
    idle_seconds: float = 130.0


class Refused(Exception):
    """The request is answered with this status and the connection closed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class BodyFailed(Exception):
    """The body is over the host's limit, or its rest does not come: an empty 500."""


class Connection:
    """Serves one client until it or an answer ends the connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        handler: Handler,
        limits: ConnectionLimits,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._handler = handler
        self._limits = limits
        self._received = b""

    async def run(self) -> None:
        """Answers requests one after another; ends quietly when the client goes away."""
        try:
            while await self._serve_one():
                pass
        except (ConnectionError, TimeoutError, h11.RemoteProtocolError):
            LOG.debug("a client went away")
        finally:
            self._writer.close()

    async def _serve_one(self) -> bool:
        try:
            exchange = await self._read_head()
        except Refused as refused:
            await self._write(Framing(method="GET", http_1_0=False, keep_alive=False, answer=Response(refused.status)))
            return False
        if exchange is None:
            return False
        answer = await self._answer(exchange)
        framing = exchange.framing(answer)
        if not framing.valid:
            framing = exchange.framing(Response(500))
        await self._write(framing)
        if framing.closes or not await exchange.drain():
            return False
        self._received = exchange.rest()
        return True

    async def _answer(self, exchange: Exchange) -> Response:
        try:
            return await self._handler(exchange.request)
        except BodyFailed:
            exchange.keep_alive = False
            return Response(500)

    async def _write(self, framing: Framing) -> None:
        self._writer.write(framing.head())
        for piece in framing.pieces():
            self._writer.write(piece)
            await self._writer.drain()
        await self._writer.drain()

    async def _read_head(self) -> Exchange | None:
        """The next request, or None when the client has closed; raises `Refused`."""
        late = asyncio.get_running_loop().time() + self._limits.head_seconds if self._received else None
        while not (end := END_OF_HEAD.search(self._received.lstrip(b"\r\n"))):
            _check_limits(self._received)
            data = await self._receive(late)
            late = late or asyncio.get_running_loop().time() + self._limits.head_seconds
            if not data:
                if self._received:
                    raise Refused(400)
                return None
            self._received += data
        self._received = self._received.lstrip(b"\r\n")
        head = self._received[: end.end()]
        _check_limits(head)
        # h11 accepts a length that is given twice with one value, and folded headers; Kestrel does not.
        if len(LENGTH.findall(head)) > 1 or FOLDED.search(head):
            raise Refused(400)
        return Exchange(self._reader, self._writer, self._received, self._limits)

    async def _receive(self, late: float | None) -> bytes:
        """More of the head; `late` is the time on the loop's clock until which it must be whole, None before it begins."""
        if late is None:
            return await asyncio.wait_for(self._reader.read(READ_SIZE), self._limits.idle_seconds)
        try:
            async with asyncio.timeout_at(late):
                return await self._reader.read(READ_SIZE)
        except TimeoutError:
            raise Refused(408) from None


class Exchange:
    """One request as h11 reads it: its head now, its body when somebody asks."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, received: bytes, limits: ConnectionLimits
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._limits = limits
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_REQUEST_LINE + LONGEST_HEADERS)
        self._ended = False
        self._told_to_continue = False
        try:
            self._parser.receive_data(received)
            head = self._parser.next_event()
        except h11.RemoteProtocolError:
            raise Refused(400) from None
        if not isinstance(head, h11.Request):
            raise Refused(400)
        self._head = head
        _check_head(head)
        self.http_1_0 = head.http_version == b"1.0"
        self.keep_alive = not self.http_1_0 and b"close" not in self._values(b"connection").lower()
        self.request = Request(
            method=head.method.decode("ascii"), target=head.target, headers=self._headers(), read=self._read_body
        )

    def _headers(self) -> Headers:
        headers = [(name.decode("ascii"), value.decode("utf-8")) for name, value in self._head.headers.raw_items()]
        if self._values(b"transfer-encoding"):
            # A length beside a transfer coding does not count; Kestrel keeps it under another name.
            headers = [("X-Content-Length" if name.lower() == "content-length" else name, value) for name, value in headers]
        return tuple(headers)

    def framing(self, answer: Response) -> Framing:
        """How `answer` is written to this request."""
        return Framing(method=self.request.method, http_1_0=self.http_1_0, keep_alive=self.keep_alive, answer=answer)

    async def _read_body(self) -> bytes:
        """The body, empty for a chunked request: the Functions host never looks at it. Raises `BodyFailed`."""
        if self._values(b"transfer-encoding"):
            return b""
        if int(self._values(b"content-length") or 0) > self._limits.largest_body:
            raise BodyFailed
        return b"".join(await self._read_pieces())

    async def _read_pieces(self) -> list[bytes]:
        pieces: list[bytes] = []
        total = 0
        began = asyncio.get_running_loop().time()
        while not self._ended:
            event = self._parser.next_event()
            if event is h11.NEED_DATA:
                self._parser.receive_data(await self._receive(began, total))
            elif isinstance(event, h11.Data):
                pieces.append(bytes(event.data))
                total += len(event.data)
                if total > self._limits.largest_body:
                    raise BodyFailed
            else:
                self._ended = True
        return pieces

    async def _receive(self, began: float, total: int) -> bytes:
        """More of the body, of which `total` bytes came since `began`; raises `BodyFailed` when it comes too slowly."""
        if self._parser.they_are_waiting_for_100_continue and not self._told_to_continue:
            # Kestrel sends no interim answer to a client that has sent its body together with the head.
            self._told_to_continue = True
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        seconds = max(self._limits.body_grace_seconds, total / self._limits.least_body_rate)
        try:
            async with asyncio.timeout_at(began + seconds):
                return await self._reader.read(READ_SIZE)
        except TimeoutError:
            raise BodyFailed from None

    async def drain(self) -> bool:
        """Reads the body that no function read; returns False when the connection should close instead."""
        if self._parser.they_are_waiting_for_100_continue:
            return False
        try:
            await asyncio.wait_for(self._read_pieces(), DRAIN_SECONDS)
        except (TimeoutError, BodyFailed):
            return False
        return True

    def rest(self) -> bytes:
        """The bytes that have arrived after this request."""
        return self._parser.trailing_data[0]

    def _values(self, name: bytes) -> bytes:
        return b",".join(value for known, value in self._head.headers if known == name)


def _check_limits(received: bytes) -> None:
    line, found, headers = received.partition(b"\n")
    if len(line) + len(found) > LONGEST_REQUEST_LINE:
        raise Refused(414)
    if len(headers) > LONGEST_HEADERS + 2:
        raise Refused(431)


def _check_head(head: h11.Request) -> None:
    if head.http_version not in VERSIONS:
        raise Refused(505)
    if len(head.headers) > MOST_HEADERS:
        raise Refused(431)
    if not all(_is_utf8(value) for _, value in head.headers):
        raise Refused(400)
    if not all(HOST.fullmatch(value) for name, value in head.headers if name == b"host"):
        raise Refused(400)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
