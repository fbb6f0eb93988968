"""Hits of one or several searches made into evidence: cut, each once, in turns by rank, within the limit."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..search.results import Hit, HitPage, ScoreKind
from ..settings import IndexSettings
from .ranking import deduplicate, interleave, rank, score_of
from .rendering import Block, Fitted, content_values, fit, nothing_found, render_fields
from .sources import Source, source_key, source_link, source_name

# Evidence: hits numbered and written out as they are shown to a model.

OmissionReason = Literal["relevance", "size", "duplicate", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """A hit that is not among the evidence, and why."""

    index: str
    key: str | None
    reason: OmissionReason


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSummary:
    """What one search of the request gave: `hits` returned, `kept` as evidence."""

    index: str
    hits: int
    kept: int
    score_kind: ScoreKind
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Numbered evidence: `text` for a model, `sources` for citations, what was left out and what each search gave.

    `blocks[i]` is the text of `sources[i]` without its heading, for checks of figures.
    """

    text: str
    sources: tuple[Source, ...] = ()
    omitted: tuple[Omission, ...] = ()
    searches: tuple[SearchSummary, ...] = ()
    blocks: tuple[str, ...] = ()

    @property
    def has_evidence(self) -> bool:
        """Whether any hit was kept."""
        return bool(self.sources)


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
    body = "\n".join(render_fields(values))
    return Candidate(
        search=search,
        index=index,
        document=document,
        values=values,
        body=body,
        score=score_of(hit, kind),
        key=source_key(document, index),
    )


def build_evidence(found: Sequence[Found], minimum_relevance: float, max_characters: int) -> Evidence:
    """The evidence of all searches, numbered through from 1; everything left out is listed with its reason."""
    sorting = EvidenceBuilder(found, minimum_relevance)
    chosen = sorting.chosen()
    fitted = fit([Block(index=item.index.name, body=item.body) for item in chosen], max_characters) if chosen else None
    kept = chosen[: len(fitted.bodies)] if fitted else []
    sorting.leave_out(chosen[len(kept) :], "size")
    return Evidence(
        text=fitted.text if fitted else nothing_found([search.index.name for search in found]),
        sources=_sources(kept, fitted),
        omitted=sorting.omitted,
        searches=sorting.summaries(kept),
        blocks=fitted.bodies if fitted else (),
    )


class EvidenceBuilder:
    """The hits of all searches on their way to be evidence or to be left out."""

    def __init__(self, found: Sequence[Found], minimum_relevance: float) -> None:
        self._found = found
        self._ranked = [rank(search.page, search.index, minimum_relevance) for search in found]
        self._left_out: list[tuple[int, Omission]] = []

    def chosen(self) -> list[Candidate]:
        """What is relevant, has a text and is not there already: the searches in turns by rank."""
        lists = [self._best_of(place) for place in range(len(self._found))]
        chosen, again = deduplicate(interleave(lists), lambda item: item.identity)
        self.leave_out(again, "duplicate")
        return chosen

    def _best_of(self, place: int) -> list[Candidate]:
        ranked = self._ranked[place]
        self.leave_out(self._candidates(place, ranked.weak), "relevance")
        strong = self._candidates(place, ranked.kept)
        self.leave_out([item for item in strong if not item.body], "empty")
        best, repeated = _best_once([item for item in strong if item.body])
        self.leave_out(repeated, "duplicate")
        return best

    def _candidates(self, place: int, hits: Sequence[Hit]) -> list[Candidate]:
        index, kind = self._found[place].index, self._ranked[place].score_kind
        return [candidate(hit, index, kind, place) for hit in hits]

    def leave_out(self, items: Sequence[Candidate], reason: OmissionReason) -> None:
        """Note why these are not evidence."""
        self._left_out += [(item.search, item.omission(reason)) for item in items]

    @property
    def omitted(self) -> tuple[Omission, ...]:
        """Everything left out, search by search."""
        return tuple(omission for _, omission in sorted(self._left_out, key=lambda pair: pair[0]))

    def summaries(self, kept: Sequence[Candidate]) -> tuple[SearchSummary, ...]:
        """What each search gave."""
        return tuple(
            SearchSummary(
                index=search.index.name,
                hits=len(search.page.hits),
                kept=sum(item.search == place for item in kept),
                score_kind=ranked.score_kind,
                reason=search.page.reason or _semantic_reason(search.page),
            )
            for place, (search, ranked) in enumerate(zip(self._found, self._ranked, strict=True))
        )


def _best_once(items: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Each text of each document once, the best scored of them, in the service's order."""
    by_score = sorted(items, key=lambda item: item.score or 0.0, reverse=True)
    best, repeated = deduplicate(by_score, lambda item: item.identity)
    kept = {id(item) for item in best}
    return [item for item in items if id(item) in kept], repeated


def _sources(kept: Sequence[Candidate], fitted: Fitted | None) -> tuple[Source, ...]:
    cut = fitted is not None and fitted.truncated
    return tuple(item.source(number, truncated=cut and number == 1) for number, item in enumerate(kept, 1))


def _semantic_reason(page: HitPage) -> str | None:
    return page.semantic.reason if page.semantic is not None else None
