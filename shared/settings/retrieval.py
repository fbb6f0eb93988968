"""The search part of the settings: endpoint, limits, indexes in both forms, another identity, agents."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_pascal

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
from .environment import Environment, read_flag, read_number, section_of

# Entries of the JSON lists among the settings, as pydantic models. Keys ignore case, unknown ones are problems.


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _text(value: object) -> object:
    """Scalars as text, as every app setting is one; blank is absent."""
    if _is_blank(value):
        return None
    return str(value) if isinstance(value, bool | int | float) else value


def _is_absent(value: object) -> bool:
    """Blank, or the word `null` where a list or a number belongs: the numbered form has texts alone."""
    return _is_blank(value) or (isinstance(value, str) and value.strip().lower() == "null")


def _texts(value: object) -> object:
    if _is_absent(value):
        return ()
    if not isinstance(value, list):
        raise ValueError("must be a list of texts")
    texts = [_text(entry) for entry in value]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("must be a list of texts, none of them blank")
    if len(set(texts)) != len(texts):
        raise ValueError("names an entry twice")
    return tuple(texts)


def _some_texts(value: object) -> object:
    if _is_absent(value):
        return None
    if value == []:
        raise ValueError("is an empty list: leave the key out, or name something")
    return _texts(value)


def _flag(value: object) -> object:
    if _is_blank(value):
        return False
    flag = value if isinstance(value, bool) else read_flag(value) if isinstance(value, str) else None
    if flag is None:
        raise ValueError("must be true or false")
    return flag


def _number(value: object) -> object:
    if _is_absent(value):
        return None
    number = read_number(value) if isinstance(value, str) else value
    if number is None or isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError("must be a number")
    return number


def _whole(value: object) -> object:
    number = _number(value)
    if isinstance(number, float) and not number.is_integer():
        raise ValueError("must be a whole number")
    return None if number is None else int(number)  # type: ignore[call-overload]  # _number gives numbers only


Text = Annotated[str | None, BeforeValidator(_text)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
SomeTexts = Annotated[tuple[str, ...] | None, BeforeValidator(_some_texts)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Share = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_number)]
Score = Annotated[Annotated[float, Field(ge=0, le=4)] | None, BeforeValidator(_number)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_pascal, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _fold_keys(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError("must be an object")
        known = {to_pascal(name).lower(): to_pascal(name) for name in cls.model_fields}
        folded = {known.get(str(key).lower(), str(key)): member for key, member in value.items()}
        if len(folded) != len(value):
            raise ValueError("names a key twice")
        return folded


class IndexEntry(_Entry):
    """One entry of `AiAgents__AISearch__Indexes`."""

    name: Annotated[str, BeforeValidator(_text)]
    content_fields: Texts = ()
    name_field: Text = None
    link_field: Text = None
    key_field: Text = None
    return_fields: SomeTexts = None
    permission_filter: Flag = False
    semantic_configuration: Text = None
    vector_fields: Texts = ()
    semantic_fallback: Flag = False
    filter_fields: SomeTexts = None
    required_filter_fields: Texts = ()
    minimum_relevance_filter: Share = None
    minimum_reranker_score: Score = None
    allowed_roles: SomeTexts = None


class AgentIndexEntry(_Entry):
    """An index of an agent, with the agent's own filter as an object."""

    name: Annotated[str, BeforeValidator(_text)]
    filter: dict[str, Any] | None = None


def _entries(value: object) -> object:
    return () if _is_absent(value) else value


def _engine(value: object) -> object:
    return "planned" if _is_blank(value) else value.lower() if isinstance(value, str) else value


class AgentEntry(_Entry):
    """One entry of `AiAgents__KnowledgeAgents`."""

    name: Annotated[str, BeforeValidator(_text)]
    engine: Annotated[Literal["planned", "service"], BeforeValidator(_engine)] = "planned"
    indexes: Annotated[tuple[AgentIndexEntry, ...], BeforeValidator(_entries)] = ()
    max_sub_queries: Annotated[Annotated[int, Field(ge=1, le=20)] | None, BeforeValidator(_whole)] = None
    reranker_threshold: Score = None
    knowledge_base: Text = None
    knowledge_agent: Text = None


_MESSAGES = {
    "missing": "is required",
    "extra_forbidden": "is not a known key",
    "string_type": "is required and must be a text",
    "literal_error": "must be planned or service",
}


def faults(error: ValidationError) -> list[tuple[str, str]]:
    """The place inside the entry (`.Name`, `.ContentFields`) and the sentence of each fault, without any value."""
    return [("".join(_place(part) for part in fault["loc"]), _sentence(fault)) for fault in error.errors()]


def _place(part: int | str) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"


def _sentence(fault: Any) -> str:
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    if fault["type"] in ("greater_than_equal", "less_than_equal"):
        bound = fault["ctx"].get("ge", fault["ctx"].get("le"))
        return f"must be {'at least' if 'ge' in fault['ctx'] else 'at most'} {bound:g}"
    return _MESSAGES.get(fault["type"], "has the wrong type")


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
