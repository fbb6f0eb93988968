"""Evaluates the tree of a filter over the documents of an index, to a mask (and scores of `search.ismatchscoring`)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import ServiceError
from ..schema.edm import instant
from ..storage.store import DocumentStore, Mask
from . import odata
from .filter_types import FilterTypes, filter_error
from .geography import distance, inside, place

Scores = NDArray[np.float64]
Scope = Mapping[str, Any]
Test = Callable[[Scope], bool]
ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}


class TextSearch(Protocol):
    """Runs the query of a `search.ismatch` call."""

    def __call__(self, call: odata.SearchIsMatch) -> tuple[Mask, Scores]:
        """Which documents match, and their scores."""
        ...


def parse_filter(text: str) -> odata.Node:
    """The tree of a filter text; one that cannot be parsed is the service's 400, never dropped."""
    try:
        return odata.parse(text)
    except odata.FilterSyntax as error:
        raise filter_error(f"Syntax error at position {error.position} in '{text}'.") from None


class Filter:
    """One filter on one index. `scores` is the sum of the scores of `search.ismatchscoring`, None without it."""

    def __init__(self, store: DocumentStore, text_search: TextSearch) -> None:
        self._store = store
        self._text_search = text_search
        self.scores: Scores | None = None

    def mask(self, node: odata.Node) -> Mask:
        """The documents that pass. Raises the service's 400 where the filter does not fit the index."""
        FilterTypes(self._store.definition).check(node)
        return self._mask(node)

    def _mask(self, node: odata.Node) -> Mask:
        match node:
            case odata.And(operands):
                return every([self._mask(each) for each in operands])
            case odata.Or(operands):
                return some([self._mask(each) for each in operands])
            case odata.Not(operand):
                return ~self._mask(operand)
            case odata.SearchIsMatch():
                return self._is_match(node)
        return self._by_column(node) if single_path(node) else self._by_document(node)

    def _is_match(self, node: odata.SearchIsMatch) -> Mask:
        mask, scores = self._text_search(node)
        if node.scoring:
            self.scores = scores if self.scores is None else self.scores + scores
        return mask

    def _by_column(self, node: odata.Node) -> Mask:
        """Conditions on one field outside lambdas: over a column of its values, kept until a document changes."""
        path = single_path(node)
        column = self._store.remember(("column", path), lambda: self._column(path))
        test = _condition(node)
        return np.fromiter(map(test, column), np.bool_, len(column))

    def _column(self, path: tuple[str, ...]) -> list[Any]:
        kind = self._store.definition.by_path["/".join(path)].element
        return [_comparable(_follow(each, path), kind) for each in self._store.documents]

    def _by_document(self, node: odata.Node) -> Mask:
        test = compile_test(node)
        documents = self._store.documents
        return np.fromiter((each is not None and test({"": each}) for each in documents), np.bool_, len(documents))


def every(masks: Sequence[Mask]) -> Mask:
    """The documents that every mask holds."""
    return reduce(np.logical_and, masks)


def some(masks: Sequence[Mask]) -> Mask:
    """The documents that at least one mask holds."""
    return reduce(np.logical_or, masks)


def single_path(node: odata.Node) -> tuple[str, ...]:
    """The field of a condition on one field, () for other conditions."""
    match node:
        case odata.Compare(_, odata.Path(parts), odata.Literal()) | odata.Compare(_, odata.Literal(), odata.Path(parts)):
            return parts
        case odata.SearchIn(odata.Path(parts)) | odata.Boolean(odata.Path(parts)):
            return parts
    return ()


FLIPPED: Mapping[str, odata.Comparison] = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge", "eq": "eq", "ne": "ne"}


def _condition(node: odata.Node) -> Callable[[Any], bool]:
    """The test of one value by a condition on one field."""
    match node:
        case odata.Compare(name, odata.Path(), odata.Literal(value)):
            return _compare(name, value)
        case odata.Compare(name, odata.Literal(value), odata.Path()):
            return _compare(FLIPPED[name], value)
        case odata.SearchIn():
            allowed = frozenset(node.values)
            return lambda value: value in allowed
        case odata.Boolean():
            return lambda value: value is True
    raise TypeError(type(node).__name__)


def _compare(name: odata.Comparison, constant: Any) -> Callable[[Any], bool]:
    """Comparisons with null: only `eq` and `ne` see it; a null value is `ne` everything else."""
    if isinstance(constant, odata.DateTimeOffset):
        moment = instant(constant.text)
        if moment is None:
            raise filter_error(f"The literal '{constant.text}' is no date-time with a zone.")
        constant = moment
    if name == "eq":
        return lambda value: bool(value == constant)
    if name == "ne":
        return lambda value: bool(value != constant)
    if constant is None:
        return lambda value: False
    test = ORDER[name]
    return lambda value: value is not None and test(value, constant)


def _comparable(value: Any, kind: str) -> Any:
    return instant(value) if kind == "Edm.DateTimeOffset" and isinstance(value, str) else value


def _follow(value: Any, parts: Iterable[str]) -> Any:
    for part in parts:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def compile_test(node: odata.Node) -> Test:
    """A test of one document, with the range variables of lambdas in scope."""
    match node:
        case odata.And(operands):
            tests = [compile_test(each) for each in operands]
            return lambda scope: all(test(scope) for test in tests)
        case odata.Or(operands):
            choices = [compile_test(each) for each in operands]
            return lambda scope: any(test(scope) for test in choices)
        case odata.Not(operand):
            inner = compile_test(operand)
            return lambda scope: not inner(scope)
        case odata.Boolean(odata.Literal(value)):
            return lambda scope: value is True
        case odata.Lambda():
            return _lambda(node)
        case odata.Intersects(path, polygon):
            return lambda scope: (at := resolve(path, scope)) is not None and inside(place(at), polygon.points)
        case odata.Compare() if isinstance(node.left, odata.Distance) or isinstance(node.right, odata.Distance):
            return _near(node)
        case odata.SearchIsMatch():
            raise ServiceError(400, "", "search.ismatch cannot be used inside a lambda expression.")
    return _on_value(node)


def _on_value(node: odata.Node) -> Test:
    path, test = odata.Path(single_path(node)), _condition(node)
    dated = isinstance(node, odata.Compare) and any(
        isinstance(side, odata.Literal) and isinstance(side.value, odata.DateTimeOffset) for side in (node.left, node.right)
    )
    kind = "Edm.DateTimeOffset" if dated else ""
    return lambda scope: test(_comparable(resolve(path, scope), kind))


def resolve(path: odata.Path, scope: Scope) -> Any:
    """The value of a path: from its range variable, or from the document."""
    first = path.parts[0]
    return _follow(scope[first], path.parts[1:]) if first in scope else _follow(scope[""], path.parts)


def _lambda(node: odata.Lambda) -> Test:
    if node.predicate is None or node.variable is None:
        return lambda scope: bool(resolve(node.path, scope))
    test, name, over = compile_test(node.predicate), node.variable, any if node.kind == "any" else all
    return lambda scope: over(test({**scope, name: each}) for each in resolve(node.path, scope) or ())


def _near(node: odata.Compare) -> Test:
    measure, limit = (node.left, node.right) if isinstance(node.left, odata.Distance) else (node.right, node.left)
    name = node.operator if isinstance(node.left, odata.Distance) else FLIPPED[node.operator]
    if not isinstance(measure, odata.Distance) or not isinstance(limit, odata.Literal):
        raise filter_error("geo.distance can only be compared with a number.")
    path, point = ends(measure)
    test = _compare(name, limit.value)

    def near(scope: Scope) -> bool:
        at = resolve(path, scope)
        return at is not None and test(distance(place(at), point))

    return near


def ends(measure: odata.Distance) -> tuple[odata.Path, tuple[float, float]]:
    """The field and the fixed place of a distance."""
    sides = (measure.left, measure.right)
    path = next((side for side in sides if isinstance(side, odata.Path)), None)
    point = next((side for side in sides if isinstance(side, odata.Point)), None)
    if path is None or point is None:
        raise filter_error("geo.distance needs a field and a point.")
    return path, (point.longitude, point.latitude)
