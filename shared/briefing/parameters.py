"""Typed parameters of a definition: their JSON schema and the check of the values that a message gives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from shared.retrieval import MAX_ZONE_MINUTES, Problem

ParameterType = Literal["string", "integer", "number", "boolean", "date-time", "string-list"]

DEFAULT_MAX_LENGTH = 1_000
MAX_LIST = 100
# What the search service can compare: OData's Int64 and no infinite doubles.
INTEGERS = range(-(2**63), 2**63)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter. `default` is None for a required one; `max_length` counts code points of a text or list entry."""

    name: str
    type: ParameterType
    description: str = ""
    required: bool = True
    default: Any = None
    pattern: str | None = None
    allowed: tuple[str, ...] | None = None
    max_length: int = DEFAULT_MAX_LENGTH
    minimum: float | None = None
    maximum: float | None = None

    def schema(self) -> dict[str, Any]:
        """The JSON schema of its values."""
        described = {"description": self.description} if self.description else {}
        default = {} if self.required else {"default": self.default}
        return {**_TYPES[self.type].schema(self), **described, **default}

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value, without the value; None when nothing is."""
        return _TYPES[self.type].problem(self, value)


def parameters_schema(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """The JSON schema of the `parameters` member of a briefing."""
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def check_parameters(parameters: tuple[Parameter, ...], values: Any, path: str) -> tuple[Problem, ...]:
    """The problems of the values given, each with its JSON path."""
    if not isinstance(values, Mapping):
        return (Problem(path, "invalid_parameter", "must be an object"),)
    known = {parameter.name: parameter for parameter in parameters}
    problems = [
        Problem(_member(path, name), "unknown_parameter", "is no parameter of this briefing")
        for name in values
        if name not in known
    ]
    for name, parameter in known.items():
        problems += _problems_of(parameter, values, f"{path}.{name}")
    return tuple(problems)


def _member(path: str, name: object) -> str:
    """The path of a member that the caller named; one that is no plain name is not repeated."""
    return f"{path}.{name}" if isinstance(name, str) and re.fullmatch(r"\w{1,50}", name, re.ASCII) else path


def complete_parameters(parameters: tuple[Parameter, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with the defaults of those that were not given."""
    return {parameter.name: values.get(parameter.name, parameter.default) for parameter in parameters}


def _problems_of(parameter: Parameter, values: Mapping[str, Any], path: str) -> list[Problem]:
    if parameter.name not in values:
        return [Problem(path, "missing_parameter", "is required")] if parameter.required else []
    problem = parameter.problem(values[parameter.name])
    return [Problem(path, "invalid_parameter", problem)] if problem else []


@dataclass(frozen=True, slots=True)
class _Type:
    schema: Callable[[Parameter], dict[str, Any]]
    problem: Callable[[Parameter, Any], str | None]


def _string_schema(parameter: Parameter) -> dict[str, Any]:
    pattern = {"pattern": f"^(?:{parameter.pattern})$"} if parameter.pattern else {}
    allowed = {"enum": list(parameter.allowed)} if parameter.allowed else {}
    # Without an allowed list a text may not be blank, unless nothing at all is its default.
    shortest = {} if parameter.default == "" else {"minLength": 1}
    return {"type": "string", **shortest, "maxLength": parameter.max_length, **pattern, **allowed}


def _string_problem(parameter: Parameter, value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be a text"
    if not value.strip() and parameter.default != "":
        return "must not be blank"
    if len(value) > parameter.max_length:
        return f"must have at most {parameter.max_length} characters"
    if CONTROL.search(value) or not _encodable(value):
        return "must not hold control characters or half characters"
    if parameter.pattern and not re.fullmatch(parameter.pattern, value):
        return "does not have the form that the definition asks for"
    if parameter.allowed and value not in parameter.allowed:
        return "must be one of the texts that the definition lists"
    return None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: JSON can write one, UTF-8 cannot
        return False
    return True


def _number_schema(parameter: Parameter) -> dict[str, Any]:
    lowest = {} if parameter.minimum is None else {"minimum": parameter.minimum}
    highest = {} if parameter.maximum is None else {"maximum": parameter.maximum}
    return {"type": parameter.type, **lowest, **highest}


def _integer_problem(parameter: Parameter, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int) or value not in INTEGERS:
        return "must be a whole number"
    return _range_problem(parameter, value)


def _number_problem(parameter: Parameter, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        return "must be a number"
    return _range_problem(parameter, value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every double
        return False


def _range_problem(parameter: Parameter, value: float) -> str | None:
    if parameter.minimum is not None and value < parameter.minimum:
        return f"must be at least {parameter.minimum:g}"
    if parameter.maximum is not None and value > parameter.maximum:
        return f"must be at most {parameter.maximum:g}"
    return None


def _boolean_problem(_: Parameter, value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _date_problem(_: Parameter, value: Any) -> str | None:
    if not isinstance(value, str) or "T" not in value:
        return "must be a date and time with a zone, as 2020-01-01T00:00:00Z"
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return "must be a date and time with a zone, as 2020-01-01T00:00:00Z"
    zone = moment.utcoffset()
    if zone is None:
        return "must say its zone, as 2020-01-01T00:00:00Z"
    fits = abs(zone) <= timedelta(minutes=MAX_ZONE_MINUTES) and not zone % timedelta(minutes=1)
    return None if fits else "must have a zone of whole minutes and at most 14 hours, as +01:00"


def _list_schema(parameter: Parameter) -> dict[str, Any]:
    return {"type": "array", "items": _string_schema(parameter), "maxItems": MAX_LIST}


def _list_problem(parameter: Parameter, value: Any) -> str | None:
    if not isinstance(value, list):
        return "must be a list of texts"
    if len(value) > MAX_LIST:
        return f"must have at most {MAX_LIST} entries"
    return next((f"has an entry that {problem}" for entry in value if (problem := _string_problem(parameter, entry))), None)


_TYPES: Mapping[ParameterType, _Type] = {
    "string": _Type(_string_schema, _string_problem),
    "integer": _Type(_number_schema, _integer_problem),
    "number": _Type(_number_schema, _number_problem),
    "boolean": _Type(lambda _: {"type": "boolean"}, _boolean_problem),
    "date-time": _Type(lambda _: {"type": "string", "format": "date-time"}, _date_problem),
    "string-list": _Type(_list_schema, _list_problem),
}
