"""Admission: the one door that attributes of signals go through on their way out."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping

from .attributes import ATTRIBUTES, Attribute
from .error_types import error_place, error_type
from .redactors import Redactor
from .registry import SPANS
from .rules import OTHER, ErrorType, Flag, Known, Number, OneOf, Package, Place, Text

MAX_TEXT_CHARACTERS = 8_192
"""Application Insights keeps no more of one value."""


class Admitted(str):
    """A string that went through admission. The exporters let no other string out."""

    __slots__ = ()


Value = bool | int | float | Admitted


class Admission:
    """Turns what the code says of a signal into what may leave: names as exported, values by their rules."""

    def __init__(self, redactor: Redactor, *, sensitive: bool = False) -> None:
        self.redactor = redactor
        self.sensitive = sensitive
        self._known: dict[str, frozenset[str]] = {"span": frozenset(SPANS)}

    def allow(self, group: str, names: Iterable[str]) -> None:
        """Let these names of the configuration out where a rule asks for a known name of the group."""
        self._known[group] = self._known.get(group, frozenset()) | frozenset(names)

    def attributes(self, allowed: frozenset[str], given: Mapping[str, object]) -> dict[str, Value]:
        """What leaves of `given` for a signal that has the `allowed` attributes; None and unfit values are left out."""
        admitted: dict[str, Value] = {}
        for key in allowed & given.keys():
            row = ATTRIBUTES[key]
            value = self._value(row, given[key])
            if value is not None:
                admitted[row.exported] = value
        return admitted

    def _value(self, row: Attribute, value: object) -> Value | None:
        if value is None:
            return None
        match row.rule:
            case Number():
                return _number(value)
            case Flag():
                return value if isinstance(value, bool) else None
            case OneOf(words):
                return Admitted(value) if isinstance(value, str) and value in words else Admitted(OTHER)
            case Known(group):
                return Admitted(value) if self._knows(group, value) else Admitted(OTHER)
            case ErrorType():
                return Admitted(error_type(value))
            case Package():
                return Admitted(value) if isinstance(value, str) and value in sys.modules else Admitted(OTHER)
            case Place():
                place = error_place(value)
                return None if place is None else Admitted(place)
            case Text(kind):
                return self._text(value, kind)

    def _knows(self, group: str, value: object) -> bool:
        return str(value) in self._known.get(group, frozenset())

    def _text(self, value: object, kind: str) -> Admitted | None:
        if not isinstance(value, str):
            return None
        return Admitted(self.redactor.redact(value, kind)[:MAX_TEXT_CHARACTERS])


def _number(value: object) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None
