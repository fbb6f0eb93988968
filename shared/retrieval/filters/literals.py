"""Values in a filter: each becomes one OData literal of its own type, a list becomes one condition."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

from ..errors import InvalidFilter, Problem, TooLarge
from ..limits import MAX_FILTER_CHARACTERS
from .odata.ast import DateTimeOffset
from .odata.lexer import is_date_time
from .odata.printer import quoted

Scalar = str | int | float | Decimal | bool | datetime | UUID | DateTimeOffset | None
FilterValue = Scalar | Collection[Scalar]

# Tried in this order; none of them is white space, which could be taken for padding of a value.
_DELIMITERS = "|,;~^¦§¶"
_WHOLE = 1e17
_MOST_DIGITS = 300
_MOST_BITS = 996


def invalid_filter(path: str, code: str, message: str) -> InvalidFilter:
    """An InvalidFilter with one problem at `path`."""
    return InvalidFilter(message, problems=(Problem(path, code, message),))


def check_length(length: int, path: str) -> None:
    """Raises TooLarge for a filter of more characters than the service should be sent."""
    if length > MAX_FILTER_CHARACTERS:
        message = f"A filter with its values in it has at most {MAX_FILTER_CHARACTERS} characters."
        raise TooLarge(message, problems=(Problem(path, TooLarge.code, message),))


def literal(value: object, path: str) -> str:
    """One value as OData text. Raises InvalidFilter at `path` for what is no scalar, NaN, or a time without a zone."""
    if value is None:
        return "null"
    if isinstance(value, Enum):
        raise invalid_filter(path, "invalid_value", "An enumeration member cannot stand in a filter; pass its value.")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(_text(value, path))
    if isinstance(value, int | float | Decimal):
        return _number(value, path)
    if isinstance(value, UUID):
        return quoted(str(value))
    if isinstance(value, datetime | DateTimeOffset | Mapping):
        return _date_time(value, path)
    raise invalid_filter(
        path, "invalid_value", "A filter value is a text, a number, true, false, null or a date-time with a zone."
    )


def _text(value: str, path: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise invalid_filter(path, "invalid_value", "The text holds half a character (a lone surrogate).") from None
    return value


def _number(value: int | float | Decimal, path: str) -> str:
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise invalid_filter(path, "invalid_value", "The number is too long.")
        return str(int(value))
    if isinstance(value, Decimal):
        return _decimal(value, path)
    if not math.isfinite(value):
        raise invalid_filter(path, "invalid_value", "A number in a filter is finite.")
    if value.is_integer() and abs(value) < _WHOLE:
        return "-0" if value == 0 and math.copysign(1, value) < 0 else str(int(value))
    return repr(float(value)).replace("e", "E")


def _decimal(value: Decimal, path: str) -> str:
    if not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS or len(value.as_tuple().digits) > _MOST_DIGITS:
        raise invalid_filter(path, "invalid_value", "A number in a filter is finite and of at most 300 digits.")
    return format(abs(value) if value == 0 else value, "f")


def _date_time(value: datetime | DateTimeOffset | Mapping[str, object], path: str) -> str:
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise invalid_filter(path, "invalid_value", "A date-time in a filter needs a time zone.")
        head, sign, zone = value.isoformat(timespec="microseconds").rpartition("+" if "+" in value.isoformat() else "-")
        return _date_time(DateTimeOffset(f"{head}0{sign}{zone}"), path)
    text = _declared_date_time(value, path) if isinstance(value, Mapping) else value.text
    if not is_date_time(text):
        raise invalid_filter(
            path, "invalid_value", "A date-time is written with its zone and must exist: 2020-01-01T00:00:00Z."
        )
    return text


def _declared_date_time(value: Mapping[str, object], path: str) -> str:
    """`{"type": "DateTimeOffset", "value": "…"}`, the one object that is a scalar."""
    text = value.get("value")
    if set(value) != {"type", "value"} or value["type"] != "DateTimeOffset" or not isinstance(text, str):
        message = 'An object cannot stand here; a date-time is {"type": "DateTimeOffset", "value": "2020-01-01T00:00:00Z"}.'
        raise invalid_filter(path, "invalid_value", message)
    return text


def is_list(value: object) -> bool:
    """Whether a value means any of several."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | bytearray | Mapping)


def any_of(field: str, values: Collection[object], path: str) -> str:
    """A condition that `field` is one of `values`, in brackets where it has an `or`; an empty list matches nothing."""
    literals = [literal(value, f"{path}[{number}]") for number, value in enumerate(values)]
    words = [value for value in values if isinstance(value, str) and value]
    delimiter = _delimiter(words)
    if not values:
        return f"search.in({field}, '', '|')"
    if not words or delimiter is None:
        return _either([f"{field} eq {text}" for text in literals])
    rest = [text for value, text in zip(values, literals, strict=True) if not isinstance(value, str) or not value]
    member = f"search.in({field}, {quoted(delimiter.join(words))}, '{delimiter}')"
    return _either([member, *(f"{field} eq {text}" for text in rest)])


def _delimiter(words: list[str]) -> str | None:
    if any(word != word.strip() for word in words):
        return None
    held = set().union(*words)
    return next((delimiter for delimiter in _DELIMITERS if delimiter not in held), None)


def _either(conditions: list[str]) -> str:
    call = len(conditions) == 1 and conditions[0].startswith("search.in(")
    return conditions[0] if call else f"({' or '.join(conditions)})"
