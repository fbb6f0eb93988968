"""The tree of an OData filter. Retrieval checks it, the embedded search service evaluates it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Oneof

Comparison = Oneof["eq", "ne", "gt", "ge", "lt", "le"]


@dataclass(frozen=True, slots=True)
class DateTimeOffset:
    """A date-time literal as it was written (`2020-01-01T00:00:00Z`)."""

    text: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: string, boolean, whole or broken number, null or date-time."""

    value: str | bool | int | float | DateTimeOffset | None


@dataclass(frozen=True, slots=True)
class Path:
    """A field path, `Address/City` as `("Address", "City")`; in a lambda it may begin with the range variable."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """`geography'POINT(lon lat)'`."""

    longitude: float
    latitude: float


@dataclass(frozen=True, slots=True)
class Polygon:
    """`geography'POLYGON((lon lat, …))'`."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Distance:
    """`geo.distance(left, right)`: one side a path, the other a point; kilometres."""

    left: Path | Point
    right: Path | Point


@dataclass(frozen=True, slots=True)
class Compare:
    """`left op right`; one side is a literal, the other a path or a distance (either may come first)."""

    operator: Comparison
    left: Path | Literal | Distance
    right: Path | Literal | Distance


@dataclass(frozen=True, slots=True)
class Boolean:
    """A bare boolean field or constant used as a filter: `is_open`, `true`."""

    operand: Path | Literal


@dataclass(frozen=True, slots=True)
class Not:
    """`not operand`."""

    operand: Node


@dataclass(frozen=True, slots=True)
class And:
    """`a and b and …`, at least two operands."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """`a or b or …`, at least two operands."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SearchIn:
    """`search.in(path, 'a|b', '|')`; `values` are the split members, None delimiter is the default (space and comma)."""

    path: Path
    values: tuple[str, ...]
    delimiters: str | None


@dataclass(frozen=True, slots=True)
class SearchIsMatch:
    """`search.ismatch(…)` or `search.ismatchscoring(…)`."""

    scoring: bool
    search: str
    fields: str | None = None
    query_type: str | None = None
    search_mode: str | None = None


@dataclass(frozen=True, slots=True)
class Intersects:
    """`geo.intersects(path, polygon)`."""

    path: Path
    polygon: Polygon


@dataclass(frozen=True, slots=True)
class Lambda:
    """`path/any(x: predicate)` or `path/all(…)`; `path/any()` has neither variable nor predicate."""

    kind: Oneof["any", "all"]
    path: Path
    variable: str | None
    predicate: Node | None


Node = Compare | Boolean | Not | And | Or | SearchIn | SearchIsMatch | Intersects | Lambda
