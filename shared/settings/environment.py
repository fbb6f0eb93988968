"""Reading of the process environment into the settings tree, with every problem by name and none by value.

Names ignore letter case, as the configuration of .NET does, and `__` nests, as on Azure Functions.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from .catalog import INDEXES, SETTINGS
from .tree import AiAgentsBlock, AppSettings

Section = Literal[
    "retrieval",
    "index",
    "agent",
    "agents",
    "context",
    "model",
    "briefings",
    "storage",
    "citations",
    "telemetry",
    "auth",
    "app",
    "unknown",
]

_SECTIONS: tuple[tuple[str, Section], ...] = (
    (f"{INDEXES}[", "index"),
    ("AiAgents__KnowledgeAgents[", "agent"),
    ("AiAgents__AISearch__", "retrieval"),
    ("AZURE_CLIENT_ID", "retrieval"),
    ("AiAgents__KnowledgeAgents", "agents"),
    ("AiAgents__Context__", "context"),
    ("AiAgents__Model__", "model"),
    ("AiAgents__Briefings__", "briefings"),
    ("BriefingStorage", "storage"),
    ("AiAgents__Citations__", "citations"),
    ("AiAgents__Telemetry__", "telemetry"),
    ("AiAgents__Auth__", "auth"),
    ("AiAgents__Max", "app"),
)


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """One problem: the setting's full name, with the place inside a JSON list, and a sentence on what to do about it."""

    setting: str
    message: str

    @property
    def section(self) -> Section:
        """The part of the app that cannot work because of it."""
        folded = self.setting.lower()
        return next((section for prefix, section in _SECTIONS if folded.startswith(prefix.lower())), "unknown")

    def __str__(self) -> str:
        return f"{self.setting}: {self.message}"


class SettingsError(Exception):
    """All problems of the settings together, each naming its setting and none its value."""

    def __init__(self, problems: tuple[SettingProblem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


@dataclass(slots=True)
class Report:
    """What is found while settings are read: problems stop a part of the app, warnings stop nothing."""

    problems: list[SettingProblem] = field(default_factory=list)
    missing: list[SettingProblem] = field(default_factory=list)
    warnings: list[SettingProblem] = field(default_factory=list)

    def add(self, setting: str, message: str) -> None:
        """Adds a problem of the setting `setting`."""
        self.problems.append(SettingProblem(setting, message))

    def warn(self, setting: str, message: str) -> None:
        """Adds a warning."""
        self.warnings.append(SettingProblem(setting, message))

    def sorted_problems(self) -> tuple[SettingProblem, ...]:
        """The problems in the order of the table, those of unknown names last."""
        order = {setting.name: place for place, setting in enumerate(SETTINGS)}
        places = {problem.setting: re.split(r"[\[.]", problem.setting)[0] for problem in self.problems}
        return tuple(sorted(self.problems, key=lambda problem: order.get(places[problem.setting], len(order))))

    def names(self, setting: str) -> bool:
        """Whether a problem of exactly this setting is there."""
        return any(problem.setting == setting for problem in self.problems)


_NAMES = {setting.name.lower(): setting.name for setting in SETTINGS}
_BLOCKS = {str(block.alias).lower(): str(block.alias) for block in AiAgentsBlock.model_fields.values()}
_OURS = ("aiagents__", "aiagents:", "briefingstorage__", "briefingstorage:")


def read_app_settings(environ: Mapping[str, str], report: Report) -> AppSettings:
    """The tree of an environment. A setting that is wrong is reported and counts as absent."""
    tree = _nest(environ, report)
    while True:
        try:
            return AppSettings.model_validate(tree)
        except ValidationError as error:
            for location, message in describe(error):
                name = "__".join(str(part) for part in location).removesuffix("__")
                report.add(name, message)
                _remove(tree, location)


def describe(error: ValidationError) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """The place and the sentence of each fault, without any value."""
    for fault in error.errors():
        bounds = fault.get("ctx", {})
        kind = fault["type"]
        if kind == "value_error":
            message = str(bounds["error"])
        elif kind in ("greater_than_equal", "less_than_equal"):
            message = f"Must be at {'least' if 'ge' in bounds else 'most'} {bounds.get('ge', bounds.get('le')):g}."
        else:
            message = _SENTENCES.get(kind, "Has the wrong type.")
        yield fault["loc"], message


_SENTENCES = {
    "missing": "Is required.",
    "extra_forbidden": "Is not a known key.",
    "literal_error": "Must be planned or service.",
}


def _nest(environ: Mapping[str, str], report: Report) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    seen: set[str] = set()
    for name, value in environ.items():
        folded = name.lower()
        known = _NAMES.get(folded)
        if known is None and not folded.startswith(_OURS):
            continue
        if folded in seen:
            report.add(name, "Is given twice, in different letter case.")
        seen.add(folded)
        if known is not None:
            _place(tree, known.split("__"), value)
        elif folded.startswith(f"{INDEXES.lower()}__"):
            _place(tree, [*INDEXES.split("__"), *name[len(INDEXES) + 2 :].split("__")], value)
        else:
            _report_unknown(name, report)
    return tree


def _place(tree: dict[str, Any], path: Sequence[str], value: str) -> None:
    """Puts `value` at `path`; the value of a name that has names below it goes under the empty key."""
    node = tree
    for part in path[:-1]:
        below = node.get(part)
        if not isinstance(below, dict):
            below = node[part] = {} if below is None else {"": below}
        node = below
    last = path[-1]
    if isinstance(node.get(last), dict) or last == "BriefingStorage":
        node.setdefault(last, {})[""] = value
    else:
        node[last] = value


def _remove(tree: dict[str, Any], location: Sequence[int | str]) -> None:
    node: Any = tree
    for part in location[:-1]:
        node = node[part]
    del node[location[-1]]


def _report_unknown(name: str, report: Report) -> None:
    """A name of ours that no setting has: inside a block of ours a problem, beside them the .NET package's, a warning."""
    if ":" in name:
        report.add(name, "Is spelled with a colon; on Azure Functions names nest with two underscores (__).")
        return
    block = name.lower().split("__")[1]
    near = difflib.get_close_matches(block, [*_BLOCKS], n=1, cutoff=0.8)
    if name.lower().startswith("briefingstorage") or block in _BLOCKS:
        report.add(name, "Is not a known setting.")
    elif near:
        report.add(name, f"Is not a known setting; the nearest block is AiAgents__{_BLOCKS[near[0]]}.")
    else:
        report.warn(name, "Is not read by this app.")
