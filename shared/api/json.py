"""Reading of JSON bodies: strict about what JSON leaves open, so that no two readers can disagree (RFC 8259, RFC 7493)."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from shared.retrieval import MAX_ERRORS, CallerError, InvalidRequest, Problem, TooLarge, check_json_bounds

from .requests import Request

Model = TypeVar("Model", bound=BaseModel)

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE = re.compile("[\ud800-\udfff]")
_UNKNOWN_KEY = "This member is not known."
_SHOWN = 64
_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_]{{0,{_SHOWN - 1}}}", re.ASCII)


class _Unreadable(ValueError):
    """The text is no JSON that we take; `code` and `message` say why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def read_json(body: bytes) -> Any:
    """The body's JSON value; a byte order mark before it is passed over.

    Raises InvalidRequest for anything that is not plain, unambiguous JSON in UTF-8, TooLarge for too many values.
    """
    check_json_bounds(body)
    objects = _Objects()
    try:
        text = body.decode("utf-8-sig")
        if not text.strip():
            raise _Unreadable("invalid_json", "The body is empty; send a JSON object.")
        value = json.loads(
            text, object_pairs_hook=objects.take, parse_constant=_no_constant, parse_float=_finite, parse_int=_short
        )
        if _SURROGATE.search(text):
            _refuse_lone_surrogates(value)
    except _Unreadable as error:
        raise _invalid(error.code, error.message) from None
    except UnicodeDecodeError:
        raise _invalid("invalid_json", "The body is not UTF-8.") from None
    except (ValueError, RecursionError):
        raise _invalid("invalid_json", "The body is not valid JSON.") from None
    objects.check(value)
    return value


def _invalid(code: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, code=code, problems=(Problem("$", code, message),))


class _Objects:
    """The objects of a body, and which of them had a key twice."""

    def __init__(self) -> None:
        self._repeated: dict[int, tuple[dict[str, Any], str]] = {}

    def take(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object of the body."""
        members = dict(pairs)
        if len(members) != len(pairs):
            names = Counter(name for name, _ in pairs)
            # Kept with the object, so that no later one gets its id.
            self._repeated[id(members)] = members, next(name for name, times in names.items() if times > 1)
        return members

    def check(self, body: Any) -> None:
        """Raises InvalidRequest with the path of each repeated key of `body`."""
        if not self._repeated:
            return
        paths = [
            path + _member(self._repeated[id(value)][1]) for path, value in _places(body) if id(value) in self._repeated
        ]
        message = "An object has a key twice."
        problems = tuple(Problem(path, "duplicate_key", message) for path in paths)
        raise InvalidRequest(message, code="duplicate_key", problems=problems)


def _places(body: Any) -> Iterator[tuple[str, Any]]:
    """Every value of a body with its path, from the outside in."""
    pending = [("$", body)]
    while pending:
        path, value = pending.pop()
        yield path, value
        if isinstance(value, dict):
            pending.extend((path + _member(name), member) for name, member in reversed(value.items()))
        elif isinstance(value, list):
            pending.extend((f"{path}[{place}]", element) for place, element in reversed(list(enumerate(value))))


def _no_constant(_: str) -> float:
    raise _Unreadable("invalid_json", "NaN and Infinity are not JSON.")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Unreadable("invalid_json", "A number is out of range.")
    return value


def _short(text: str) -> int:
    if len(text) > 400:
        raise _Unreadable("invalid_json", "A number is out of range.")
    return int(text)


def _refuse_lone_surrogates(value: Any) -> None:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.extend(item.keys())
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, str) and _LONE.search(item):
            raise _Unreadable("invalid_json", "A text holds half of a surrogate pair.")


def read_object(body: bytes) -> dict[str, Any]:
    """The body's JSON object."""
    value = read_json(body)
    if not isinstance(value, dict):
        raise _invalid("wrong_type", "The body must be a JSON object.")
    return value


def read_model(body: bytes, model: type[Model]) -> Model:
    """The body as `model`. Raises InvalidRequest with the JSON path of each fault, TooLarge for over-long texts."""
    value = read_object(body)
    _refuse_many_unknown_keys(value, model)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _error_of(error) from None


def _refuse_many_unknown_keys(value: object, model: type[BaseModel]) -> None:
    """Raises InvalidRequest where more keys are unknown than a reply names: the model would make an error of each first."""
    unknown = _unknown_keys("$", value, model)
    first = [f"{path}{_member(name)}" for path, name in islice(unknown, MAX_ERRORS)]
    more = sum(1 for _ in unknown)
    if more:
        problems = tuple(Problem(path, "unknown_key", _UNKNOWN_KEY) for path in first)
        message = f"The request has members that are not known; see errors. {more:,} more are not listed."
        raise InvalidRequest(message, problems=problems)


def _unknown_keys(path: str, value: object, annotation: Any) -> Iterator[tuple[str, str]]:
    """The place and name of each key that no model at that place has."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = {field.alias or name: field.annotation for name, field in annotation.model_fields.items()}
        for name, member in value.items() if isinstance(value, dict) else ():
            if name not in fields:
                if annotation.model_config.get("extra") == "forbid":
                    yield path, name
            elif isinstance(member, dict | list):
                yield from _unknown_keys(path + _member(name), member, fields[name])
        return
    models = [inner for inner in get_args(annotation) if inner is not type(None)]
    for place, element in enumerate(value) if isinstance(value, list) and models else ():
        yield from _unknown_keys(f"{path}[{place}]", element, models[0] if len(models) == 1 else None)
    if isinstance(value, dict) and len(models) == 1:
        yield from _unknown_keys(path, value, models[0])


def body_as(model: type[Model]) -> Callable[[Request], Model]:
    """Reads a request's body as `model`; raises as `read_model`."""

    def read(request: Request) -> Model:
        return read_model(request.body, model)

    return read


def _error_of(error: ValidationError) -> InvalidRequest | TooLarge:
    problems = tuple(_problem(fault) for fault in error.errors(include_url=False, include_input=False))
    wrong = tuple(problem for problem in problems if problem.code != "too_large")
    if not wrong:
        return TooLarge(problems[0].message, problems=problems)
    code = wrong[0].code if wrong[0].code.startswith("invalid_") else "invalid_request"
    return InvalidRequest("The request has members that cannot be used; see errors.", code=code, problems=problems)


def _path(location: tuple[int | str, ...]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else _member(part) for part in location)


def _member(name: str) -> str:
    """A member as it stands in a path: `.name`; one that is no plain name is quoted in brackets and shortened."""
    return f".{name}" if _NAME.fullmatch(name) else f"[{json.dumps(name[:_SHOWN])}]"


_TYPES = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "model": "an object",
}


def _problem(fault: Any) -> Problem:
    kind, path, context = str(fault["type"]), _path(fault["loc"]), fault.get("ctx", {})
    if isinstance(context.get("error"), Flaw):
        flaw = context["error"]
        return Problem(path + flaw.below, flaw.code, flaw.message)
    if kind == "missing":
        return Problem(path, "missing", "This member is required.")
    if kind == "extra_forbidden":
        return Problem(path, "unknown_key", _UNKNOWN_KEY)
    if kind in ("greater_than_equal", "less_than_equal", "greater_than", "less_than"):
        return Problem(path, "out_of_range", f"This number must be {_bound(context)}.")
    if kind == "too_short":
        least = context["min_length"]
        return Problem(path, "out_of_range", f"This list needs at least {least} {'entry' if least == 1 else 'entries'}.")
    if kind == "too_long":
        return Problem(path, "out_of_range", f"This list may have at most {context['max_length']} entries.")
    if kind == "string_too_long":
        return Problem(path, "too_large", f"This text may have at most {context['max_length']} characters.")
    if kind == "literal_error":
        return Problem(path, "out_of_range", f"This must be one of {context['expected']}.")
    wanted = next((name for prefix, name in _TYPES.items() if kind.startswith(prefix)), "of another type")
    return Problem(path, "wrong_type", f"This must be {wanted}.")


def _bound(context: dict[str, Any]) -> str:
    names = {"ge": "at least", "le": "at most", "gt": "more than", "lt": "less than"}
    return " and ".join(f"{word} {context[key]}" for key, word in names.items() if key in context)


class Flaw(ValueError):
    """What a validator of ours finds wrong: code, sentence and the place `below` the member."""

    def __init__(self, code: str, message: str, below: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.below = below


# Paths of faults that the packages know by their code alone: they have arguments, callers have members and parameters.


@contextmanager
def fault_paths(paths: Mapping[str, str]) -> Iterator[None]:
    """Names the place in the request of an error of one of these codes, unless the error names its own."""
    try:
        yield
    except CallerError as error:
        if not error.problems and error.code in paths:
            error.problems = (error.at(paths[error.code]),)
        raise
