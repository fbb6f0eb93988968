"""Addresses: their normal form, and which of a model's own may stay links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

MAX_LINK_CHARACTERS = 4_096
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_AUTHORITY = re.compile(r"(?P<host>[\w.~-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{0,5}))?")
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAFE = "/?:@!$&'()*+,;=~[]%"
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def normal_link(text: str | None) -> str | None:
    """The normal form of an http(s) address: scheme and host lower case, unsafe characters percent-encoded.

    None for anything that may not be a citation's link (spec 4.4): no host, credentials, control characters, other schemes.
    """
    if text is None or len(text) > MAX_LINK_CHARACTERS:
        return None
    text = text.strip(" \t\r\n")
    scheme, colon, rest = text.partition("://")
    if not colon or scheme.lower() not in _DEFAULT_PORTS or _FORBIDDEN.search(text):
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    authority = _AUTHORITY.fullmatch(parts.netloc)
    if authority is None or not rest or not authority["host"].strip("."):
        return None
    port = (authority["port"] or "").lstrip("0")
    where = authority["host"].lower() + (f":{port}" if port and port != _DEFAULT_PORTS[scheme.lower()] else "")
    tail = (f"?{_encoded(parts.query)}" if parts.query else "") + (f"#{_encoded(parts.fragment)}" if parts.fragment else "")
    return f"{scheme.lower()}://{where}{_encoded(_without_dots(parts.path)) or '/'}{tail}"


def _encoded(part: str) -> str:
    return quote(_BAD_PERCENT.sub("%25", part), safe=_SAFE)


def _without_dots(path: str) -> str:
    """The path as browsers read it (RFC 3986, 5.2.4)."""
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if path.endswith(("/.", "/..")):
        kept.append("")
    return "/".join(kept)


def host_of(link: str) -> str:
    """The host of a normal link, without its port."""
    authority = link.split("/", 3)[2]
    return authority if authority.endswith("]") else authority.rsplit(":", 1)[0] if ":" in authority else authority


class LinkPolicy:
    """Which links of a model's own may stay: those to allowed hosts and those that equal a given source's link."""

    def __init__(self, allowed_hosts: Iterable[str], source_links: Iterable[str]) -> None:
        self._hosts = frozenset(host.strip().lower() for host in allowed_hosts)
        self._links = frozenset(source_links)

    def link(self, address: str) -> str | None:
        """The normal form of `address` if it may stay a link, else None."""
        link = normal_link(address)
        return link if link is not None and (link in self._links or host_of(link) in self._hosts) else None

    def allows_host(self, host: str) -> bool:
        """Whether addresses of this host may stay as they are."""
        return host.lower() in self._hosts

    def permits(self, link: str) -> bool:
        """Whether a link may come out as the target of an anchor."""
        return link in self._links or self.link(link) == link
