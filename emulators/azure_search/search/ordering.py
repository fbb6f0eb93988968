"""The order of hits: `$orderby` with fields, distances and scores, else the score; ties keep the index's order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import invalid_expression
from ..filter.geography import distance, place
from ..schema.definition import IndexDefinition
from ..schema.edm import instant
from ..schema.fieldvalues import value_at
from ..storage.store import DocumentStore

MAX_KEYS = 32
FIELD = r"[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*"
NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
POINT = rf"geography'POINT ?\( *({NUMBER}) +({NUMBER}) *\)'"
NEAR = re.compile(rf"geo\.distance\( *(?:({FIELD}) *, *{POINT}|{POINT} *, *({FIELD})) *\)")
WORD = re.compile(rf"search\.score\(\)|{FIELD}")
DIRECTION = re.compile(r"\s+(asc|desc)\b")


@dataclass(frozen=True, slots=True)
class SortKey:
    """One part of an order; without field it is the score, with a point the distance to it."""

    field: str | None
    descending: bool
    point: tuple[float, float] | None = None


def read_orderby(definition: IndexDefinition, text: str | None) -> tuple[SortKey, ...]:
    """The parts of `$orderby`. Raises the service's 400 for a part that cannot be read or sorted."""
    if not text or not text.strip():
        return ()
    keys: list[SortKey] = []
    at = 0
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        key, at = _read_key(text, at)
        keys.append(key)
        at += len(text[at:]) - len(text[at:].lstrip())
        if at >= len(text):
            break
        if text[at] != ",":
            raise _syntax(text, at)
        at += 1
    if len(keys) > MAX_KEYS:
        raise invalid_expression("$orderby", f"At most {MAX_KEYS} clauses are allowed.")
    for key in keys:
        _check(definition, key)
    return tuple(keys)


def _syntax(text: str, at: int) -> Exception:
    found = re.compile(r"\w+|.", re.DOTALL).match(text, at)
    return invalid_expression("$orderby", f"Syntax error at position {found.end() if found else len(text)} in '{text}'.")


def _read_key(text: str, at: int) -> tuple[SortKey, int]:
    near = NEAR.match(text, at)
    if near:
        groups = near.groups()
        field, longitude, latitude = groups[:3] if groups[0] else (groups[5], *groups[3:5])
        point = (float(longitude), float(latitude))
        descending, end = _direction(text, near.end())
        return SortKey(field, descending, point), end
    word = WORD.match(text, at)
    if not word:
        raise _syntax(text, at)
    descending, end = _direction(text, word.end())
    if word.group() == "search.score()":
        return SortKey(None, descending), end
    return SortKey(word.group(), descending), end


def _direction(text: str, at: int) -> tuple[bool, int]:
    found = DIRECTION.match(text, at)
    return (found.group(1) == "desc", found.end()) if found else (False, at)


def _check(definition: IndexDefinition, key: SortKey) -> None:
    if key.field is None:
        return
    field = definition.by_path.get(key.field)
    if field is None:
        name = key.field.split("/")[-1]
        raise invalid_expression("$orderby", f"Could not find a property named '{name}' on type 'search.document'.")
    if field.complex or not field.sortable or any(definition.by_path[above].collection for above in _above(key.field)):
        raise invalid_expression(
            "$orderby", f"'{key.field}' is not a sortable field. Only sortable fields can be used in order-by expressions."
        )
    if (field.element == "Edm.GeographyPoint") != (key.point is not None):
        raise invalid_expression("$orderby", f"The field '{key.field}' of the type '{field.type}' cannot be sorted so.")


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def by_score(ordinals: NDArray[np.intp], scores: NDArray[np.float64], wanted: int) -> NDArray[np.intp]:
    """The first `wanted` ordinals by falling score; equal ones keep the order of the index."""
    values = scores[ordinals].astype(np.float32)
    if wanted < len(ordinals) // 4:
        lowest = np.partition(values, len(values) - max(1, wanted))[len(values) - max(1, wanted)]
        near = values >= lowest
        ordinals, values = ordinals[near], values[near]
    return ordinals[np.argsort(-values, kind="stable")][:wanted]


def by_keys(
    store: DocumentStore, ordinals: Sequence[int], scores: NDArray[np.float64], keys: Sequence[SortKey]
) -> list[int]:
    """All ordinals in the order of the keys; nulls come first when rising and last when falling, ties by score."""
    found = sorted(ordinals, key=lambda each: -float(np.float32(scores[each])))
    for key in reversed(keys):
        value = _value_of(store, scores, key)
        found.sort(key=lambda each, value=value: _rank(value(each)), reverse=key.descending)  # type: ignore[misc]
    return found


def _rank(value: Any) -> tuple[bool, Any]:
    return (value is not None, value if value is not None else 0)


def _value_of(store: DocumentStore, scores: NDArray[np.float64], key: SortKey) -> Callable[[int], Any]:
    path = key.field
    if path is None:
        return lambda each: float(scores[each])
    column: list[Any] = store.remember(("order", path), lambda: _column(store, path))
    if key.point is not None:
        point = key.point
        return lambda each: column[each] and distance(place(column[each]), point)
    return column.__getitem__


def _column(store: DocumentStore, path: str) -> list[Any]:
    """The value of every document, date-times as moments."""
    values = [None if each is None else value_at(each, path) for each in store.documents]
    if store.definition.by_path[path].element != "Edm.DateTimeOffset":
        return values
    return [None if each is None else instant(each) for each in values]
