"""Settings of the retrieval package: frozen values, made by the caller (the app loads them from its environment)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

DEFAULT_MINIMUM_RELEVANCE = 0.5
DEFAULT_MAX_EVIDENCE_CHARACTERS = 190_000
DEFAULT_MAX_RETRY_ATTEMPTS = 3
DEFAULT_TIMEOUT_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """One index that callers may name (spec 2). Field lists are in the order of the settings."""

    name: str
    content_fields: tuple[str, ...] = ()
    name_field: str | None = None
    link_field: str | None = None
    key_field: str | None = None
    return_fields: tuple[str, ...] | None = None
    permission_filter: bool = False
    semantic_configuration: str | None = None
    vector_fields: tuple[str, ...] = ()
    semantic_fallback: bool = False
    filter_fields: tuple[str, ...] | None = None
    required_filter_fields: tuple[str, ...] = ()
    minimum_relevance: float | None = None
    minimum_reranker_score: float | None = None
    allowed_roles: tuple[str, ...] | None = None

    @property
    def configured_fields(self) -> tuple[str, ...]:
        """Every field that the settings name, some of them more than once."""
        declared = (field for field in (self.name_field, self.link_field, self.key_field) if field is not None)
        return (*self.content_fields, *declared, *(self.return_fields or ()), *self.vector_fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Authentication:
    """Another identity for search: a client secret (tenant, client and secret) or a managed identity's client id alone."""

    tenant_id: str | None = None
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    authority_host: str | None = None
    managed_identity_client_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIndex:
    """An index of an agent with the agent's own filter: `template`/`values` or `equals`, as in a request (spec 3.2)."""

    name: str
    filter: object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """A named retrieve set-up (spec 6)."""

    name: str
    engine: Literal["planned", "service"] = "planned"
    indexes: tuple[AgentIndex, ...] = ()
    max_sub_queries: int = 3
    reranker_threshold: float | None = None
    knowledge_base: str | None = None
    knowledge_agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Everything that retrieval needs to know. `endpoint` is https, or http on a loopback address."""

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
