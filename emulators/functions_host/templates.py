"""Route templates of ASP.NET: literals, parameters, optional and catch-all ones, defaults, constraints.

Paths ignore case. Within a segment a literal is found as far to the right as it can be, as ASP.NET does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

PARAMETER = re.compile(r"\{([^{}]+)\}")
# Doubled braces are braces; they are set aside while the others are read.
OPEN, CLOSE = "\0", "\1"
NAME = re.compile(
    r"(?P<stars>\*{0,2})(?P<name>[^:=?*]+)(?P<constraints>(?::[^:=?(]+(?:\([^)]*\))?)*)(?P<default>=[^?]*)?(?P<optional>\??)"
)
CONSTRAINT = re.compile(r":([^:(]+)(?:\(([^)]*)\))?")
LARGEST_INT, LARGEST_LONG = 2**31, 2**63


class BadTemplate(ValueError):
    """The template is not one that the host can serve."""


@dataclass(frozen=True)
class Parameter:
    """A `{name…}` of a template."""

    name: str
    optional: bool
    catch_all: bool
    default: str | None
    constraints: tuple[Callable[[str], bool], ...]

    def accepts(self, value: str) -> bool:
        """True when every constraint holds."""
        return all(holds(value) for holds in self.constraints)


@dataclass(frozen=True)
class Segment:
    """The part between two slashes: one pattern, whose groups are the parameters in order."""

    pattern: re.Pattern[str]
    parameters: tuple[Parameter, ...]

    @property
    def may_be_absent(self) -> bool:
        """True when a path may end before this segment."""
        return len(self.parameters) == 1 and self.pattern.pattern == "(.+)" and _may_be_absent(self.parameters[0])


class RouteTemplate:
    """A parsed template; `match` gives the parameters of a path."""

    def __init__(self, text: str) -> None:
        self.text = text.strip("/")
        self._segments = [_segment(part) for part in self.text.split("/")] if self.text else []
        if any(parameter.catch_all for segment in self._segments[:-1] for parameter in segment.parameters):
            raise BadTemplate(f"A catch-all parameter can only be the last segment of the route '{text}'.")

    def match(self, path: str) -> dict[str, str] | None:
        """The parameters of `path`, which begins with a slash; None when the route is another one."""
        parts = path[1:].removesuffix("/").split("/") if path.strip("/") else []
        if "" in parts:
            return None
        last = len(self._segments) - 1
        if len(parts) > last >= 0 and self._catches_all(self._segments[last]):
            # It takes the rest as it is, with the slash at the end.
            parts = [*parts[:last], path[1:].split("/", last)[last]]
        if len(parts) > len(self._segments):
            return None
        return self._values(parts)

    def _values(self, parts: list[str]) -> dict[str, str] | None:
        values: dict[str, str] = {}
        for place, segment in enumerate(self._segments):
            if place >= len(parts):
                if not segment.may_be_absent:
                    return None
                values |= {known.name: known.default for known in segment.parameters if known.default is not None}
                continue
            match = segment.pattern.fullmatch(parts[place])
            if match is None:
                return None
            for parameter, value in zip(segment.parameters, match.groups(), strict=True):
                if value is not None and not parameter.accepts(value):
                    return None
                values |= {} if value is None else {parameter.name: value}
        return values

    @staticmethod
    def _catches_all(segment: Segment) -> bool:
        return any(parameter.catch_all for parameter in segment.parameters)


def _segment(text: str) -> Segment:
    if not text:
        raise BadTemplate("The route template has an empty segment.")
    plain = text.replace("{{", OPEN).replace("}}", CLOSE)
    parameters: list[Parameter] = []
    pattern, end = "", 0
    for found in PARAMETER.finditer(plain):
        literal = _literal(plain[end : found.start()])
        if parameters and not literal:
            raise BadTemplate(f"Two parameters follow each other in the segment '{text}': put text between them.")
        parameter = _parameter(_with_braces(found[1]))
        parameters.append(parameter)
        end = found.end()
        if parameter.optional and literal == r"\." and end == len(plain):
            # `{name}.{ext?}`: the last dot divides, and without a dot there is a name only.
            pattern = pattern.removesuffix("(.+)") + r"(.+?)(?:\.([^.]+))?"
        else:
            pattern += literal + "(.+)"
    return Segment(re.compile(pattern + _literal(plain[end:]), re.IGNORECASE | re.DOTALL), tuple(parameters))


def _literal(text: str) -> str:
    if "{" in text or "}" in text:
        raise BadTemplate(f"The braces in '{_with_braces(text)}' do not pair.")
    return re.escape(_with_braces(text))


def _with_braces(text: str) -> str:
    return text.replace(OPEN, "{").replace(CLOSE, "}")


def _parameter(text: str) -> Parameter:
    match = NAME.fullmatch(text)
    if match is None:
        raise BadTemplate(f"The route parameter '{{{text}}}' cannot be read.")
    default = match["default"][1:] if match["default"] else None
    constraints = tuple(_constraint(name, argument) for name, argument in CONSTRAINT.findall(match["constraints"]))
    return Parameter(match["name"], bool(match["optional"]), bool(match["stars"]), default, constraints)


def _may_be_absent(parameter: Parameter) -> bool:
    return parameter.optional or parameter.catch_all or parameter.default is not None


def _constraint(name: str, argument: str) -> Callable[[str], bool]:
    numbers = [int(part) for part in argument.split(",")] if re.fullmatch(r"-?\d+(,-?\d+)?", argument) else []
    key = name.casefold()
    if key in PLAIN:
        return PLAIN[key]
    if key == "regex":
        pattern = re.compile(argument, re.IGNORECASE)
        return lambda value: pattern.search(value) is not None
    if key in BOUNDED and numbers:
        return BOUNDED[key](numbers)
    raise BadTemplate(f"The route constraint '{name}' is not known or lacks its arguments.")


def _between(low: int, high: int) -> Callable[[str], bool]:
    def holds(value: str) -> bool:
        return re.fullmatch(r"\s*[+-]?[0-9]+\s*", value) is not None and low <= int(value) < high

    return holds


def _is_guid(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return False
    return True


NUMBER = re.compile(r"\s*[+-]?(\d[\d,]*\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)
PLAIN: dict[str, Callable[[str], bool]] = {
    "int": _between(-LARGEST_INT, LARGEST_INT),
    "long": _between(-LARGEST_LONG, LARGEST_LONG),
    "bool": lambda value: value.strip().casefold() in ("true", "false"),
    "alpha": lambda value: re.fullmatch(r"[A-Za-z]*", value) is not None,
    "guid": _is_guid,
    "double": lambda value: NUMBER.fullmatch(value) is not None,
    "float": lambda value: NUMBER.fullmatch(value) is not None,
    "decimal": lambda value: NUMBER.fullmatch(value) is not None and "e" not in value.casefold(),
    "required": lambda value: value != "",
}
BOUNDED: dict[str, Callable[[list[int]], Callable[[str], bool]]] = {
    "length": lambda numbers: lambda value: numbers[0] <= len(value) <= numbers[-1],
    "minlength": lambda numbers: lambda value: len(value) >= numbers[0],
    "maxlength": lambda numbers: lambda value: len(value) <= numbers[0],
    "min": lambda numbers: _between(numbers[0], LARGEST_LONG),
    "max": lambda numbers: _between(-LARGEST_LONG, numbers[0] + 1),
    "range": lambda numbers: _between(numbers[0], numbers[-1] + 1),
}
