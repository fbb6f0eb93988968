"""Definitions of briefings: what is asked, of which indexes, with which parameters. Files are read by `definition_files`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from shared.retrieval import MAX_SEARCHES, MAX_TOP, InvalidFilter, ODataFilter, Problem, UnknownName

from .errors import DefinitionsBroken
from .parameters import (
    DEFAULT_MAX_LENGTH,
    Parameter,
    ParameterType,
    check_parameters,
    complete_parameters,
    parameters_schema,
)

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTemplate:
    """One search of a section. `query` and `filter` hold `{parameter}` placeholders; no filter: `unfiltered` was said."""

    index: str
    query: str = "*"
    filter: str | None = None
    size: int = 10

    def fill_query(self, values: Mapping[str, Any]) -> str:
        """The query with the parameters in it; plain words of whatever they hold."""
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


def fill_title(definition: Definition, parameters: Mapping[str, Any]) -> str:
    """The title with its parameters on one line; one that names none is followed by the values that were given."""
    values = definition.values(parameters)
    if PLACEHOLDER.search(definition.title):
        filled = fill_text(definition.title, values)
    else:
        given = ", ".join(_shown(values[name]) for name in values if name in parameters)
        filled = f"{definition.title}: {given}" if given else definition.title
    return " ".join(filled.split())


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


# Reads definitions from TOML files; every problem names the file, the key and the reason.

FOLDER = Path(__file__).parent / "definitions"
NAME = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
PARAMETER_NAME = r"^[a-z][a-z0-9_]*$"
CODE = "bad_definition"
# Wider than a placeholder, so that a slip such as {Urn} does not come out as a text.
BRACES = re.compile(r"\{([^{}]*)\}")
# One of each type that a parameter may have, to try a filter template with.
SAMPLES: Mapping[ParameterType, Any] = {
    "string": "a",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "date-time": "2020-01-01T00:00:00Z",
    "string-list": ["a"],
}

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class _Parameter(_Table):
    type: ParameterType
    description: str = ""
    default: Any = None
    pattern: str | None = None
    allowed: list[str] | None = None
    max_length: Annotated[int, Field(ge=1, le=100_000)] = DEFAULT_MAX_LENGTH
    minimum: float | int | None = None
    maximum: float | int | None = None

    def build(self, name: str) -> Parameter:
        values = self.model_dump(exclude={"allowed"})
        allowed = None if self.allowed is None else tuple(self.allowed)
        return Parameter(name=name, required="default" not in self.model_fields_set, allowed=allowed, **values)


class _Search(_Table):
    index: Text
    query: Text = "*"
    filter: Text | None = None
    unfiltered: bool = False
    size: Annotated[int, Field(ge=1, le=MAX_TOP)] = 10

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.filter is None) != self.unfiltered:
            raise ValueError("a search has a filter or says unfiltered = true")
        return self

    def build(self) -> SearchTemplate:
        return SearchTemplate(index=self.index, query=self.query, filter=self.filter, size=self.size)


class _Section(_Table):
    name: Annotated[str, Field(pattern=NAME)]
    title: Text
    prompt: Text
    required: bool = True
    check_figures: bool = False
    searches: Annotated[list[_Search], Field(min_length=1, max_length=MAX_SEARCHES)]

    def build(self) -> SectionTemplate:
        searches = tuple(search.build() for search in self.searches)
        return SectionTemplate(**self.model_dump(exclude={"searches"}), searches=searches)


class _Synthesis(_Table):
    title: Text
    prompt: Text
    required: bool = True


class _File(_Table):
    name: Annotated[str, Field(pattern=NAME)]
    version: Annotated[int, Field(ge=1)]
    title: Text
    description: str = ""
    parameters: dict[Annotated[str, Field(pattern=PARAMETER_NAME)], _Parameter] = {}
    sections: Annotated[list[_Section], Field(min_length=1)]
    synthesis: _Synthesis | None = None

    def build(self) -> Definition:
        return Definition(
            name=self.name,
            version=self.version,
            title=self.title,
            description=self.description,
            parameters=tuple(parameter.build(name) for name, parameter in self.parameters.items()),
            sections=tuple(section.build() for section in self.sections),
            synthesis=Synthesis(**self.synthesis.model_dump()) if self.synthesis else None,
        )


def load_definitions(folder: Path = FOLDER) -> Definitions:
    """All definitions of a folder. Never raises for a bad file: its problems stand in the result, and it is left out."""
    items: list[Definition] = []
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.toml")):
        definition, found = read_definition(path)
        problems += found
        items += [definition] if definition and not found else []
    return Definitions(tuple(items), (*problems, *_doubled(items)))


def read_definition(path: Path) -> tuple[Definition | None, tuple[Problem, ...]]:
    """One file as a definition, and what is wrong with it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        # The parser's text holds a place in our own file and nothing of a caller.
        return None, (Problem(f"{path.name}: ", CODE, f"is not TOML: {error}"),)
    try:
        definition = _File.model_validate(table).build()
    except ValidationError as error:
        return None, tuple(_problem(path, detail) for detail in error.errors(include_input=False, include_url=False))
    return definition, tuple(Problem(f"{path.name}: {key}", CODE, reason) for key, reason in _mistakes(definition, path))


def _problem(path: Path, detail: Any) -> Problem:
    parts = [part for part in detail["loc"] if part != "[key]"]  # pydantic's word for a wrong key itself
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")
    return Problem(f"{path.name}: {key}", CODE, detail["msg"])


def _mistakes(definition: Definition, path: Path) -> Iterable[tuple[str, str]]:
    """What the shape alone does not show."""
    if not path.name.startswith(definition.name):
        yield "name", "the file's name must begin with the definition's"
    names = [section.name for section in definition.sections]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield "sections", f"two sections are named {name}"
    for parameter in definition.parameters:
        yield from _bad_default(parameter)
    yield from _unknown_placeholders(definition, definition.title, "title")
    for position, section in enumerate(definition.sections):
        yield from _section_mistakes(definition, section, f"sections[{position}]")
    if definition.synthesis:
        yield from _unknown_placeholders(definition, definition.synthesis.prompt, "synthesis.prompt")


def _bad_default(parameter: Parameter) -> Iterable[tuple[str, str]]:
    if parameter.required:
        return
    for problem in check_parameters((parameter,), {parameter.name: parameter.default}, "parameters"):
        yield f"parameters.{parameter.name}.default", problem.message


def _section_mistakes(definition: Definition, section: SectionTemplate, key: str) -> Iterable[tuple[str, str]]:
    yield from _unknown_placeholders(definition, section.prompt, f"{key}.prompt")
    for position, search in enumerate(section.searches):
        place = f"{key}.searches[{position}]"
        yield from _unknown_placeholders(definition, search.query, f"{place}.query")
        yield from _filter_mistakes(definition, search, f"{place}.filter")


def _unknown_placeholders(definition: Definition, template: str, key: str) -> Iterable[tuple[str, str]]:
    known = {parameter.name for parameter in definition.parameters}
    for name in dict.fromkeys(BRACES.findall(template)):
        if name not in known:
            yield key, f"{{{name}}} is no parameter"


def _filter_mistakes(definition: Definition, search: SearchTemplate, key: str) -> Iterable[tuple[str, str]]:
    if search.filter is None:
        return
    unknown = list(_unknown_placeholders(definition, search.filter, key))
    yield from unknown
    if unknown:
        return
    samples = definition.values({parameter.name: SAMPLES[parameter.type] for parameter in definition.parameters})
    used = {name: samples[name] for name in PLACEHOLDER.findall(search.filter)}
    try:
        ODataFilter.template(search.filter, used)
    except InvalidFilter as error:
        yield key, error.message


def _doubled(items: list[Definition]) -> Iterable[Problem]:
    keys = [(item.name, item.version) for item in items]
    for name, version in sorted({key for key in keys if keys.count(key) > 1}):
        yield Problem(f"{name}.toml: version", CODE, f"version {version} of {name} is defined twice")
