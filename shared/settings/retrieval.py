"""The search part of the settings: the tree's indexes and agents as the frozen values of the retrieval package."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_pascal

from shared.retrieval import (
    AgentIndex,
    AgentSettings,
    Authentication,
    IndexSettings,
    InvalidFilter,
    InvalidSettings,
    ODataFilter,
    RetrievalSettings,
    check_fields,
    filter_from_json,
)

from .catalog import INDEXES
from .environment import Report, describe
from .forms import is_blank, parse_json
from .tree import AgentEntry, AiAgentsBlock, AppSettings, AuthenticationBlock, IndexEntry

SEARCH = "AiAgents__AISearch__"
AGENTS = "AiAgents__KnowledgeAgents"
NOT_PINNED = "Must pin down every one of RequiredFilterFields of its index."
NOT_ALLOWED = "Uses a field that FilterFields of its index does not allow."
_KEYS = {"minimum_relevance": "MinimumRelevanceFilter"}


def load_retrieval(tree: AppSettings, report: Report) -> RetrievalSettings | None:
    """The settings of retrieval, or None where one that all of it needs is missing or wrong.

    An index or an agent that is wrong takes out itself alone: its name is kept, so that a call to it says why.
    """
    block = tree.ai_agents
    if block.search.endpoint is None and not report.names(f"{SEARCH}Endpoint"):
        report.add(f"{SEARCH}Endpoint", "Is required.")
    indexes = _load_indexes(block, report)
    agents = _load_agents(block, indexes.values(), report)
    values: dict[str, Any] = {
        "endpoint": block.search.endpoint or "",
        "minimum_relevance": block.search.minimum_relevance_filter,
        "max_evidence_characters": block.search.max_evidence_characters,
        "max_retry_attempts": block.search.max_retry_attempts,
        "timeout_seconds": block.search.timeout_seconds,
        "authentication": _authentication(block.search.authentication, report),
        "client_id": tree.client_id,
    }
    settings = _assemble(values, indexes, agents, report)
    return None if any(problem.section == "retrieval" for problem in report.problems) else settings


def _assemble(
    values: dict[str, Any], indexes: dict[int, IndexSettings], agents: dict[int, AgentSettings], report: Report
) -> RetrievalSettings | None:
    """The settings of the entries that agree with each other; every other entry is reported and left out."""
    entries: dict[str, dict[int, Any]] = {"indexes": indexes, "agents": agents}
    settings = {"indexes": INDEXES, "agents": AGENTS}
    while True:
        try:
            return RetrievalSettings(**values, indexes=tuple(indexes.values()), agents=tuple(agents.values()))
        except InvalidSettings as error:
            wrong: set[tuple[str, int]] = set()
            for (part, *rest), message in error.faults:
                if part not in entries:
                    report.add(SEARCH + _place([part, *rest])[1:], message)
                    continue
                place = [*entries[part]][int(rest[0])]
                report.add(f"{settings[part]}[{place}]{_place(rest[1:])}", message)
                wrong.add((part, place))
            if not wrong:
                return None
            for part, place in wrong:
                _leave_out(entries[part], place)


def _leave_out(entries: dict[int, Any], place: int) -> None:
    """Makes the entry's name unusable, together with any other entry of the name: nobody knows which was meant."""
    name = entries[place].name
    for other in [other for other, entry in entries.items() if entry.name == name and other != place]:
        del entries[other]
    entries[place] = replace(entries[place], usable=False)


def _place(location: Iterable[int | str]) -> str:
    """A place in Python names as it is spelled below the setting: `[0].ContentFields`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{_KEYS.get(part) or _pascal(part)}" for part in location)


def _pascal(part: str) -> str:
    return to_pascal(part) if part.islower() else part


def _load_indexes(block: AiAgentsBlock, report: Report) -> dict[int, IndexSettings]:
    entries = _index_entries(block.search.indexes, report)
    loaded = {place: _load_index(f"{INDEXES}[{place}]", entry, report) for place, entry in enumerate(entries)}
    return {place: index for place, index in loaded.items() if index.name}


def _index_entries(value: object, report: Report) -> list[Any]:
    """The entries of the list, written as JSON or as numbered settings."""
    numbered = {key: member for key, member in value.items() if key} if isinstance(value, dict) else {}
    listed = value.get("") if isinstance(value, dict) else value
    entries: list[Any] = []
    try:
        entries = [] if is_blank(listed) or str(listed).strip().lower() == "null" else parse_json(listed, list)
    except ValueError as error:
        report.add(INDEXES, str(error))
        return []
    if entries and numbered:
        report.add(INDEXES, "Is given in both forms; keep the JSON list or the numbered settings.")
        return []
    if not entries and not numbered:
        report.add(INDEXES, "Needs at least one index.")
    return entries or [
        {key: member if key.lower() == "labels" else _unnumber(member) for key, member in entry.items()}
        if isinstance(entry, dict)
        else entry
        for entry in _unnumber(numbered)
    ]


def _unnumber(value: Any) -> Any:
    """Numbered settings as a list: any key counts, numbers first, as in the configuration of .NET."""
    if not isinstance(value, dict):
        return value
    order = sorted(value, key=lambda key: (not key.isdecimal(), int(key) if key.isdecimal() else 0, key))
    return [value[key] for key in order]


def _load_index(place: str, value: object, report: Report) -> IndexSettings:
    _warn_of_duplicates(place, value, report)
    try:
        entry = IndexEntry.model_validate(value)
        members = entry.model_dump()
        return IndexSettings(minimum_relevance=members.pop("minimum_relevance_filter"), **members)
    except ValidationError as error:
        for location, message in describe(error):
            report.add(place + _place(location), message)
    except InvalidSettings as error:
        for location, message in error.faults:
            report.add(place + _place(location), message)
    return IndexSettings(name=_name_of(value), usable=False)


def _name_of(value: object) -> str:
    """The name of an entry that is wrong elsewhere; blank where the name is wrong too."""
    names = [member for key, member in value.items() if key.lower() == "name"] if isinstance(value, dict) else []
    return names[0].strip() if len(names) == 1 and isinstance(names[0], str) else ""


def _warn_of_duplicates(place: str, value: object, report: Report) -> None:
    for key, member in value.items() if isinstance(value, dict) else ():
        texts = [text for text in member if isinstance(text, str)] if isinstance(member, list) else []
        if len(set(texts)) < len(texts):
            report.warn(f"{place}.{key}", "Lists an entry twice; it counts once.")


def _authentication(block: AuthenticationBlock, report: Report) -> Authentication | None:
    try:
        found = Authentication(**block.model_dump())
    except InvalidSettings as error:
        for location, message in error.faults:
            report.add(f"{SEARCH}Authentication__{_place(location)[1:]}", message)
        return None
    return found if found != Authentication() else None


def _load_agents(block: AiAgentsBlock, indexes: Iterable[IndexSettings], report: Report) -> dict[int, AgentSettings]:
    known = {index.name: index for index in indexes}
    return {
        place: _load_agent(f"{AGENTS}[{place}]", value, known, report) for place, value in enumerate(block.knowledge_agents)
    }


def _load_agent(place: str, value: object, indexes: dict[str, IndexSettings], report: Report) -> AgentSettings:
    before = len(report.problems)
    try:
        entry = AgentEntry.model_validate(value)
        members = entry.model_dump()
        members["indexes"] = tuple(AgentIndex(**index) for index in members["indexes"])
        agent = AgentSettings(**members)
        for number, index in enumerate(agent.indexes):
            if index.filter is not None:
                _check_filter(f"{place}.Indexes[{number}].Filter", index.filter, indexes.get(index.name), report)
    except ValidationError as error:
        for location, message in describe(error):
            report.add(place + _place(location), message)
    except InvalidSettings as error:
        for location, message in error.faults:
            report.add(place + _place(location), message)
    if len(report.problems) > before:
        return AgentSettings(name=_name_of(value), usable=False)
    return agent


def _check_filter(place: str, value: object, index: IndexSettings | None, report: Report) -> None:
    try:
        own = filter_from_json(value, "")
    except InvalidFilter as error:
        for problem in error.problems or (error.at(""),):
            report.add(place + problem.path, problem.message)
        return
    # What an agent's filter does not pin down, the filter of a call may.
    for message in set() if index is None else filter_problems(own, index) - {NOT_PINNED}:
        report.add(place, message)


def filter_problems(own: ODataFilter | None, index: IndexSettings) -> set[str]:
    """Why the index would refuse every search with this filter of the settings; no field is named."""
    try:
        check_fields(own, index)
    except InvalidFilter as error:
        return {NOT_PINNED if problem.code == "required_filter_field" else NOT_ALLOWED for problem in error.problems}
    return set()
