"""Settings of the retrieval package: frozen values, made by the caller (the app loads them from its environment)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

DEFAULT_MINIMUM_RELEVANCE = 0.5
DEFAULT_MAX_EVIDENCE_CHARACTERS = 190_000
DEFAULT_MAX_RETRY_ATTEMPTS = 3
DEFAULT_TIMEOUT_SECONDS = 20.0
MIN_EVIDENCE_CHARACTERS = 400
MAX_EVIDENCE_CHARACTERS = 500_000
MAX_AGENT_INDEXES = 10
MAX_LABEL_CHARACTERS = 100

Fault = tuple[tuple[int | str, ...], str]
"""A place in Python names, such as `("indexes", 0, "name")`, and a sentence on what to change."""


class InvalidSettings(ValueError):
    """Settings that cannot work together; `faults` lists all of them."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(" ".join(f"{'.'.join(map(str, location))}: {message}" for location, message in faults))
        self.faults = faults


def _require(*faults: Iterator[Fault]) -> None:
    found = [fault for group in faults for fault in group]
    if found:
        raise InvalidSettings(found)


def _outside(settings: Any, **bounds: tuple[float, float]) -> Iterator[Fault]:
    """A fault for each number that is set and not within its bounds, both allowed."""
    for name, (least, most) in bounds.items():
        value = getattr(settings, name)
        if value is not None and not least <= value <= most:
            kind = "an integer" if isinstance(value, int) and isinstance(least, int) else "a number"
            yield (name,), f"Must be {kind} from {least:,} to {most:,}."


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """One index that callers may name. Field lists are in the order of the settings.

    Without `usable` its name is known and its settings are wrong: a call to it is told so.
    Raises InvalidSettings for numbers out of range and for a required filter field that `filter_fields` leaves out.
    """

    name: str
    content_fields: tuple[str, ...] = ()
    name_field: str | None = None
    link_field: str | None = None
    key_field: str | None = None
    return_fields: tuple[str, ...] | None = None
    search_fields: tuple[str, ...] = ()
    permission_filter: bool = False
    semantic_configuration: str | None = None
    vector_fields: tuple[str, ...] = ()
    semantic_fallback: bool = False
    filter_fields: tuple[str, ...] | None = None
    required_filter_fields: tuple[str, ...] = ()
    minimum_relevance: float | None = None
    minimum_reranker_score: float | None = None
    allowed_roles: tuple[str, ...] | None = None
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Field path → label that is shown instead of it in evidence, such as `rooms/rate` → `Room rate`."""
    usable: bool = True

    def __post_init__(self) -> None:
        numbers = _outside(self, minimum_relevance=(0, 1), minimum_reranker_score=(0, 4))
        _require(numbers, self._unreachable(), self._mislabelled())

    def _mislabelled(self) -> Iterator[Fault]:
        labels = list(self.labels.values())
        for path, label in self.labels.items():
            if not label.strip() or ":" in label or len(label.splitlines()) > 1 or len(label) > MAX_LABEL_CHARACTERS:
                yield ("labels", path), f"Must be one line of 1 to {MAX_LABEL_CHARACTERS} characters without a colon."
            if labels.count(label) > 1:
                yield ("labels", path), "Is the label of another field too."
            if label != path and label in self.configured_fields:
                yield ("labels", path), "Is the name of another field."

    def _unreachable(self) -> Iterator[Fault]:
        allowed = self.filter_fields
        if allowed is not None and not all(is_within(field, allowed) for field in self.required_filter_fields):
            yield ("required_filter_fields",), "Names a field that FilterFields does not allow."

    @property
    def configured_fields(self) -> tuple[str, ...]:
        """Every field that the settings name, some of them more than once."""
        declared = (field for field in (self.name_field, self.link_field, self.key_field) if field is not None)
        returned = self.return_fields or ()
        return (*self.content_fields, *declared, *returned, *self.search_fields, *self.vector_fields)

    def keys_naming(self, field: str) -> tuple[str, ...]:
        """The keys of the settings that name a field, for operators who have to mend one."""
        named = {
            "ContentFields": self.content_fields,
            "NameField": (self.name_field,),
            "LinkField": (self.link_field,),
            "KeyField": (self.key_field,),
            "ReturnFields": self.return_fields or (),
            "SearchFields": self.search_fields,
            "VectorFields": self.vector_fields,
            "FilterFields": self.filter_fields or (),
            "RequiredFilterFields": self.required_filter_fields,
        }
        return tuple(key for key, fields in named.items() if field in fields)

    @property
    def hides_fields(self) -> bool:
        """Whether a caller may not see or filter every field of a document."""
        return bool(self.content_fields) or self.return_fields is not None or self.filter_fields is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Authentication:
    """Another identity for search: a client secret (tenant, client and secret) or a managed identity's client id alone.

    Raises InvalidSettings when a part is missing or both are mixed.
    """

    tenant_id: str | None = None
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    authority_host: str | None = None
    managed_identity_client_id: str | None = None

    def __post_init__(self) -> None:
        _require(self._mixed())

    def _mixed(self) -> Iterator[Fault]:
        secret = {"tenant_id": self.tenant_id, "client_id": self.client_id, "client_secret": self.client_secret}
        started = any(secret.values()) or self.authority_host is not None
        if self.managed_identity_client_id:
            if started:
                yield ("managed_identity_client_id",), "Stands alone, without the other keys of Authentication."
            return
        for name, value in secret.items() if started else ():
            if not value:
                yield (name,), "Is required beside the other keys of Authentication."
        if self.tenant_id and not re.fullmatch(r"[A-Za-z0-9.-]+", self.tenant_id):
            yield ("tenant_id",), "Must be a tenant's id or domain name."


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIndex:
    """An index of an agent with the agent's own filter: `template`/`values` or `equals`, as in a request."""

    name: str
    filter: object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """A named set-up of retrieve. Raises InvalidSettings when its engine and indexes do not fit."""

    name: str
    engine: Literal["planned", "service"] = "planned"
    indexes: tuple[AgentIndex, ...] = ()
    max_sub_queries: int = 3
    reranker_threshold: float | None = None
    knowledge_base: str | None = None
    knowledge_agent: str | None = None
    usable: bool = True

    def __post_init__(self) -> None:
        if self.usable:
            _require(_outside(self, max_sub_queries=(1, 20), reranker_threshold=(0, 4)), self._mismatched())

    def _mismatched(self) -> Iterator[Fault]:
        named = [name for name in (self.knowledge_base, self.knowledge_agent) if name]
        if self.engine == "service" and len(named) != 1:
            yield ("knowledge_base",), "An agent of the service names either KnowledgeBase or KnowledgeAgent."
        if self.engine == "planned" and named:
            yield ("engine",), "Must be service where KnowledgeBase or KnowledgeAgent is named."
        if not 1 <= len(self.indexes) <= MAX_AGENT_INDEXES:
            yield ("indexes",), f"Must name 1 to {MAX_AGENT_INDEXES} indexes."
        for place, index in enumerate(self.indexes):
            if any(index.name == other.name for other in self.indexes[:place]):
                yield ("indexes", place, "name"), "Is named twice."


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Everything that retrieval needs to know. `endpoint` is https, or http on a loopback address.

    Raises InvalidSettings for numbers out of range, names given twice, and agents over indexes that are not there.
    """

    endpoint: str
    indexes: tuple[IndexSettings, ...]
    minimum_relevance: float = DEFAULT_MINIMUM_RELEVANCE
    max_evidence_characters: int = DEFAULT_MAX_EVIDENCE_CHARACTERS
    max_retry_attempts: int = DEFAULT_MAX_RETRY_ATTEMPTS
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    authentication: Authentication | None = None
    client_id: str | None = None
    """Client id of the app's user-assigned identity (`AZURE_CLIENT_ID`)."""
    agents: tuple[AgentSettings, ...] = ()

    def __post_init__(self) -> None:
        limits = _outside(
            self,
            minimum_relevance=(0, 1),
            max_evidence_characters=(MIN_EVIDENCE_CHARACTERS, MAX_EVIDENCE_CHARACTERS),
            max_retry_attempts=(0, 100),
            timeout_seconds=(0.01, 230),
        )
        _require(limits, _repeated("indexes", self.indexes), _repeated("agents", self.agents), self._lost_agents())

    def _lost_agents(self) -> Iterator[Fault]:
        known = {index.name: index for index in self.indexes}
        for place, agent in enumerate(self.agents):
            for number, named in enumerate(agent.indexes if agent.usable else ()):
                index = known.get(named.name)
                if index is None:
                    yield ("agents", place, "indexes", number, "name"), "Is not among the configured indexes."
                elif agent.engine == "planned" and index.usable and index.key_field is None:
                    message = "Is an index without KeyField; an agent needs one to tell documents apart."
                    yield ("agents", place, "indexes", number, "name"), message


def _repeated(part: str, entries: tuple[IndexSettings | AgentSettings, ...]) -> Iterator[Fault]:
    names = [entry.name for entry in entries]
    for place, entry in enumerate(entries):
        if entry.name and entry.name in names[:place]:
            yield (part, place, "name"), "Is the name of an earlier entry too."


def is_within(field: str, fields: tuple[str, ...]) -> bool:
    """Whether `field` is one of `fields`, or a part of a complex field among them."""
    return any(field == allowed or field.startswith(f"{allowed}/") for allowed in fields)
