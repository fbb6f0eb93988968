"""A function as the host knows it: its name and its bindings, as the app declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HTTP = "httptrigger"
QUEUE = "queuetrigger"
TIMER = "timertrigger"
MCP_TOOL = "mcptooltrigger"


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function as function.json would describe it; keys of a binding keep their spelling."""

    name: str
    bindings: tuple[Mapping[str, Any], ...]

    @property
    def trigger(self) -> Mapping[str, Any]:
        """The binding that calls the function; empty without one."""
        return next((binding for binding in self.bindings if _type(binding).endswith("trigger")), {})

    @property
    def kind(self) -> str:
        """The type of the trigger in lower case."""
        return _type(self.trigger)

    def to_json(self) -> dict[str, Any]:
        """For the way from the worker process to the host."""
        return {"name": self.name, "bindings": [dict(binding) for binding in self.bindings]}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Function:
        """The opposite of `to_json`."""
        return Function(name=value["name"], bindings=tuple(value["bindings"]))


def _type(binding: Mapping[str, Any]) -> str:
    return str(binding.get("type", "")).casefold()
