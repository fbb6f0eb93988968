"""Which links may come out: those of sources, and a model's own to allowed hosts or to a source's link."""

from __future__ import annotations

from collections.abc import Iterable

from ..evidence.links import normalised_link

MAX_LINK_CHARACTERS = 4_096
"""A longer address is no citation's link: a marker of a dozen characters must not buy pages of output."""


def normal_link(text: str | None) -> str | None:
    """The normal form of an http(s) address (spec 4.4), None for anything else."""
    return normalised_link(text) if text is not None and len(text) <= MAX_LINK_CHARACTERS else None


def host_of(link: str) -> str:
    """The host of a normal link, without its port."""
    authority = link.split("/", 3)[2]
    host, colon, port = authority.rpartition(":")
    return host if colon and port.isdigit() else authority


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
