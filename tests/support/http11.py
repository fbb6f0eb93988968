"""A client that sends and reads raw bytes, for requests and answers that no library would handle."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable
from dataclasses import dataclass

SECONDS = 30.0


@dataclass(frozen=True)
class RawResponse:
    """A status line, headers by lower-case name, and the body without its chunks."""

    status: int
    headers: dict[str, str]
    body: bytes


def head(method: str, target: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """The bytes of a request's head; latin-1, so that any byte can be sent."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1")


def exchange(port: int, request: bytes, method: str = "GET", *, ends: bool = False) -> RawResponse:
    """Sends a request and reads until the other side has closed; `ends` closes the sending side after the request."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        # The host may answer and close before it has read everything.
        with contextlib.suppress(ConnectionError):
            connection.sendall(request)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        received = bytearray()
        with contextlib.suppress(ConnectionResetError):
            while data := connection.recv(1 << 20):
                received += data
    return parse(bytes(received), method)


def parse(received: bytes, method: str = "GET") -> RawResponse:
    """Reads one answer; an interim 100 that the client asked for is passed over."""
    first, _, rest = received.partition(b"\r\n\r\n")
    if first == b"HTTP/1.1 100 Continue":
        first, _, rest = rest.partition(b"\r\n\r\n")
    line, *fields = first.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
    body = _join_chunks(rest) if headers.get("transfer-encoding") == "chunked" and method != "HEAD" else rest
    return RawResponse(int(line.split(" ")[1]), headers, body)


def _join_chunks(raw: bytes) -> bytes:
    pieces = []
    while raw:
        size, _, raw = raw.partition(b"\r\n")
        length = int(size, 16)
        pieces.append(raw[:length])
        raw = raw[length + 2 :]
        if length == 0:
            break
    return b"".join(pieces)
