"""What is wrong with the settings: names and sentences, never values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from . import catalog as table

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
