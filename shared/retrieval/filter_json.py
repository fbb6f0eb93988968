"""Filters as they come in a request: `{"template", "values"}`, `{"equals"}` or `{"raw"}`, one of them (spec 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from .errors import InvalidFilter, Problem
from .filters.filter import ODataFilter
from .filters.literals import FilterValue, invalid_filter
from .filters.template import shown

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
