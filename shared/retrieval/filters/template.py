"""Filter templates: `urn eq {urn} and town in {towns}`, each placeholder replaced by a literal and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast

from ..errors import InvalidFilter, Problem
from .literals import any_of, check_length, invalid_filter, is_list, literal

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_WORD = r"[A-Za-z_][A-Za-z0-9_]*+"
# A quoted text (also one that never ends), `field in {values}`, a placeholder, or a brace that belongs to nothing.
_PIECE = re.compile(
    rf"(?P<quoted>'[^']*+(?:''[^']*+)*+'?)"
    rf"|(?<![A-Za-z0-9_/.])(?P<field>{_WORD}(?:/{_WORD})*+)\s+in\s+\{{(?P<list>[^{{}}']*+)\}}"
    rf"|\{{(?P<name>[^{{}}']*+)\}}|(?P<brace>[{{}}])",
    re.ASCII,
)
_SHOWN = 64
_BEFORE, _AFTER = frozenset(" \t\r\n(,"), frozenset(" \t\r\n),")


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with its values in it. `lists` are the conditions that came from lists, `empty` is set by an empty one."""

    text: str
    lists: tuple[str, ...]
    empty: bool


def fill(template: str, values: Mapping[str, object], path: str) -> Filled:
    """The template with each placeholder replaced. Raises InvalidFilter with every problem and its JSON path."""
    return _Filling(template, values, path).filled()


class _Filling:
    def __init__(self, template: str, values: Mapping[str, object], path: str) -> None:
        self._template, self._values, self._path = template, values, path
        self._used: set[str] = set()
        self._problems: dict[Problem, None] = {}
        self._lists: list[str] = []
        self._empty = False
        self._length = 0
        self._variable = ""

    def filled(self) -> Filled:
        """Every placeholder filled and every problem found."""
        text = _PIECE.sub(self._piece, self._template)
        for name in self._values:
            if name not in self._used:
                self._wrong(f".values{shown(name)}", "unused_value", "The template does not use this value.")
        if self._problems:
            problems = tuple(self._problems)
            raise InvalidFilter(problems[0].message, problems=problems)
        return Filled(text, tuple(self._lists), self._empty)

    def _piece(self, match: re.Match[str]) -> str:
        if match["quoted"] is not None:
            return self._quoted(match["quoted"])
        if match["brace"] is not None:
            self._wrong(".template", "invalid_template", "A brace opens or closes nothing; double it inside quotes.")
            return ""
        if not self._usable(match):
            return ""
        try:
            piece = self._filled(match)
        except InvalidFilter as error:
            self._problems.update(dict.fromkeys(error.problems))
            return ""
        self._length += len(piece)
        check_length(self._length, self._path)
        return piece

    def _filled(self, match: re.Match[str]) -> str:
        name = match["list"] if match["field"] else match["name"]
        value, value_path = self._values[name], f"{self._path}.values.{name}"
        if not match["field"]:
            if is_list(value):
                raise invalid_filter(value_path, "invalid_value", "A list stands only after 'in': field in {values}.")
            return literal(value, value_path)
        if not is_list(value):
            raise invalid_filter(value_path, "invalid_value", "'in' needs a list of values.")
        return self._any_of(match["field"], cast(Collection[object], value), value_path)

    def _any_of(self, field: str, values: Collection[object], value_path: str) -> str:
        self._empty = self._empty or not values
        if field.endswith("/any"):
            variable = self._free_variable()
            condition = f"{field}({variable}: {any_of(variable, values, value_path)})"
        else:
            condition = any_of(field, values, value_path)
        self._lists.append(condition)
        return condition

    def _free_variable(self) -> str:
        """A range variable that is no word of the template."""
        if not self._variable:
            words = set(NAME.findall(self._template))
            names = ("g", *(f"g{number}" for number in range(len(words) + 1)))
            self._variable = next(name for name in names if name not in words)
        return self._variable

    def _quoted(self, piece: str) -> str:
        plain = piece.replace("{{", "").replace("}}", "")
        if "{" in plain or "}" in plain:
            message = "A placeholder stands outside quotes, its value brings them along; a brace inside quotes is doubled."
            self._wrong(".template", "quoted_placeholder", message)
        return piece.replace("{{", "{").replace("}}", "}")

    def _usable(self, match: re.Match[str]) -> bool:
        name = match["list"] if match["field"] else match["name"]
        before = self._template[match.start() - 1] if match.start() else " "
        after = self._template[match.end()] if match.end() < len(self._template) else " "
        if not NAME.fullmatch(name):
            self._wrong(".template", "invalid_template", "A placeholder is a name in braces, such as {urn}.")
        elif name not in self._values:
            self._wrong(f".values.{name}", "missing_value", "A placeholder of the template has no value.")
        else:
            self._used.add(name)
            if before in _BEFORE and after in _AFTER:
                return True
            self._wrong(".template", "invalid_template", "A placeholder stands alone, between spaces, brackets or commas.")
        return False

    def _wrong(self, member: str, code: str, message: str) -> None:
        self._problems[Problem(f"{self._path}{member}", code, message)] = None


def shown(key: str) -> str:
    """A member as it stands in a JSON path: `.name`, or quoted in brackets, and shortened."""
    return f".{key}" if NAME.fullmatch(key) and len(key) <= _SHOWN else f"[{json.dumps(key[:_SHOWN])}]"
