"""MCP tools as triggers declare them: a name, a description, and properties that become a JSON schema."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TYPES = frozenset({"string", "number", "integer", "boolean", "object"})


@dataclass(frozen=True, kw_only=True)
class Property:
    """One argument of a tool."""

    name: str
    kind: str
    description: str
    required: bool
    array: bool

    def schema(self) -> dict[str, Any]:
        """Its JSON schema."""
        inner = {"type": self.kind}
        return {**({"type": "array", "items": inner} if self.array else inner), "description": self.description}


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A function and the tool that calls it."""

    function: str
    name: str
    description: str
    properties: Sequence[Property]
    result_schema: bool

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        required = [known.name for known in self.properties if known.required]
        schema: dict[str, Any] = {"type": "object", "properties": {known.name: known.schema() for known in self.properties}}
        return {**schema, "required": required} if required else schema


def read_tool(function: str, trigger: Mapping[str, Any]) -> Tool:
    """The tool that a trigger declares; raises `ValueError` when its properties cannot be read."""
    return Tool(
        function=function,
        name=str(trigger.get("toolName") or function),
        description=str(trigger.get("description") or ""),
        properties=_properties(trigger.get("toolProperties")),
        result_schema=bool(trigger.get("useResultSchema")),
    )


def _properties(declared: object) -> list[Property]:
    try:
        values = json.loads(declared) if isinstance(declared, str) and declared else declared or []
    except ValueError:
        values = None
    if not isinstance(values, list) or not all(isinstance(value, dict) and value.get("propertyName") for value in values):
        raise ValueError("toolProperties must be a JSON list of objects with a propertyName.")
    return [_property(value) for value in values]


def _property(value: Mapping[str, Any]) -> Property:
    kind = str(value.get("propertyType") or "string").casefold()
    if kind not in TYPES:
        raise ValueError(f"The property '{value['propertyName']}' has the unknown type '{kind}'.")
    return Property(
        name=str(value["propertyName"]),
        kind=kind,
        description=str(value.get("description") or ""),
        required=value.get("isRequired") is True,
        array=value.get("isArray") is True,
    )
