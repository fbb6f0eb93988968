"""Which hosts are this machine itself: there http is taken, and no token is asked for or sent."""

from __future__ import annotations

import re

_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_V4 = re.compile(r"127(?:\.[0-9]{1,3}){3}", re.ASCII)


def is_loopback_host(host: str | None) -> bool:
    """Whether `host`, without port and brackets, names this machine itself."""
    return host is not None and (host in _NAMES or _V4.fullmatch(host) is not None)
