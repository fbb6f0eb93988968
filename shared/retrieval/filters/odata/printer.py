"""A filter tree written out again, and the fields that it uses."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .ast import (
    And,
    Boolean,
    Compare,
    DateTimeOffset,
    Distance,
    Intersects,
    Lambda,
    Literal,
    Node,
    Not,
    Or,
    Path,
    Point,
    Polygon,
    SearchIn,
    SearchIsMatch,
)

Variables = dict[str, tuple[str, ...]]


def to_text(node: Node) -> str:
    """The filter as OData text; parsing it gives an equal tree (not a number never equals itself)."""
    match node:
        case And(operands):
            return " and ".join(_nested(operand) for operand in operands)
        case Or(operands):
            return " or ".join(_nested(operand) for operand in operands)
        case Not(operand):
            return f"not ({to_text(operand)})"
        case Compare(operator, left, right):
            return f"{operand_text(left)} {operator} {operand_text(right)}"
        case Boolean(single):
            return operand_text(single)
        case Lambda(kind, path, variable, predicate):
            inside = "" if predicate is None else f"{variable}: {to_text(predicate)}"
            return f"{operand_text(path)}/{kind}({inside})"
        case _:
            return _call(node)


def _call(node: SearchIn | SearchIsMatch | Intersects) -> str:
    if isinstance(node, SearchIn):
        delimiter = "," if node.delimiters is None else node.delimiters[0]
        tail = "" if node.delimiters is None else f", {quoted(node.delimiters)}"
        return f"search.in({operand_text(node.path)}, {quoted(delimiter.join(node.values))}{tail})"
    if isinstance(node, Intersects):
        return f"geo.intersects({operand_text(node.path)}, {_shape(node.polygon)})"
    given = (node.search, node.fields, node.query_type, node.search_mode)
    arguments = ", ".join(quoted(argument) for argument in given if argument is not None)
    return f"search.ismatch{'scoring' if node.scoring else ''}({arguments})"


def _nested(node: Node) -> str:
    return f"({to_text(node)})" if isinstance(node, And | Or) else to_text(node)


def operand_text(operand: Path | Literal | Distance | Point) -> str:
    """A path, a constant, a point or a distance as OData text."""
    if isinstance(operand, Path):
        return "/".join(operand.parts)
    if isinstance(operand, Distance):
        return f"geo.distance({operand_text(operand.left)}, {operand_text(operand.right)})"
    if isinstance(operand, Point):
        return _shape(operand)
    return literal_text(operand.value)


def literal_text(value: str | bool | int | float | DateTimeOffset | None) -> str:
    """One constant: text quoted with its quotes doubled, a broken number in its shortest form that reads back alike."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case DateTimeOffset(text):
            return text
        case float():
            return _float(value)
        case _:
            return str(value)


def quoted(text: str) -> str:
    """`text` as one OData string."""
    return "'" + text.replace("'", "''") + "'"


def _float(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return repr(value).replace("e", "E")


def _shape(shape: Point | Polygon) -> str:
    if isinstance(shape, Point):
        return f"geography'POINT({_float(shape.longitude)} {_float(shape.latitude)})'"
    ring = ", ".join(f"{_float(longitude)} {_float(latitude)}" for longitude, latitude in shape.points)
    return f"geography'POLYGON(({ring}))'"


def fields_of(node: Node) -> frozenset[str]:
    """Every field that the filter uses, as `Address/City`; a range variable counts as the field it runs over."""
    return frozenset("/".join(path) for path in _paths(node, {}))


def _paths(node: Node, variables: Variables) -> Iterator[tuple[str, ...]]:
    match node:
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _paths(operand, variables)
        case Not(operand):
            yield from _paths(operand, variables)
        case Compare(_, left, right):
            yield from _operand_paths(left, variables)
            yield from _operand_paths(right, variables)
        case Boolean(single):
            yield from _operand_paths(single, variables)
        case SearchIn(path) | Intersects(path):
            yield _resolved(path, variables)
        case SearchIsMatch(fields=fields):
            yield from (tuple(name.strip().split("/")) for name in (fields or "").split(",") if name.strip())
        case Lambda():
            yield from _lambda_paths(node, variables)


def _operand_paths(operand: Path | Literal | Distance | Point, variables: Variables) -> Iterator[tuple[str, ...]]:
    if isinstance(operand, Path):
        yield _resolved(operand, variables)
    elif isinstance(operand, Distance):
        yield from _operand_paths(operand.left, variables)
        yield from _operand_paths(operand.right, variables)


def _lambda_paths(node: Lambda, variables: Variables) -> Iterator[tuple[str, ...]]:
    collection = _resolved(node.path, variables)
    inner = {**variables, node.variable: collection} if node.variable else variables
    used = set(_paths(node.predicate, inner)) if node.predicate is not None else set()
    # A predicate that leaves its variable aside still asks whether the collection has an element.
    if not any(path[: len(collection)] == collection for path in used):
        used.add(collection)
    yield from used


def _resolved(path: Path, variables: Variables) -> tuple[str, ...]:
    first, *rest = path.parts
    return (*variables[first], *rest) if first in variables else path.parts
