"""Hits: documents as a search returned them, with their scores kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ScoreKind = Literal["keyword", "fused", "reranker", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """A passage that the semantic ranker chose, as safe HTML; `highlights` is the same with `<em>` tags, or None."""

    text: str
    highlights: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticAnswer:
    """An answer that the semantic ranker extracted from the document with this key, as safe HTML."""

    key: str | None
    text: str
    highlights: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One document as returned. `fields` holds the document's own members, in the service's order, without `@search.*`.

    `highlights` and `captions` are safe HTML, in which only the `<em>` of the hit is live.
    `declared` holds what was fetched for the hit's key, name and link but is not the caller's to see.
    """

    fields: Mapping[str, Any]
    declared: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None
    reranker_score: float | None = None
    highlights: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    captions: tuple[Caption, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantic:
    """How semantic ranking went: `partial` when it did not happen as configured, `reason` says why, in one word."""

    partial: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitPage:
    """The hits of one search in the service's order, uncut. `reason` says why a search was not sent (`empty_filter_set`)."""

    hits: tuple[Hit, ...] = ()
    base_kind: ScoreKind = "keyword"
    count: int | None = None
    facets: Mapping[str, Any] | None = None
    answers: tuple[SemanticAnswer, ...] = ()
    semantic: Semantic | None = None
    reason: str | None = None
    next_skip: int | None = None
