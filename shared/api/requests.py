"""A request as the handlers see it: plain values, no web library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the host passed on. Header names are lower case; `body` is as sent."""

    method: str
    path: str = ""
    route_params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    def header(self, name: str) -> str | None:
        """The header's value, None where absent or blank."""
        value = self.headers.get(name.lower(), "").strip()
        return value or None
