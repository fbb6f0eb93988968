"""Hits of one or several searches made into evidence: cut, each once, in turns by rank, within the limit (spec 4)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .blocks import Block, Fitted, fit, nothing_found
from .evidence import Evidence, Omission, OmissionReason, SearchSummary
from .hits import Hit, HitPage, ScoreKind
from .ranking import Ranked, once, rank, score_of, take_turns
from .settings import IndexSettings
from .sources import Source, source_key, source_link, source_name
from .values import content_lines, content_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one search of a request gave."""

    index: IndexSettings
    page: HitPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A hit on its way to be evidence.

    `search` is the place of its search in the request, `values` what is shown of it, `body` the same as lines.
    """

    search: int
    index: IndexSettings
    document: Mapping[str, Any]
    values: Sequence[tuple[str, str]]
    body: str
    score: float | None
    key: str | None

    @property
    def identity(self) -> Hashable | None:
        """Equal for the same text of the same document; None where documents cannot be told apart."""
        return None if self.key is None else (self.index.name, self.key, " ".join(self.body.split()))

    def source(self, number: int, *, truncated: bool = False) -> Source:
        """The source that a citation of this hit shows."""
        return Source(
            number=number,
            name=source_name(self.document, self.index, self.values) or self.key or f"{self.index.name} {number}",
            link=source_link(self.document, self.index),
            index=self.index.name,
            key=self.key,
            score=self.score,
            truncated=truncated,
        )

    def omission(self, reason: OmissionReason) -> Omission:
        """The hit as one that was left out."""
        return Omission(index=self.index.name, key=self.key, reason=reason)


def document_of(hit: Hit) -> Mapping[str, Any]:
    """Everything that was fetched of a hit."""
    return hit.declared or hit.fields


def candidate(hit: Hit, index: IndexSettings, kind: ScoreKind, search: int = 0) -> Candidate:
    """A hit with its lines written out."""
    document = document_of(hit)
    values = content_values(document, index)
    body = "\n".join(content_lines(values))
    return Candidate(
        search=search,
        index=index,
        document=document,
        values=values,
        body=body,
        score=score_of(hit, kind),
        key=source_key(document, index),
    )


def make_evidence(found: Sequence[Found], minimum_relevance: float, max_characters: int) -> Evidence:
    """The evidence of all searches, numbered through from 1; everything left out is listed with its reason."""
    ranked = [rank(search.page, search.index, minimum_relevance) for search in found]
    omitted: list[tuple[int, Omission]] = []
    lists: list[list[Candidate]] = []
    for place, (search, cut) in enumerate(zip(found, ranked, strict=True)):
        omitted += [(place, candidate(hit, search.index, cut.score_kind).omission("relevance")) for hit in cut.weak]
        strong = [candidate(hit, search.index, cut.score_kind, place) for hit in cut.kept]
        omitted += [(place, item.omission("empty")) for item in strong if not item.body]
        filled = [item for item in strong if item.body]
        best, repeated = _best_once(filled)
        omitted += [(place, item.omission("duplicate")) for item in repeated]
        lists.append(best)
    chosen, again = once(take_turns(lists), lambda item: item.identity)
    omitted += [(item.search, item.omission("duplicate")) for item in again]
    fitted = fit([Block(index=item.index.name, body=item.body) for item in chosen], max_characters) if chosen else None
    kept = chosen[: len(fitted.bodies)] if fitted else []
    omitted += [(item.search, item.omission("size")) for item in chosen[len(kept) :]]
    omitted.sort(key=lambda pair: pair[0])
    return _evidence(found, ranked, kept, fitted, [omission for _, omission in omitted])


def _best_once(items: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Each text of each document once, the best scored of them, in the service's order."""
    by_score = sorted(items, key=lambda item: item.score or 0.0, reverse=True)
    best, repeated = once(by_score, lambda item: item.identity)
    kept = {id(item) for item in best}
    return [item for item in items if id(item) in kept], repeated


def _evidence(
    found: Sequence[Found],
    ranked: Sequence[Ranked],
    kept: Sequence[Candidate],
    fitted: Fitted | None,
    omitted: Sequence[Omission],
) -> Evidence:
    summaries = tuple(
        SearchSummary(
            index=search.index.name,
            hits=len(search.page.hits),
            kept=sum(item.search == place for item in kept),
            score_kind=cut.score_kind,
            reason=search.page.reason or _semantic_reason(search.page),
        )
        for place, (search, cut) in enumerate(zip(found, ranked, strict=True))
    )
    sources = tuple(
        item.source(number, truncated=number == 1 and fitted is not None and fitted.truncated)
        for number, item in enumerate(kept, 1)
    )
    return Evidence(
        text=fitted.text if fitted else nothing_found([search.index.name for search in found]),
        sources=sources,
        omitted=tuple(omitted),
        searches=summaries,
        blocks=fitted.bodies if fitted else (),
    )


def _semantic_reason(page: HitPage) -> str | None:
    return page.semantic.reason if page.semantic is not None else None
