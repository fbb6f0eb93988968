"""Reading of the process environment: strict casts that collect problems instead of raising one by one.

Names ignore case, as the configuration of .NET does. A blank value, or `null` where a list or a number belongs, is absent.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from shared.retrieval import is_loopback_host

from . import catalog as table

# What is wrong with the settings: names and sentences, never values.

Section = Literal[
    "retrieval", "agents", "context", "model", "briefings", "storage", "citations", "telemetry", "auth", "app", "unknown"
]

_PREFIXES: tuple[tuple[str, Section], ...] = (
    (table.SEARCH, "retrieval"),
    (table.CLIENT_ID, "retrieval"),
    (table.AGENTS, "agents"),
    (table.CONTEXT, "context"),
    (table.MODEL, "model"),
    (table.BRIEFINGS, "briefings"),
    (table.STORAGE, "storage"),
    (table.LINK_HOSTS, "citations"),
    (table.TELEMETRY, "telemetry"),
    (table.AUTH_MODE, "auth"),
    (table.CONCURRENCY, "app"),
)


def section_of(name: str) -> Section:
    """The part of the app that the setting `name` belongs to."""
    folded = name.lower()
    return next((section for prefix, section in _PREFIXES if folded.startswith(prefix.lower())), "unknown")


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """One problem: the setting's full name (with the place inside a JSON list) and what to do about it."""

    setting: str
    message: str

    @property
    def section(self) -> Section:
        """The part of the app that cannot work because of it."""
        return section_of(self.setting)

    def __str__(self) -> str:
        return f"{self.setting}: {self.message}"


class SettingsError(Exception):
    """All problems of the settings together, each naming its setting and none its value."""

    def __init__(self, problems: tuple[SettingProblem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,10}", re.ASCII)
_FLAGS = {"true": True, "false": False}


def read_number(text: str) -> float | None:
    """`text` as a finite number in decimal notation, else None."""
    stripped = text.strip()
    value = float(stripped) if _NUMBER.fullmatch(stripped) else math.nan
    return value if math.isfinite(value) else None


def read_flag(text: str) -> bool | None:
    """`true` or `false` in any letter case, else None."""
    return _FLAGS.get(text.strip().lower())


class Environment:
    """The settings of one mapping, with the problems found while reading it."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self.problems: list[SettingProblem] = []
        for name, value in values.items():
            if name.lower() in self._values and name.lower().startswith("aiagents__"):
                self.problem(name, "is given twice, in different letter case")
            self._values[name.lower()] = value
            self._names[name.lower()] = name

    def problem(self, name: str, message: str) -> None:
        """Notes a problem of the setting `name`."""
        self.problems.append(SettingProblem(name, message))

    def under(self, prefix: str) -> dict[str, str]:
        """Names (as written, without the prefix) and values of all settings below `prefix`."""
        folded = prefix.lower()
        return {
            self._names[name][len(prefix) :]: value
            for name, value in self._values.items()
            if name.startswith(folded) and name != folded
        }

    def text(self, name: str) -> str | None:
        """The value without surrounding white space; None where absent or blank."""
        value = self._values.get(name.lower(), "").strip()
        return value or None

    def raw(self, name: str) -> str | None:
        """The value as written, for texts whose white space counts; None where absent or empty."""
        return self._values.get(name.lower()) or None

    def _present(self, name: str) -> str | None:
        value = self.text(name)
        return None if value is None or value.lower() == "null" else value

    def number(self, name: str, default: float, *, least: float, most: float) -> float:
        """A number between `least` and `most`, both allowed."""
        value = self._present(name)
        if value is None:
            return default
        number = read_number(value)
        if number is None or not least <= number <= most:
            self.problem(name, f"must be a number from {least:g} to {most:g}")
            return default
        return number

    def whole(self, name: str, default: int, *, least: int, most: int = 2**31 - 1) -> int:
        """A whole number between `least` and `most`, both allowed."""
        value = self.optional_whole(name, least=least, most=most)
        return default if value is None else value

    def optional_whole(self, name: str, *, least: int, most: int = 2**31 - 1) -> int | None:
        """A whole number, or None where absent."""
        value = self._present(name)
        if value is None:
            return None
        if not _WHOLE.fullmatch(value) or not least <= int(value) <= most:
            bound = f"from {least} to {most}" if most < 2**31 - 1 else f"of at least {least}"
            self.problem(name, f"must be a whole number {bound}")
            return None
        return int(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """`true` or `false`."""
        value = self._present(name)
        flag = default if value is None else read_flag(value)
        if flag is None:
            self.problem(name, "must be true or false")
            return default
        return flag

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        """One of `allowed`, letter case ignored."""
        value = self.text(name) or default
        match = next((choice for choice in allowed if choice.lower() == value.lower()), None)
        if match is None:
            self.problem(name, f"must be one of {', '.join(allowed)}")
        return match or default

    def json(self, name: str, kind: type[list[Any]] | type[dict[str, Any]]) -> Any | None:
        """A JSON list or object, or None where absent or unreadable (then a problem is noted)."""
        value = self._present(name)
        if value is None:
            return None
        wanted = "list" if kind is list else "object"
        try:
            parsed = json.loads(value, object_pairs_hook=_distinct)
        except (ValueError, RecursionError):
            self.problem(name, f"must be a JSON {wanted}; this is not valid JSON")
            return None
        if not isinstance(parsed, kind):
            self.problem(name, f"must be a JSON {wanted}")
            return None
        return parsed

    def texts(self, name: str) -> tuple[str, ...]:
        """A JSON list of texts, blank ones refused."""
        entries = self.json(name, list) or []
        if not all(isinstance(entry, str) and entry.strip() for entry in entries):
            self.problem(name, "must be a JSON list of texts, none of them blank")
            return ()
        return tuple(entries)

    def address(self, name: str, *, loopback_http: bool = True) -> str | None:
        """An https address with a host and nothing secret in it; http only on a loopback address."""
        value = self.text(name)
        if value is None:
            return None
        fault = _address_fault(value, loopback_http)
        if fault:
            self.problem(name, fault)
            return None
        return value.rstrip("/")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key is given twice")
    return members


def _address_fault(value: str, loopback_http: bool) -> str | None:
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "must be an https address; this one cannot be read"
    if not host or not re.fullmatch(r"[A-Za-z0-9._:-]+", host) or re.search(r"[\s<>\"\\]", value):
        return "must be an https address with a host"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "must be an address without user name, password, query or fragment"
    if parts.scheme == "https" or (parts.scheme == "http" and loopback_http and is_loopback_host(host)):
        return None
    return "must begin with https:// (http is for a loopback address only)"
