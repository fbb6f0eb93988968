"""Filters: an OData text that was built or vouched for, never a plain string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString, cast

from ..errors import InvalidFilter, Problem
from .literals import FilterValue, any_of, check_length, invalid_filter, is_list, literal
from .odata.ast import Node
from .odata.lexer import FIELD_PATH
from .odata.parser import parse
from .template import Filled, fill, shown


class FilterNotBuilt(InvalidFilter, TypeError):
    """Something that is no ODataFilter stands where a filter belongs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ODataFilter:
    """A filter with its parsed tree. Made by `odata`, `equals`, `raw`, `template` or `filter_from_json`.

    `empty` is set when an empty list stands in it: nothing can match, so the search is not sent.
    `lists` are the conditions that came from lists of values.
    """

    text: str
    node: Node
    empty: bool = False
    lists: frozenset[Node] = frozenset()

    @classmethod
    def equals(cls, fields: Mapping[str, FilterValue], *, path: str = "$.filter.equals") -> ODataFilter:
        """All of `fields` must match; a list means any of. Raises InvalidFilter with the JSON path."""
        if not fields:
            raise invalid_filter(path, "blank_filter", "An empty object filters nothing; leave the filter out instead.")
        problems: list[Problem] = []
        conditions: list[str] = []
        for field, value in fields.items():
            try:
                conditions.append(_equal(field, value, path))
            except InvalidFilter as error:
                problems.extend(error.problems)
        if problems:
            raise InvalidFilter(problems[0].message, problems=tuple(problems))
        lists = tuple(text for text, value in zip(conditions, fields.values(), strict=True) if is_list(value))
        empty = any(is_list(value) and not value for value in fields.values())
        return _parsed(Filled(" and ".join(conditions), lists, empty), path)

    @classmethod
    def raw(cls, text: str, *, path: str = "$.filter.raw") -> ODataFilter:
        """An OData text that the caller vouches for, kept as written. Raises InvalidFilter unless it parses by itself."""
        return _parsed(Filled(text, (), False), path)

    @classmethod
    def template(cls, template: str, values: Mapping[str, FilterValue], *, path: str = "$.filter") -> ODataFilter:
        """A template such as `urn eq {urn}`, each value one literal of its type. Raises InvalidFilter with the JSON path."""
        return _parsed(fill(template, values, path), f"{path}.template")

    def narrowed_by(self, other: ODataFilter) -> ODataFilter:
        """Both filters at once, each in brackets."""
        text = f"({self.text}) and ({other.text})"
        return ODataFilter(text=text, node=parse(text), empty=self.empty or other.empty, lists=self.lists | other.lists)


def odata(template: LiteralString, /, **values: FilterValue) -> ODataFilter:
    """A filter from a template written in code: `odata("urn eq {urn}", urn=urn)`. Raises InvalidFilter.

    Type checkers refuse a template that is not a literal, but mypy lets an f-string through. A quoted text or a number in
    the template is how a value pasted into it would look, so both are refused here; a constant filter is `ODataFilter.raw`.
    """
    _refuse_literals(template)
    return ODataFilter.template(template, values)


# A quote, a number, or a word that OData reads as a constant.
_CONSTANT = re.compile(
    r"'|(?<![A-Za-z0-9_/{])[+-]?\.?[0-9]|(?<![A-Za-z0-9_/{])(?:true|false|null|NaN|[+-]?INF)(?![A-Za-z0-9_/}])"
)
_COMPARED_BEFORE = re.compile(r"\b(?:eq|ne)\s+\Z")
_COMPARED_AFTER = re.compile(r"\s+(?:eq|ne)\b")


def _refuse_literals(template: str) -> None:
    """Raises InvalidFilter for a constant in a template, but `true`, `false` and `null` beside `eq` and `ne`."""
    for match in _CONSTANT.finditer(template):
        compared = _COMPARED_BEFORE.search(template, max(0, match.start() - 16), match.start())
        if match[0] in ("true", "false", "null") and (compared or _COMPARED_AFTER.match(template, match.end())):
            continue
        message = (
            'A value stands in the template itself. Put a placeholder there and pass the value, odata("urn eq {urn}", '
            "urn=urn), or use ODataFilter.raw for a constant filter."
        )
        raise invalid_filter("$.filter.template", "literal_in_template", message)


def require_filter(value: object) -> ODataFilter | None:
    """`value` if it is a filter or None. Raises FilterNotBuilt for a plain string or anything else."""
    if value is None or isinstance(value, ODataFilter):
        return value
    raise FilterNotBuilt("A filter is an ODataFilter, never a plain string: build it with odata(), equals() or raw().")


def _equal(field: str, value: object, path: str) -> str:
    place = f"{path}{shown(field)}"
    if not FIELD_PATH.fullmatch(field):
        raise invalid_filter(place, "invalid_field", "A key is the name of a field, such as urn or address/city.")
    return any_of(field, value, place) if is_list(value) else f"{field} eq {literal(value, place)}"  # type: ignore[arg-type]


def _parsed(filled: Filled, path: str) -> ODataFilter:
    if not isinstance(filled.text, str) or not filled.text.strip():
        raise invalid_filter(path, "blank_filter", "A blank filter filters nothing; leave the filter out instead.")
    check_length(len(filled.text), path)
    try:
        node = parse(filled.text)
    except InvalidFilter as error:
        raise invalid_filter(path, "invalid_filter", error.message) from error
    lists = frozenset(node if condition == filled.text else parse(condition) for condition in filled.lists)
    return ODataFilter(text=filled.text, node=node, empty=filled.empty, lists=lists)


# Filters as they come in a request: `{"template", "values"}`, `{"equals"}` or `{"raw"}`, one of them.

_FORMS = "A filter has one of template (with values), equals or raw."


def filter_from_json(value: object, path: str = "$.filter") -> ODataFilter:
    """The filter of a request. Raises InvalidFilter, each problem with its JSON path and without its value."""
    if not isinstance(value, Mapping):
        raise invalid_filter(path, "invalid_filter", f"A filter is an object, never a plain text. {_FORMS}")
    _check_members(value, path)
    if "equals" in value:
        return ODataFilter.equals(_object(value["equals"], f"{path}.equals"), path=f"{path}.equals")
    if "raw" in value:
        return ODataFilter.raw(_text(value["raw"], f"{path}.raw"), path=f"{path}.raw")
    template = _text(value["template"], f"{path}.template")
    return ODataFilter.template(template, _object(value.get("values", {}), f"{path}.values"), path=path)


def _check_members(value: Mapping[str, object], path: str) -> None:
    unknown = [name for name in value if name not in ("template", "values", "equals", "raw")]
    if unknown:
        problems = tuple(Problem(f"{path}{shown(name)}", "unknown_member", _FORMS) for name in unknown)
        raise InvalidFilter(_FORMS, problems=problems)
    forms = [name for name in ("template", "equals", "raw") if name in value]
    if len(forms) != 1 or ("values" in value and forms != ["template"]):
        raise invalid_filter(path, "invalid_filter", _FORMS)


def _object(value: object, path: str) -> Mapping[str, FilterValue]:
    # What the values really are is checked one by one, where they become literals.
    if isinstance(value, Mapping):
        return cast(Mapping[str, FilterValue], value)
    raise invalid_filter(path, "invalid_type", "This member is an object.")


def _text(value: object, path: str) -> str:
    if isinstance(value, str):
        return value
    raise invalid_filter(path, "invalid_type", "This member is a text.")
