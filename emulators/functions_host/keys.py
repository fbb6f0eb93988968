"""Access keys: function, host and master keys, and the key of the tool server."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from .messages import Request

HEADER = "x-functions-key"
PARAMETER = "code"


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The keys that the host accepts. Without any key every level is open, as with `func start` on one's own machine.

    function: opens every function. functions: keys by the name of the one function that they open. host: opens every
    function. master: opens everything. mcp: the system key of the MCP extension.
    """

    function: str = field(default="", repr=False)
    functions: Mapping[str, str] = field(default_factory=dict, repr=False)
    host: str = field(default="", repr=False)
    master: str = field(default="", repr=False)
    mcp: str = field(default="", repr=False)

    @property
    def configured(self) -> bool:
        """True when any key was given."""
        return any(self._all)

    def open(self, level: str, given: str, function: str = "") -> bool:
        """True when `given` opens a route of `level` (`anonymous`, `function`, `admin` or `mcp`) of `function`."""
        if level == "anonymous" or not self.configured:
            return True
        own = self.functions.get(function, "")
        accepted = {"function": (self.function, own, self.host, self.master), "mcp": (self.mcp, self.master)}.get(
            level, (self.master,)
        )
        return any(_same(key, given) for key in accepted)

    def is_known(self, given: str) -> bool:
        """True when `given` is a key that opens something."""
        return any(_same(key, given) for key in self._all)

    @property
    def _all(self) -> tuple[str, ...]:
        return self.function, self.host, self.master, self.mcp, *self.functions.values()


def _same(key: str, given: str) -> bool:
    return bool(key) and hmac.compare_digest(key.encode(), given.encode())


def given_key(request: Request, parameters: dict[str, str]) -> str:
    """The key of a request: a header beats the query, even if it is wrong, and the first of several headers counts."""
    header = next((value for name, value in request.headers if name.casefold() == HEADER and value), "")
    if header:
        return header
    return next((value for name, value in parameters.items() if name.casefold() == PARAMETER), "")
