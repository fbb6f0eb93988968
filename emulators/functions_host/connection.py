"""One HTTP/1.1 connection: h11 reads the requests, Kestrel's limits are laid over it, answers are written as they are.

h11 only reads here: the real host also sends what no library would write, such as a status of 1000 or a wrong length.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable

import h11

from .messages import Answer, Framing, Headers, Request

LOG = logging.getLogger("emulators.functions_host")
# Kestrel's limits; past them the answer comes before any function.
LONGEST_REQUEST_LINE = 8192
LONGEST_HEADERS = 32768
MOST_HEADERS = 100
# The Functions host's limit on a body.
LARGEST_BODY = 104_857_600
READ_SIZE = 262_144
DRAIN_SECONDS = 5.0
IDLE_SECONDS = 130.0
END_OF_HEAD = re.compile(rb"\n\r?\n")
LENGTH = re.compile(rb"\ncontent-length[ \t]*:", re.IGNORECASE)
VERSIONS = (b"1.0", b"1.1")

Handler = Callable[[Request], Awaitable[Answer]]


class Refused(Exception):
    """The request is answered with this status and the connection closed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class BodyTooLarge(Exception):
    """The body is over the host's limit, which is an empty 500."""


class Connection:
    """Serves one client until it or an answer ends the connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler) -> None:
        self._reader = reader
        self._writer = writer
        self._handler = handler
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
            await self._write(Framing(method="GET", http_1_0=False, keep_alive=False, answer=Answer(refused.status)))
            return False
        if exchange is None:
            return False
        answer = await self._answer(exchange)
        framing = exchange.framing(answer)
        if not framing.valid:
            framing = exchange.framing(Answer(500))
        await self._write(framing)
        if framing.closes or not await exchange.drain():
            return False
        self._received = exchange.rest()
        return True

    async def _answer(self, exchange: Exchange) -> Answer:
        try:
            return await self._handler(exchange.request)
        except BodyTooLarge:
            exchange.keep_alive = False
            return Answer(500)

    async def _write(self, framing: Framing) -> None:
        self._writer.write(framing.head())
        for piece in framing.pieces():
            self._writer.write(piece)
            await self._writer.drain()
        await self._writer.drain()

    async def _read_head(self) -> Exchange | None:
        """The next request, or None when the client has none; raises `Refused`."""
        while not (end := END_OF_HEAD.search(self._received.lstrip(b"\r\n"))):
            _check_limits(self._received)
            data = await asyncio.wait_for(self._reader.read(READ_SIZE), IDLE_SECONDS)
            if not data:
                if self._received:
                    raise Refused(400)
                return None
            self._received += data
        self._received = self._received.lstrip(b"\r\n")
        head = self._received[: end.end()]
        _check_limits(head)
        # h11 accepts a length that is given twice with one value; Kestrel does not.
        if len(LENGTH.findall(head)) > 1:
            raise Refused(400)
        return Exchange(self._reader, self._writer, self._received)


class Exchange:
    """One request as h11 reads it: its head now, its body when somebody asks."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, received: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_REQUEST_LINE + LONGEST_HEADERS)
        self._ended = False
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
        headers = [(name.decode("ascii"), value.decode("ascii")) for name, value in self._head.headers.raw_items()]
        if self._values(b"transfer-encoding"):
            # A length beside a transfer coding does not count; Kestrel keeps it under another name.
            headers = [("X-Content-Length" if name.lower() == "content-length" else name, value) for name, value in headers]
        return tuple(headers)

    def framing(self, answer: Answer) -> Framing:
        """How `answer` is written to this request."""
        return Framing(method=self.request.method, http_1_0=self.http_1_0, keep_alive=self.keep_alive, answer=answer)

    async def _read_body(self) -> bytes:
        """The body, empty for a chunked request: the Functions host loses it. Raises `BodyTooLarge`."""
        if self._values(b"transfer-encoding"):
            await self._read_pieces()
            return b""
        if int(self._values(b"content-length") or 0) > LARGEST_BODY:
            raise BodyTooLarge
        return b"".join(await self._read_pieces())

    async def _read_pieces(self) -> list[bytes]:
        if self._parser.they_are_waiting_for_100_continue:
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        pieces: list[bytes] = []
        total = 0
        while not self._ended:
            event = self._parser.next_event()
            if event is h11.NEED_DATA:
                self._parser.receive_data(await self._reader.read(READ_SIZE))
            elif isinstance(event, h11.Data):
                pieces.append(bytes(event.data))
                total += len(event.data)
                if total > LARGEST_BODY:
                    raise BodyTooLarge
            else:
                self._ended = True
        return pieces

    async def drain(self) -> bool:
        """Reads what nobody asked for, so that the next request can be read; False when that is not worth while."""
        if self._parser.they_are_waiting_for_100_continue:
            return False
        try:
            await asyncio.wait_for(self._read_pieces(), DRAIN_SECONDS)
        except (TimeoutError, BodyTooLarge):
            return False
        return True

    def rest(self) -> bytes:
        """What has arrived after this request."""
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
    if not all(value.isascii() for _, value in head.headers):
        raise Refused(400)
