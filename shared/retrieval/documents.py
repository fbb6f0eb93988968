"""Documents as the service returns them: reading a field by its path and keeping only some fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def value_at(document: Mapping[str, Any], path: str) -> Any:
    """The value of `address/city`; through a list of complex values, the list of each element's value. None when absent."""
    value: Any = document
    for name in path.split("/"):
        value = _member(value, name)
    return value


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list):
        found = [_member(element, name) for element in value]
        return [element for element in found if element is not None] or None
    return None


def pick(document: Mapping[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The members of `document` that `paths` name, in the document's order."""
    wanted: dict[str, list[str]] = {}
    for path in paths:
        name, _, rest = path.partition("/")
        wanted.setdefault(name, []).append(rest)
    return {name: _picked(value, wanted[name]) for name, value in document.items() if name in wanted}


def _picked(value: Any, paths: Sequence[str]) -> Any:
    if "" in paths:
        return value
    if isinstance(value, Mapping):
        return pick(value, paths)
    return [_picked(element, paths) for element in value] if isinstance(value, list) else value


def covers(paths: Iterable[str], path: str) -> bool:
    """Whether one of `paths` is `path` or a complex field around it."""
    parts = path.split("/")
    around = {"/".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return any(name in around for name in paths)
