"""HTTP requests and answers as values, and the bytes that an answer becomes."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus

CHUNK = 65536
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Kestrel sends printable ASCII and tabs only; anything else in a value is an error of the application.
VALUE = re.compile(r"[\t\x20-\x7e]*")
BODILESS = frozenset({204, 205, 304})
SERVER = "Kestrel"

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request whose head has been read; `read` gives the body, which may not have arrived yet."""

    method: str
    target: bytes
    headers: Headers
    read: Callable[[], Awaitable[bytes]]

    def joined_headers(self) -> dict[str, str]:
        """Lower-case names; repeated ones joined by a comma, empty ones among them left out."""
        values: dict[str, list[str]] = {}
        for name, value in self.headers:
            known = values.setdefault(name.casefold(), [])
            if value:
                known.append(value)
        return {name: ",".join(texts) for name, texts in values.items()}

    def header(self, name: str) -> str:
        """The joined value; empty without such a header."""
        return self.joined_headers().get(name, "")


@dataclass(frozen=True)
class Response:
    """An HTTP response. `sized` ones state their length, as the host's own pages do; the others are sent in chunks."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    sized: bool = False

    def with_headers(self, headers: Iterable[tuple[str, str]]) -> Response:
        """The same answer with more headers."""
        return Response(self.status, (*self.headers, *headers), self.body, self.sized)


@dataclass(kw_only=True)
class Framing:
    """How the bytes of one answer are delimited, given the request."""

    method: str
    http_1_0: bool
    keep_alive: bool
    answer: Response
    own: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.own = {name.casefold(): value for name, value in self.answer.headers}

    @property
    def valid(self) -> bool:
        """True when Kestrel would send these headers; if not, the answer is an empty 500."""
        if not all(TOKEN.fullmatch(name) and VALUE.fullmatch(value) for name, value in self.answer.headers):
            return False
        length = self.own.get("content-length")
        return length is None or (length.isascii() and length.isdigit() and int(length) >= self._body_length)

    @property
    def closes(self) -> bool:
        """True when the connection ends with this answer."""
        wrong_length = self.method != "HEAD" and int(self.own.get("content-length", self._body_length)) != self._body_length
        undelimited = self._has_body and self.http_1_0 and "content-length" not in self.own and not self.answer.sized
        own_coding = "transfer-encoding" in self.own
        said = self.own.get("connection", "").casefold() == "close"
        return not self.keep_alive or wrong_length or undelimited or own_coding or said

    @property
    def _has_body(self) -> bool:
        return self.method != "HEAD" and self.answer.status not in BODILESS and bool(self.answer.body)

    @property
    def _body_length(self) -> int:
        return len(self.answer.body) if self._has_body else 0

    @property
    def _chunked(self) -> bool:
        delimited = "content-length" in self.own or "transfer-encoding" in self.own or self.answer.sized
        return self._has_body and not delimited and not self.http_1_0

    def head(self) -> bytes:
        """Status line and headers."""
        added = [("Date", formatdate(usegmt=True))]
        added += [] if "server" in self.own else [("Server", SERVER)]
        if self._chunked:
            added.append(("Transfer-Encoding", "chunked"))
        elif self._states_length:
            added.append(("Content-Length", str(len(self.answer.body) if self.answer.sized else self._body_length)))
        if self.closes and "connection" not in self.own:
            added.append(("Connection", "close"))
        lines = [f"{name}: {value}" for name, value in (*self.answer.headers, *added)]
        return "\r\n".join([f"HTTP/1.1 {self.answer.status} {_reason(self.answer.status)}", *lines, "", ""]).encode("ascii")

    @property
    def _states_length(self) -> bool:
        if "content-length" in self.own or "transfer-encoding" in self.own:
            return False
        if self.answer.sized and self.answer.status not in BODILESS:
            return True
        return not self._body_length and self.method != "HEAD" and self.answer.status not in (204, 304)

    def pieces(self) -> Iterable[bytes]:
        """The body, chunked where nothing else delimits it."""
        if not self._has_body:
            return
        for start in range(0, len(self.answer.body), CHUNK):
            piece = self.answer.body[start : start + CHUNK]
            yield b"%x\r\n%b\r\n" % (len(piece), piece) if self._chunked else piece
        if self._chunked:
            yield b"0\r\n\r\n"


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
