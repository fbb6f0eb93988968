"""Reading of request members: every fault is collected with its JSON path, then raised together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..errors import InvalidFilter, InvalidRequest, Problem
from ..filters.filter import ODataFilter
from ..filters.template import shown


class Reading:
    """One pass over a request. Each method gives a usable value even after a fault, so that all of them are found.

    A null where a member may be left out counts as left out, as for the service.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def fault(self, path: str, code: str, message: str) -> None:
        """Notes a problem."""
        self.problems.append(Problem(path, code, message))

    def check(self) -> None:
        """Raises InvalidRequest when a problem was noted."""
        if self.problems:
            message = "The request has members that cannot be used; see details."
            raise InvalidRequest(message, code=self._code(), problems=tuple(self.problems))

    def _code(self) -> str:
        codes = {problem.code for problem in self.problems}
        return codes.pop() if len(codes) == 1 else InvalidRequest.code

    def members(self, value: object, path: str, known: tuple[str, ...]) -> Mapping[str, Any]:
        """The members of an object, nulls left out."""
        if not isinstance(value, Mapping):
            self.fault(path, "wrong_type", "This must be an object.")
            return {}
        for name in value:
            if name not in known:
                self.fault(path + shown(str(name)), "unknown_key", "This member is not known.")
        return {name: member for name, member in value.items() if name in known and member is not None}

    def entries(self, value: object, path: str, *, least: int = 0, most: int) -> list[Any]:
        """The entries of a list."""
        if value is None and least:
            self.fault(path, "missing", "This member is required.")
            return []
        if not isinstance(value, list):
            self.fault(path, "wrong_type", "This must be a list.")
            return []
        if not least <= len(value) <= most:
            self.fault(path, "out_of_range", f"This list must have from {least} to {most} entries.")
            return []
        return value

    def text(self, value: object, path: str) -> str:
        """A text that is not blank."""
        if value is None:
            self.fault(path, "missing", "This member is required.")
        elif not isinstance(value, str):
            self.fault(path, "wrong_type", "This must be a text.")
        elif not value.strip():
            self.fault(path, "blank", "This text must not be blank.")
        else:
            return value
        return ""

    def choice(self, value: object, path: str, allowed: tuple[str, ...]) -> str:
        """One of some words."""
        if isinstance(value, str) and value in allowed:
            return value
        code = "missing" if value is None else "out_of_range" if isinstance(value, str) else "wrong_type"
        self.fault(path, code, f"This must be one of {', '.join(allowed)}.")
        return allowed[0]

    def flag(self, value: object, path: str, default: bool) -> bool:
        """True or false."""
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.fault(path, "wrong_type", "This must be true or false.")
        return default

    def whole(self, value: object, path: str, least: int, most: int) -> int | None:
        """A whole number of a range, None where there is none. `5.0` is one in JSON."""
        number = self.number(value, path, least, most)
        if number is not None and number != int(number):
            self.fault(path, "wrong_type", "This must be a whole number.")
            return None
        return None if number is None else int(number)

    def number(self, value: object, path: str, least: float, most: float) -> float | None:
        """A number of a range, None where there is none."""
        if value is None:
            return None
        # Of floats alone: a whole number may be beyond every double, and `isfinite` fails at that.
        if isinstance(value, bool | float) and not (isinstance(value, float) and math.isfinite(value)):
            value = None
        if not isinstance(value, int | float):
            self.fault(path, "wrong_type", "This must be a number.")
            return None
        if not least <= value <= most:
            self.fault(path, "out_of_range", f"This must be from {least:g} to {most:g}.")
            return None
        return value

    def filter(self, value: object, path: str) -> ODataFilter | None:
        """An OData text that parses by itself."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.fault(path, "wrong_type", "This must be a text.")
            return None
        try:
            return ODataFilter.raw(value, path=path)
        except InvalidFilter as error:
            self.problems.extend(error.problems or (error.at(path),))
            return None
