"""Which fields a filter may use and which it must pin down, checked on the parsed tree."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import InvalidFilter, Problem
from ..settings import IndexSettings, is_within
from .filter import ODataFilter
from .odata.ast import And, Compare, Lambda, Literal, Node, Not, Or, Path, SearchIn, SearchIsMatch
from .odata.printer import fields_of


def check_fields(filter: ODataFilter | None, index: IndexSettings, path: str = "$.filter") -> None:  # noqa: A002 - the word of the contract
    """Raises InvalidFilter unless `filter` keeps to `FilterFields` and pins every one of `RequiredFilterFields`."""
    problems = [*_forbidden(filter, index, path), *_missing(filter, index, path)]
    if problems:
        raise InvalidFilter(problems[0].message, code=problems[0].code, problems=tuple(problems))


def _forbidden(filter: ODataFilter | None, index: IndexSettings, path: str) -> Iterator[Problem]:  # noqa: A002
    if filter is None or index.filter_fields is None:
        return
    for field in sorted(fields_of(filter.node)):
        if not is_within(field, index.filter_fields):
            yield Problem(path, "filter_field_not_allowed", f"This index does not let a filter use the field {field}.")
    if any(isinstance(node, SearchIsMatch) for node in _nodes(filter.node)):
        yield Problem(
            path,
            "filter_field_not_allowed",
            "This index lets a filter use neither search.ismatch nor search.ismatchscoring.",
        )


def _missing(filter: ODataFilter | None, index: IndexSettings, path: str) -> Iterator[Problem]:  # noqa: A002
    pinned = set() if filter is None else {name for node in _conjuncts(filter.node) for name in _pinned(node, filter)}
    for field in index.required_filter_fields:
        if field not in pinned:
            message = f"This index requires a top-level condition on {field} with a value, such as {field} eq '…'."
            yield Problem(path, "required_filter_field", message)


def _conjuncts(node: Node) -> Iterator[Node]:
    if isinstance(node, And):
        for operand in node.operands:
            yield from _conjuncts(operand)
    else:
        yield node


def _pinned(node: Node, whole: ODataFilter) -> Iterator[str]:
    """The field that one top-level condition fixes to a value or to values of a list, none of which is null.

    A list written out with `or` counts only where this package wrote it from a list of values. An empty one counts too:
    it matches nothing, and that search is never sent.
    """
    if _compares_null(node):
        return
    if isinstance(node, Compare) and node.operator == "eq":
        sides = (node.left, node.right)
        if any(isinstance(side, Literal) for side in sides):
            yield from ("/".join(side.parts) for side in sides if isinstance(side, Path))
    elif isinstance(node, SearchIn) and (node.values or node in whole.lists):
        yield "/".join(node.path.parts)
    elif isinstance(node, Or) and node in whole.lists:
        yield from fields_of(node)
    elif isinstance(node, Lambda) and node.kind == "any" and node.predicate is not None:
        yield from _pinned_collection(node, whole)


def _pinned_collection(node: Lambda, whole: ODataFilter) -> Iterator[str]:
    inside = node.predicate
    plain = (
        isinstance(inside, Compare) and inside.operator == "eq" and _is_variable(inside.left, inside.right, node.variable)
    )
    listed = isinstance(inside, SearchIn) and inside.path.parts == (node.variable,) and bool(inside.values)
    if plain or listed or node in whole.lists:
        yield "/".join(node.path.parts)


def _is_variable(left: object, right: object, variable: str | None) -> bool:
    sides = (left, right)
    return Path((variable or "",)) in sides and any(isinstance(side, Literal) for side in sides)


def _compares_null(node: Node) -> bool:
    """Whether null is among the values that the condition compares with: every document without the field would match."""
    compared = [one for one in _nodes(node) if isinstance(one, Compare)]
    return any(side == Literal(None) for one in compared for side in (one.left, one.right))


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _nodes(operand)
        case Not(operand):
            yield from _nodes(operand)
        case Lambda(predicate=predicate) if predicate is not None:
            yield from _nodes(predicate)
