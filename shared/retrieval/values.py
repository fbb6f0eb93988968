"""Values of documents as text for a model: lines of `field: value` (spec 4.2)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .documents import pick
from .evidence.escaping import defused
from .evidence.links import is_address
from .settings import IndexSettings

_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_INDENT = "  "
_DIGITS_BELOW = 1e21
_VECTOR_LENGTH = 64
"""A list of at least this many numbers is a vector even where the settings do not name it."""


def content_fields(document: Mapping[str, Any], index: IndexSettings) -> tuple[str, ...]:
    """The fields that are shown of a document: the configured ones, else every text field in the document's order."""
    return index.content_fields or tuple(name for name, value in document.items() if isinstance(value, str))


def content_values(document: Mapping[str, Any], index: IndexSettings) -> list[tuple[str, str]]:
    """Label and text of each shown value, the texts as they are: not yet defused."""
    return [
        shown
        for field in content_fields(document, index)
        if field not in index.vector_fields
        for shown in _shown(*_found(document, field))
    ]


def _found(document: Mapping[str, Any], field: str) -> tuple[str, Any]:
    """The top field of a path and its value, with only that path in it."""
    name = field.partition("/")[0]
    return name, document.get(name) if name == field else pick(document, [field]).get(name)


def content_lines(values: Sequence[tuple[str, str]]) -> list[str]:
    """One entry per shown value, `field: value`; the lines of a long value after its first are indented."""
    return [_labelled(label, text) for label, text in values]


def _labelled(label: str, text: str) -> str:
    broken = _BREAK.sub(lambda match: match[0] + _INDENT, defused(text).rstrip())
    return f"{one_line(label)}: {broken}"


def one_line(text: str) -> str:
    """`text` on one line, with single spaces."""
    return " ".join(text.split())


def _shown(field: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        yield from _members(field, value)
    elif isinstance(value, list):
        yield from _elements(field, value)
    else:
        text = scalar_text(value)
        if text is not None:
            yield field, text


def _members(field: str, value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    point = _point(value)
    if point is not None:
        yield field, point
        return
    for name, member in value.items():
        if not name.startswith("@"):
            yield from _shown(f"{field}/{name}", member)


def _elements(field: str, values: Sequence[Any]) -> Iterator[tuple[str, str]]:
    if len(values) >= _VECTOR_LENGTH and all(isinstance(value, int | float) for value in values):
        return
    plain = [value for value in values if not isinstance(value, Mapping | list)]
    texts = [text for text in map(scalar_text, plain) if text is not None]
    if texts:
        yield field, ", ".join(texts)
    for value in values:
        if isinstance(value, Mapping | list):
            yield from _shown(field, value)


def _point(value: Mapping[str, Any]) -> str | None:
    """`latitude, longitude` of a geography point, which the service writes the other way round."""
    coordinates = value.get("coordinates")
    if value.get("type") != "Point" or not isinstance(coordinates, list) or len(coordinates) != 2:
        return None
    longitude, latitude = (scalar_text(coordinate) for coordinate in coordinates)
    return None if longitude is None or latitude is None else f"{latitude}, {longitude}"


def scalar_text(value: Any) -> str | None:
    """A single value as text, None for what is not shown: null, blank, or wholly an address."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return None if not value.strip() or is_address(value) else value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    return None


def _number(value: float) -> str:
    if math.isfinite(value) and value.is_integer() and abs(value) < _DIGITS_BELOW:
        return str(int(value))
    return repr(value)
