"""The search part of the settings: endpoint, limits, indexes in both forms, another identity, agents."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from shared.retrieval import (
    AgentIndex,
    AgentSettings,
    Authentication,
    IndexSettings,
    InvalidFilter,
    ODataFilter,
    RetrievalSettings,
    check_fields,
    filter_from_json,
)

from . import catalog as table
from .entries import AgentEntry, IndexEntry, faults
from .environment import Environment
from .problems import section_of

NOT_PINNED = "must pin down every one of RequiredFilterFields of its index"
NOT_ALLOWED = "uses what FilterFields of its index does not allow"


def load_retrieval(env: Environment) -> RetrievalSettings | None:
    """What retrieval needs, or None when any part of it is missing or wrong."""
    endpoint = env.address(table.SEARCH + "Endpoint")
    if endpoint is None and env.text(table.SEARCH + "Endpoint") is None:
        env.problem(table.SEARCH + "Endpoint", "is required")
    indexes = _indexes(env)
    agents = _agents(env, {index.name: index for index in indexes})
    relevance = env.number(table.SEARCH + "MinimumRelevanceFilter", 0.5, least=0, most=1)
    characters = env.whole(table.SEARCH + "MaxEvidenceCharacters", 190_000, least=400)
    retries = env.whole(table.SEARCH + "MaxRetryAttempts", 3, least=0, most=100)
    seconds = env.number(table.SEARCH + "TimeoutSeconds", 20, least=0.1, most=230)
    authentication = _authentication(env)
    if endpoint is None or any(section_of(problem.setting) == "retrieval" for problem in env.problems):
        return None
    return RetrievalSettings(
        endpoint=endpoint,
        indexes=indexes,
        minimum_relevance=relevance,
        max_evidence_characters=characters,
        max_retry_attempts=retries,
        timeout_seconds=seconds,
        authentication=authentication,
        client_id=env.text(table.CLIENT_ID),
        agents=agents,
    )


def _indexes(env: Environment) -> tuple[IndexSettings, ...]:
    listed, nested = env.json(table.INDEXES, list), _nested(env.under(table.INDEXES + "__"))
    if listed is not None and nested:
        env.problem(table.INDEXES, "is given in both forms; keep the JSON list or the numbered settings")
        return ()
    if not listed and not nested and not any(p.setting == table.INDEXES for p in env.problems):
        env.problem(table.INDEXES, "needs at least one index")
    entries = [_index(env, f"{table.INDEXES}[{place}]", value) for place, value in enumerate(listed or nested)]
    indexes = [entry for entry in entries if entry is not None]
    for place, index in enumerate(indexes):
        if any(other.name == index.name for other in indexes[:place]):
            env.problem(f"{table.INDEXES}[{place}].Name", "is the name of an earlier entry too")
    return tuple(indexes)


def _nested(flat: dict[str, str]) -> list[Any]:
    """The settings `0__Name`, `0__ContentFields__0` as a list of entries; any key counts, numbers first, as in .NET."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *parents, last = name.split("__")
        node = tree
        for part in parents:
            if not isinstance(node.get(part), dict):
                node[part] = {}
            node = node[part]
        node.setdefault(last, value)
    entries = _listed(tree)
    return [{key: _listed(member) for key, member in e.items()} if isinstance(e, dict) else e for e in entries]


def _listed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return [
        value[key] for key in sorted(value, key=lambda key: (not key.isdecimal(), int(key) if key.isdecimal() else 0, key))
    ]


def _index(env: Environment, place: str, value: object) -> IndexSettings | None:
    try:
        entry = IndexEntry.model_validate(value)
    except ValidationError as error:
        for below, message in faults(error):
            env.problem(place + below, message)
        return None
    allowed = entry.filter_fields
    if allowed is not None and not all(_allows(allowed, field) for field in entry.required_filter_fields):
        env.problem(f"{place}.RequiredFilterFields", "names a field that FilterFields does not allow")
    members = entry.model_dump()
    return IndexSettings(minimum_relevance=members.pop("minimum_relevance_filter"), **members)


def _allows(filter_fields: tuple[str, ...], field: str) -> bool:
    """Whether a filter may use `field`: it or a complex field around it is named."""
    return any(field == allowed or field.startswith(f"{allowed}/") for allowed in filter_fields)


def _authentication(env: Environment) -> Authentication | None:
    keys = ("TenantId", "ClientId", "ClientSecret")
    values = {key: env.text(table.AUTHENTICATION + key) for key in keys}
    managed = env.text(table.AUTHENTICATION + "ManagedIdentityClientId")
    authority = env.address(table.AUTHENTICATION + "AuthorityHost", loopback_http=False)
    given = [key for key in keys if values[key]]
    if managed and (given or authority):
        env.problem(
            table.AUTHENTICATION + "ManagedIdentityClientId", "stands alone, without the other keys of Authentication"
        )
        return None
    if managed:
        return Authentication(managed_identity_client_id=managed)
    if (given or authority) and len(given) < len(keys):
        for key in keys:
            if not values[key]:
                env.problem(table.AUTHENTICATION + key, "is required beside the other keys of Authentication")
        return None
    if not given:
        return None
    if not re.fullmatch(r"[A-Za-z0-9.-]+", values["TenantId"] or ""):
        env.problem(table.AUTHENTICATION + "TenantId", "must be a tenant's id or domain name")
    return Authentication(
        tenant_id=values["TenantId"],
        client_id=values["ClientId"],
        client_secret=values["ClientSecret"],
        authority_host=authority,
    )


def _agents(env: Environment, indexes: dict[str, IndexSettings]) -> tuple[AgentSettings, ...]:
    agents: list[AgentSettings] = []
    for place, value in enumerate(env.json(table.AGENTS, list) or []):
        path = f"{table.AGENTS}[{place}]"
        try:
            entry = AgentEntry.model_validate(value)
        except ValidationError as error:
            for below, message in faults(error):
                env.problem(path + below, message)
            continue
        _check_agent(env, path, entry, indexes)
        if any(entry.name == other.name for other in agents):
            env.problem(f"{path}.Name", "is the name of an earlier entry too")
        agents.append(_agent(entry))
    return tuple(agents)


def _agent(entry: AgentEntry) -> AgentSettings:
    return AgentSettings(
        name=entry.name,
        engine=entry.engine,
        indexes=tuple(AgentIndex(name=index.name, filter=index.filter) for index in entry.indexes),
        max_sub_queries=entry.max_sub_queries or 3,
        reranker_threshold=entry.reranker_threshold,
        knowledge_base=entry.knowledge_base,
        knowledge_agent=entry.knowledge_agent,
    )


def _check_agent(env: Environment, path: str, entry: AgentEntry, indexes: dict[str, IndexSettings]) -> None:
    named = [name for name in (entry.knowledge_base, entry.knowledge_agent) if name]
    if entry.engine == "service" and len(named) != 1:
        env.problem(f"{path}.KnowledgeBase", "an agent of the service names either KnowledgeBase or KnowledgeAgent")
    if entry.engine == "planned" and named:
        env.problem(f"{path}.Engine", "must be service where KnowledgeBase or KnowledgeAgent is named")
    if not entry.indexes:
        env.problem(f"{path}.Indexes", "needs at least one index")
    for place, index in enumerate(entry.indexes):
        below = f"{path}.Indexes[{place}]"
        if index.name not in indexes:
            env.problem(f"{below}.Name", f"is not among the indexes of {table.INDEXES}")
        elif entry.engine == "planned" and indexes[index.name].key_field is None:
            env.problem(f"{below}.Name", "is an index without KeyField; an agent needs one to tell documents apart")
        if any(index.name == other.name for other in entry.indexes[:place]):
            env.problem(f"{below}.Name", "is named twice")
        if index.filter is not None:
            _check_filter(env, below, index.filter, indexes.get(index.name))


def _check_filter(env: Environment, path: str, value: dict[str, Any], index: IndexSettings | None) -> None:
    try:
        own = filter_from_json(value, ".Filter")
    except InvalidFilter as error:
        for problem in error.problems or (error.at(".Filter"),):
            env.problem(path + problem.path, problem.message)
        return
    found = set() if index is None else filter_faults(own, index)
    # What an agent's filter does not pin down, the filter of a call may.
    for message in found - {NOT_PINNED}:
        env.problem(f"{path}.Filter", message)


def filter_faults(own: ODataFilter | None, index: IndexSettings) -> set[str]:
    """Why the index would refuse every search with this filter of the settings; no field is named."""
    try:
        check_fields(own, index)
    except InvalidFilter as error:
        return {NOT_PINNED if problem.code == "required_filter_field" else NOT_ALLOWED for problem in error.problems}
    return set()
