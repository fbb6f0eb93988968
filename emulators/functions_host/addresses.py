"""Request targets as Kestrel and ASP.NET read them: decoding, dot segments, queries."""

from __future__ import annotations

import re
from dataclasses import dataclass

PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
# The bytes that `PathString.ToUriComponent` leaves as they are; an existing %XX is left too.
PLAIN_IN_PATH = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/")
ABSOLUTE = re.compile(rb"(https?)://([^/?#]*)", re.IGNORECASE)
AUTHORITY = re.compile(rb"[A-Za-z0-9\-._~!$&'()*+,;=:\[\]%@]+")
DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}


class BadTarget(ValueError):
    """The target is answered before any function sees it: 400 in most cases, 405 with the method that it would need."""

    def __init__(self, status: int = 400, allow: str = "") -> None:
        super().__init__(status)
        self.status = status
        self.headers = (*((("Allow", allow),) if allow else ()), ("Connection", "close"))


@dataclass(frozen=True)
class Target:
    """A request target: the decoded path (`%2F` stays), and the query as it was sent, with its question mark if any."""

    path: str
    query: str

    @property
    def text(self) -> str:
        """Path and query as `req.url` shows them."""
        return _encode(self.path) + self.query.replace("#", "%23")

    @property
    def parameters(self) -> dict[str, str]:
        """The query by name: names ignore case, repeated ones are joined, empty ones dropped."""
        return parse_query(self.query.removeprefix("?"))


def parse_target(raw: bytes, method: str = "GET", host: str = "") -> Target:
    """Reads the target of a request line; raises `BadTarget`.

    The forms of RFC 9112, 3.2, as Kestrel (`Http1Connection.OnStartLine`) answers them.
    """
    if not raw.isascii():
        raise BadTarget
    absolute = ABSOLUTE.match(raw)
    if absolute:
        _check_host(absolute[1].lower(), absolute[2], host)
        raw = raw[absolute.end() :] or b"/"
    elif not raw.startswith(b"/"):
        raise _not_a_path(raw, method)
    path, mark, query = raw.partition(b"?")
    decoded = decode(path, keep=b"/")
    if "\0" in decoded:
        raise BadTarget
    return Target(_without_dot_segments(decoded or "/"), (mark + query).decode("ascii"))


def _check_host(scheme: bytes, authority: bytes, host: str) -> None:
    known = host.encode().lower()
    if known not in (authority.lower(), authority.lower().removesuffix(DEFAULT_PORTS[scheme])):
        raise BadTarget


def _not_a_path(raw: bytes, method: str) -> BadTarget:
    if raw == b"*":
        return BadTarget(404) if method == "OPTIONS" else BadTarget(405, "OPTIONS")
    if method == "CONNECT" or not AUTHORITY.fullmatch(raw):
        return BadTarget()
    return BadTarget(405, "CONNECT")


def parse_query(query: str) -> dict[str, str]:
    """`a=1&A=2&b=&c` is `{"A": "1,2"}`; the last spelling of a name is the one that arrives."""
    values: dict[str, tuple[str, list[str]]] = {}
    for pair in query.split("&"):
        name, _, value = (decode(part.replace("+", " ").encode()) for part in pair.partition("="))
        if name:
            known = values.get(name.casefold(), ("", []))[1]
            values[name.casefold()] = (name, [*known, value] if value else known)
    return {name: ",".join(texts) for name, texts in values.values() if texts}


def decode(raw: bytes, keep: bytes = b"") -> str:
    """Decodes percent sequences that are valid UTF-8; the others, and those of `keep`, stay as they were sent."""
    text: list[str] = []
    position = 0
    while position < len(raw):
        start = raw.find(b"%", position)
        if start < 0:
            break
        text.append(raw[position:start].decode("utf-8", "replace"))
        character, position = _decode_one(raw, start, keep)
        text.append(character)
    text.append(raw[position:].decode("utf-8", "replace"))
    return "".join(text)


def _decode_one(raw: bytes, start: int, keep: bytes) -> tuple[str, int]:
    """The character that begins at `start` and where the next one begins; a `%` itself when it decodes to nothing."""
    sequence = b""
    position = start
    while len(sequence) < 4 and (match := PERCENT.match(raw, position)):
        sequence += bytes.fromhex(match[1].decode())
        position = match.end()
        try:
            character = sequence.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if sequence in (keep[place : place + 1] for place in range(len(keep))):
            break
        return character, position
    return "%", start + 1


def _without_dot_segments(path: str) -> str:
    """RFC 3986, 5.2.4, on the decoded path: the host resolves `%2e%2e` too."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _encode(path: str) -> str:
    raw = path.encode("utf-8", "surrogatepass")
    return "".join(
        chr(byte) if byte in PLAIN_IN_PATH or (byte == 0x25 and PERCENT.match(raw, place)) else f"%{byte:02X}"
        for place, byte in enumerate(raw)
    )
