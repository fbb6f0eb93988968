"""Links: whole values that are http(s) addresses, in the one form that is safe to put behind a name."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import quote

_ADDRESS = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#\\]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]{0,5}))?", re.ASCII)
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_KEPT = "/?#[]@!$&'()*+,;=:~-._"
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NUMERIC = re.compile(r"(?:0[xX][0-9A-Fa-f]*|[0-9]+)", re.ASCII)
_MAX_PORT = 65535
_LONGEST_AUTHORITY = 1000
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def is_address(text: str) -> bool:
    """Whether a value is wholly an address, linkable or not: such a value is never shown to a model."""
    return _parts(text.strip()) is not None


def normalised_link(text: str) -> str | None:
    """The address in its normalised form, None when it is none, holds credentials or a control character.

    Scheme and host in lower case, the default port left out, dot segments resolved, unsafe characters percent-encoded.
    """
    parts = _parts(text.strip())
    if parts is None or _CONTROL.search(text.strip()):
        return None
    scheme, authority, rest = parts
    if "@" in authority:
        return None
    place = _host_and_port(authority, scheme)
    return None if place is None else f"{scheme}://{place}{_path(rest)}"


def _parts(text: str) -> tuple[str, str, str] | None:
    if text[:4].lower() != "http":
        return None
    match = _ADDRESS.fullmatch(text)
    if match is None or len(text.splitlines()) != 1:
        return None
    scheme, authority = match["scheme"].lower(), match["authority"]
    if len(authority) > _LONGEST_AUTHORITY:
        return None
    # Credentials or control characters make it no link, but an address all the same, which stays out of the text.
    return None if _host_and_port(authority.rpartition("@")[2], scheme) is None else (scheme, authority, match["rest"])


@lru_cache(maxsize=1024)  # documents of one index have few hosts
def _host_and_port(authority: str, scheme: str) -> str | None:
    match = _AUTHORITY.fullmatch(authority)
    if match is None or int(match["port"] or 0) > _MAX_PORT:
        return None
    host = _host(match["host"])
    port = str(int(match["port"])) if match["port"] else ""
    return host if host is None or port in ("", _DEFAULT_PORTS[scheme]) else f"{host}:{port}"


def _host(host: str) -> str | None:
    if host.startswith("["):
        try:
            return f"[{IPv6Address(host[1:-1]).compressed}]" if "%" not in host else None
        except AddressValueError:
            return None
    lowered = host.lower()
    labels = lowered.removesuffix(".").split(".")
    if not all(label and all(_is_host_character(character) for character in label) for label in labels):
        return None
    return _ip_v4(labels) if _NUMERIC.fullmatch(labels[-1]) else lowered


def _is_host_character(character: str) -> bool:
    return character in "-_" or (character.isalnum() if character.isascii() else unicodedata.category(character)[0] in "LMN")


def _ip_v4(labels: list[str]) -> str | None:
    """An IPv4 address as browsers read it: decimal, octal or hexadecimal parts, the last one filling what is left."""
    if len(labels) > 4 or not all(_NUMERIC.fullmatch(label) and len(label) <= 12 for label in labels):
        return None
    try:
        numbers = [_number(label) for label in labels]
    except ValueError:
        return None
    *leading, last = numbers
    if any(number > 255 for number in leading) or last >= 256 ** (4 - len(leading)):
        return None
    value = last + sum(number * 256 ** (3 - place) for place, number in enumerate(leading))
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _number(label: str) -> int:
    if label[:2] in ("0x", "0X"):
        return int(label[2:] or "0", 16)
    return int(label, 8) if len(label) > 1 and label.startswith("0") else int(label)


def _path(rest: str) -> str:
    path, mark, tail = _split(rest)
    cleaned = _without_dots(path.replace("\\", "/") or "/")
    return _encoded(cleaned if cleaned.startswith("/") else f"/{cleaned}") + _encoded(mark + tail)


def _split(rest: str) -> tuple[str, str, str]:
    match = re.search(r"[?#]", rest)
    return (rest, "", "") if match is None else (rest[: match.start()], match[0], rest[match.end() :])


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:] if path.startswith("/") else path.split("/")
    for segment in segments:
        if segment == "..":
            kept[-1:] = []
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _encoded(text: str) -> str:
    return quote(_ESCAPE.sub("%25", text), safe=f"{_KEPT}%")
