"""The values at a field path of a document, through complex members and collections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def values_at(document: Mapping[str, Any], path: str) -> list[Any]:
    """Every value that is not null at `address/city` or `rooms/tags`, flat, in order."""
    current: list[Any] = [document]
    for step in path.split("/"):
        current = [inner for each in current for inner in _members(each, step)]
    return current


def _members(value: Any, step: str) -> list[Any]:
    found = value.get(step) if isinstance(value, Mapping) else None
    if found is None:
        return []
    return [each for each in found if each is not None] if isinstance(found, list) else [found]


def value_at(document: Mapping[str, Any], path: str) -> Any:
    """The single value at a path without collections, None where a part is null."""
    current: Any = document
    for step in path.split("/"):
        current = current.get(step) if isinstance(current, Mapping) else None
    return current
