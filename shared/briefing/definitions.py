"""Definitions of briefings: what is asked, of which indexes, with which parameters. Files are read by `definition_files`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from shared.retrieval import ODataFilter, Problem, UnknownName

from .errors import DefinitionsBroken
from .parameters import Parameter, complete_parameters, parameters_schema

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTemplate:
    """One search of a section. `query` and `filter` hold `{parameter}` placeholders; no filter: `unfiltered` was said."""

    index: str
    query: str = "*"
    filter: str | None = None
    size: int = 10

    def fill_query(self, values: Mapping[str, Any]) -> str:
        """The query with the parameters in it; plain words of whatever they hold (spec 3.1)."""
        return fill_text(self.query, values)

    def fill_filter(self, values: Mapping[str, Any]) -> ODataFilter | None:
        """The filter, each value one OData literal of its type."""
        if self.filter is None:
            return None
        used = {name: values[name] for name in PLACEHOLDER.findall(self.filter)}
        return ODataFilter.template(self.filter, used)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionTemplate:
    """One part of a briefing: a prompt over the evidence of its searches. `required` asks for citations."""

    name: str
    title: str
    prompt: str
    searches: tuple[SearchTemplate, ...]
    required: bool = True
    check_figures: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """The last step, over the sections' checked answers."""

    title: str
    prompt: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One version of a briefing."""

    name: str
    version: int
    title: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    sections: tuple[SectionTemplate, ...]
    synthesis: Synthesis | None = None

    @property
    def indexes(self) -> tuple[str, ...]:
        """The names of the indexes that its searches read, each once."""
        return tuple(dict.fromkeys(search.index for section in self.sections for search in section.searches))

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its parameters."""
        return parameters_schema(self.parameters)

    def values(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The checked parameters as templates take them: defaults filled in, date-times as such."""
        complete = complete_parameters(self.parameters, parameters)
        dates = {parameter.name for parameter in self.parameters if parameter.type == "date-time"}
        return {
            name: datetime.fromisoformat(value) if name in dates and value else value for name, value in complete.items()
        }


def fill_text(template: str, values: Mapping[str, Any]) -> str:
    """A prompt or query with the parameters in it, in one pass: a value's own braces stay as they are."""
    return PLACEHOLDER.sub(lambda match: _shown(values[match[1]]), template)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    return ", ".join(value) if isinstance(value, list) else str(value)


@dataclass(frozen=True, slots=True)
class Definitions:
    """All definitions by name and version. `problems` are those of files that could not be read as one."""

    items: tuple[Definition, ...]
    problems: tuple[Problem, ...] = ()
    _known: Mapping[tuple[str, int], Definition] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", {(item.name, item.version): item for item in self.items})

    def newest(self, name: str) -> Definition:
        """The newest version of a definition; raises `UnknownName`, or `DefinitionsBroken` while any file is wrong."""
        self.require_sound()
        versions = [item for item in self.items if item.name == name]
        if not versions:
            raise UnknownName("no briefing of this name is defined", code="unknown_definition")
        return max(versions, key=lambda item: item.version)

    def exactly(self, name: str, version: int) -> Definition | None:
        """That version, or None."""
        return self._known.get((name, version))

    def require_sound(self) -> None:
        """Raises `DefinitionsBroken` when a file is wrong."""
        if self.problems:
            raise DefinitionsBroken("a briefing definition is wrong", problems=self.problems)

    def listed(self) -> Sequence[Definition]:
        """All of them by name, newest version first."""
        return sorted(self.items, key=lambda item: (item.name, -item.version))
