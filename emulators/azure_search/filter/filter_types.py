"""Checks of a filter against an index: fields exist, are filterable, and meet values of their own type."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import ServiceError, invalid_expression
from ..schema.definition import IndexDefinition
from ..schema.fields import NUMERIC, Field
from . import odata

Scope = Mapping[str, Field]
SYMBOLS = {
    "eq": "Equal",
    "ne": "NotEqual",
    "gt": "GreaterThan",
    "ge": "GreaterThanOrEqual",
    "lt": "LessThan",
    "le": "LessThanOrEqual",
}


def filter_error(text: str) -> ServiceError:
    """The 400 of a filter that does not fit the index."""
    return invalid_expression("$filter", text)


def field_at(definition: IndexDefinition, path: odata.Path, scope: Scope) -> Field:
    """The field that a path names, from a range variable or from the top; unknown ones are a 400."""
    start = scope.get(path.parts[0])
    above = start.path.split("/") if start is not None else []
    parts = [*above, *path.parts[1 if start is not None else 0 :]]
    found = definition.by_path.get("/".join(parts))
    if found is None:
        kind = "search.document" if len(parts) == 1 else f"search.complex.{'.'.join(parts[:-1])}"
        raise filter_error(f"Could not find a property named '{parts[-1]}' on type '{kind}'.")
    for end in range(len(above) + 1, len(parts)):
        passed = definition.by_path["/".join(parts[:end])]
        if passed.collection:
            raise filter_error(f"The collection '{passed.path}' can only be used with 'any' or 'all' in a filter.")
    return found


class FilterTypes:
    """Walks a tree once, before anything is evaluated."""

    def __init__(self, definition: IndexDefinition) -> None:
        self._definition = definition

    def check(self, node: odata.Node, scope: Scope | None = None) -> None:
        """Raises the service's 400 for the first part that does not fit."""
        scope = scope or {}
        match node:
            case odata.And(operands) | odata.Or(operands):
                for operand in operands:
                    self.check(operand, scope)
            case odata.Not(operand):
                self.check(operand, scope)
            case odata.Compare():
                self._compare(node, scope)
            case odata.Boolean(odata.Path() as path):
                self._one(path, scope, "Edm.Boolean")
            case odata.SearchIn():
                self._one(node.path, scope, "Edm.String")
            case odata.Intersects():
                self._one(node.path, scope, "Edm.GeographyPoint")
            case odata.Lambda():
                self._lambda(node, scope)
            case odata.SearchIsMatch():
                if scope:
                    raise filter_error("search.ismatch and search.ismatchscoring cannot be used inside a lambda expression.")
            case odata.Boolean():
                pass

    def _field(self, path: odata.Path, scope: Scope) -> Field:
        found = field_at(self._definition, path, scope)
        if not found.complex and not found.filterable:
            raise filter_error(
                f"'{found.path}' is not a filterable field. Only filterable fields can be used in filter expressions."
            )
        return found

    def _one(self, path: odata.Path, scope: Scope, kind: str) -> None:
        found = self._field(path, scope)
        if self._collection(path, scope, found) or found.element != kind:
            raise filter_error(f"The expression needs '{found.path}' to be of the type '{kind}'; it is '{found.type}'.")

    def _collection(self, path: odata.Path, scope: Scope, found: Field) -> bool:
        """True when the path stands for a whole list; the range variable itself stands for one element."""
        return found.collection and not (len(path.parts) == 1 and path.parts[0] in scope)

    def _compare(self, node: odata.Compare, scope: Scope) -> None:
        for distance in (node.left, node.right):
            if isinstance(distance, odata.Distance):
                for end in (distance.left, distance.right):
                    if isinstance(end, odata.Path):
                        self._one(end, scope, "Edm.GeographyPoint")
                other = node.right if distance is node.left else node.left
                if (
                    not isinstance(other, odata.Literal)
                    or isinstance(other.value, bool)
                    or not isinstance(other.value, int | float)
                ):
                    raise filter_error("geo.distance can only be compared with a number.")
                return
        path, literal = (node.left, node.right) if isinstance(node.left, odata.Path) else (node.right, node.left)
        if not isinstance(path, odata.Path) or not isinstance(literal, odata.Literal):
            raise filter_error("A comparison needs one field and one constant.")
        found = self._field(path, scope)
        if self._collection(path, scope, found):
            raise filter_error(f"The collection '{found.path}' can only be used with 'any' or 'all' in a filter.")
        self._fits(found, literal, node.operator)

    def _fits(self, field: Field, literal: odata.Literal, operator: odata.Comparison) -> None:
        value = literal.value
        if value is None and (operator in ("eq", "ne")):
            return
        if field.complex or field.element == "Edm.GeographyPoint":
            raise filter_error(f"'{field.path}' of the type '{field.type}' cannot be compared with a constant.")
        if field.element == "Edm.Boolean" and operator not in ("eq", "ne"):
            raise filter_error(f"The operator '{operator}' cannot be applied to '{field.path}' of the type 'Edm.Boolean'.")
        kind = literal_type(value)
        if value is None or kind == field.element or (kind in NUMERIC and field.element in NUMERIC):
            return
        raise filter_error(
            "A binary operator with incompatible types was detected. Found operand types "
            f"'{field.element}' and '{kind}' for operator kind '{SYMBOLS[operator]}'."
        )

    def _lambda(self, node: odata.Lambda, scope: Scope) -> None:
        found = field_at(self._definition, node.path, scope)
        if not self._collection(node.path, scope, found):
            raise filter_error(f"'{node.kind}' needs a collection; '{found.path}' is of the type '{found.type}'.")
        if not found.complex and not found.filterable:
            raise filter_error(
                f"'{found.path}' is not a filterable field. Only filterable fields can be used in filter expressions."
            )
        if node.predicate is not None and node.variable is not None:
            self.check(node.predicate, {**scope, node.variable: found})


def literal_type(value: object) -> str:
    """The OData type of a constant."""
    if isinstance(value, bool):
        return "Edm.Boolean"
    if isinstance(value, int):
        return "Edm.Int32" if -(2**31) <= value < 2**31 else "Edm.Int64"
    if isinstance(value, float):
        return "Edm.Double"
    return "Edm.String" if isinstance(value, str) else "Edm.DateTimeOffset" if value is not None else "null"
