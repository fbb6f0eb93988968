"""Admission: the one door that attributes of signals go through on their way out."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .attributes import ATTRIBUTES
from .error_types import error_place, error_type
from .redaction import Redactor
from .rules import OTHER, ErrorType, Flag, Known, Number, OneOf, Package, Place, Text
from .schema import SPANS

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
        for key, said in given.items():
            if said is None or key not in allowed:
                continue
            row = ATTRIBUTES[key]
            value = _BY_RULE[type(row.rule)](self, row.rule, said)
            if value is not None:
                admitted[row.exported] = value
        return admitted

    def knows(self, group: str, name: str) -> bool:
        """Whether a name was made known."""
        return name in self._known.get(group, ())


def _number(admission: Admission, rule: Number, value: object) -> Value | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _flag(admission: Admission, rule: Flag, value: object) -> Value | None:
    return value if isinstance(value, bool) else None


def _one_of(admission: Admission, rule: OneOf, value: object) -> Value | None:
    return Admitted(value if isinstance(value, str) and value in rule.words else OTHER)


def _known(admission: Admission, rule: Known, value: object) -> Value | None:
    name = str(value)
    return Admitted(name if admission.knows(rule.group, name) else OTHER)


def _error_type(admission: Admission, rule: ErrorType, value: object) -> Value | None:
    return Admitted(error_type(value))


def _package(admission: Admission, rule: Package, value: object) -> Value | None:
    return Admitted(value if isinstance(value, str) and value in sys.modules else OTHER)


def _place(admission: Admission, rule: Place, value: object) -> Value | None:
    place = error_place(value)
    return None if place is None else Admitted(place)


def _text(admission: Admission, rule: Text, value: object) -> Value | None:
    if not isinstance(value, str):
        return None
    return Admitted(admission.redactor.redact(value, rule.kind)[:MAX_TEXT_CHARACTERS])


_BY_RULE: dict[type, Callable[[Admission, Any, object], Value | None]] = {
    Number: _number,
    Flag: _flag,
    OneOf: _one_of,
    Known: _known,
    ErrorType: _error_type,
    Package: _package,
    Place: _place,
    Text: _text,
}
"""A table and not a chain of conditions: this runs for every attribute of every signal."""
