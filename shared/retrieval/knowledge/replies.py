"""What retrieve gives: texts for a model, the documents they come from, and what was done. Unknown figures are None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


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
