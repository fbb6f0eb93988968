"""A retrieve request as values, whatever shape it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..filters.filter import ODataFilter

Shape = Literal["agent", "knowledge_base"]
Role = Literal["user", "assistant", "system"]

AGENT_VERSION = "2025-05-01-preview"
KNOWLEDGE_BASE_VERSION = "2026-04-01"

DEFAULT_DOCUMENTS = 50
"""Hits of one sub-query in one index, at most and by default: what the semantic ranker takes."""


@dataclass(frozen=True, slots=True)
class MessageText:
    """A text part of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class MessageImage:
    """An image part: an address that is handed on to a model and never fetched."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveMessage:
    """One message of the conversation."""

    role: Role
    content: tuple[MessageText | MessageImage, ...]

    @property
    def text(self) -> str:
        """Its text parts, one per line."""
        return "\n".join(part.text for part in self.content if isinstance(part, MessageText)).strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An index that the caller names. `path` is where the request names it, `filter` the caller's own filter."""

    index: str
    path: str
    filter: ODataFilter | None = None
    max_documents: int = DEFAULT_DOCUMENTS
    reranker_threshold: float | None = None
    include_source_data: bool = False
    include_references: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """Messages (2025-05-01-preview) or intents (2026-04-01), and what is asked of the indexes; no targets: all of them."""

    shape: Shape = "agent"
    messages: tuple[RetrieveMessage, ...] = ()
    intents: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    max_runtime_seconds: int | None = None
    max_output_tokens: int | None = None
    include_activity: bool = True


# What retrieve gives: texts for a model, the documents they come from, and what was done. Unknown figures are None.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningActivity:
    """A model made the sub-queries."""

    id: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    elapsed_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchActivity:
    """One sub-query in one index: `count` hits that passed the threshold; `filter` is the caller's own."""

    id: int
    index: str
    search: str
    filter: str | None = None
    query_time: datetime | None = None
    count: int | None = None
    elapsed_ms: int | None = None
    warning: str | None = None
    source_data_fields: tuple[str, ...] = ()
    semantic_configuration: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingActivity:
    """The semantic ranker ranked hits."""

    id: int
    input_tokens: int | None = None
    elapsed_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningActivity:
    """What the service spent on reasoning."""

    id: int
    reasoning_tokens: int | None = None


Activity = PlanningActivity | SearchActivity | RankingActivity | ReasoningActivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A document of the reply; `id` joins it to the entry of the text with that `ref_id`."""

    id: str
    activity_source: int
    index: str
    doc_key: str | None
    title: str | None = None
    source_data: Mapping[str, object] | None = None
    reranker_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveReply:
    """`text` is a JSON list of `{ref_id, title, terms, content}`."""

    text: str
    references: tuple[Reference, ...] = ()
    activity: tuple[Activity, ...] = ()
