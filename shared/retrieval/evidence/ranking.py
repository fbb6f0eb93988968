"""Relevance: which hits of a search are strong enough to be evidence, and each document once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..search.results import Hit, HitPage, ScoreKind
from ..settings import IndexSettings

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Hits of one search after the cut, in the service's order, and those that were too weak."""

    kept: tuple[Hit, ...]
    weak: tuple[Hit, ...]
    score_kind: ScoreKind


def rank(page: HitPage, index: IndexSettings, minimum_relevance: float) -> Ranked:
    """The hits of `page` that score at least `minimum_relevance` (a share from 0 to 1) of its best, by one kind of score.

    The index's own `MinimumRelevanceFilter` goes before. Fused scores are ranks and are cut only by that.
    """
    kind = score_kind(page)
    share = (
        index.minimum_relevance if index.minimum_relevance is not None else None if kind == "fused" else minimum_relevance
    )
    strong = page.hits if share is None else above_relative_cutoff(page.hits, lambda hit: score_of(hit, kind), share)
    floor = index.minimum_reranker_score
    if kind == "reranker" and floor is not None:
        strong = tuple(hit for hit in strong if (score_of(hit, kind) or 0.0) >= floor)
    kept = {id(hit) for hit in strong}
    return Ranked(kept=tuple(strong), weak=tuple(hit for hit in page.hits if id(hit) not in kept), score_kind=kind)


def score_kind(page: HitPage) -> ScoreKind:
    """The one kind of score that a page is cut by: the ranker's where it gave any, else that of the search."""
    if any(hit.reranker_score is not None for hit in page.hits):
        return "reranker"
    return page.base_kind if any(hit.score is not None for hit in page.hits) else "none"


def score_of(hit: Hit, kind: ScoreKind) -> float | None:
    """The score of a hit of that kind, None where it has none."""
    return hit.reranker_score if kind == "reranker" else hit.score


def above_relative_cutoff(hits: Iterable[T], score: Callable[[T], float | None], share: float) -> tuple[T, ...]:
    """The hits scoring at least `share` of the best. Without a score above 0 nothing can be weighed, and all stay."""
    scored = [(hit, score(hit) or 0.0) for hit in hits]
    top = max((value for _, value in scored), default=0.0)
    if not top > 0:
        return tuple(hit for hit, _ in scored)
    return tuple(hit for hit, value in scored if value > 0 and value >= share * top)


def interleave(lists: Sequence[Sequence[T]]) -> Iterator[T]:
    """The first of each list, then the second of each, until all are through."""
    for place in range(max(map(len, lists), default=0)):
        yield from (items[place] for items in lists if place < len(items))


def deduplicate(items: Iterable[T], identity: Callable[[T], Hashable | None]) -> tuple[list[T], list[T]]:
    """The first of each identity and the rest; None is like nothing else."""
    first: list[T] = []
    repeated: list[T] = []
    seen: set[Hashable] = set()
    for item in items:
        same = identity(item)
        (repeated if same is not None and same in seen else first).append(item)
        seen.add(same)
    return first, repeated
