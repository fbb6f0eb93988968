"""Which documents a search finds, and their base scores: text, vectors, or both fused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..analysis.embedding import Embedder
from ..index import SearchIndex
from ..schema.models import StrictModel, validate
from ..storage.store import Mask
from ..text.match_result import Matched
from .fusion import TEXT_RECALL, fuse, widen
from .ordering import by_score
from .profiles import factors, field_weights, read_parameters, read_profile
from .queries import Scope, parse_query
from .search_request import SearchRequest
from .vector_request import VectorQuery, read_vector_query
from .vectors import Ranked, nearest

Scores = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Found:
    """The documents that were found: which, their scores, how a score is printed, and the terms that matched.

    `counted` are those that counts and facets are made of: with vectors, also text hits that no longer take part.
    """

    mask: Mask
    counted: Mask
    scores: Scores
    fused: bool = False
    terms: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def format_score(self, ordinal: int) -> float:
        """The score as the service prints it: fused ones widened, others as the shortest decimal of 32 bits."""
        value = np.float32(self.scores[ordinal])
        return widen(float(value)) if self.fused else float(str(value))


class HybridOptions(StrictModel):
    """The member `hybridSearch`: how many text hits take part in a fusion, and how hits are counted."""

    max_text_recall_size: int = Field(default=TEXT_RECALL, ge=1, le=10_000)
    count_and_facet_mode: Literal["countRetrievableResults", "countAllResults"] = "countAllResults"


@dataclass(frozen=True, kw_only=True)
class Matching:
    """The searching part of a call."""

    index: SearchIndex
    request: SearchRequest
    scope: Scope
    embedder: Embedder

    def find(self) -> Found:
        """The documents that the text and the vectors of the call find among those allowed."""
        queries = self._vector_queries()
        if not queries:
            return self._by_text(self.request.filter)
        before = self.request.vector_filter_mode == "preFilter"
        allowed, _ = self.scope.apply_filter(self.request.filter)
        searched = allowed if before else self.scope.apply_filter(None)[0]
        lists = [nearest(self.index, query, searched, self.scope.shards) for query in queries]
        if not before:
            lists = [_keep_allowed(each, allowed) for each in lists]
        return self._fuse_lists(lists)

    def _vector_queries(self) -> list[VectorQuery]:
        definition = self.index.definition
        return [query for raw in self.request.vector_queries for query in read_vector_query(definition, raw, self.embedder)]

    def _by_text(self, text_filter: str | None) -> Found:
        allowed, added = self.scope.apply_filter(text_filter)
        matched = self._match_text()
        mask = matched.mask & allowed
        scores = matched.scores if added is None else matched.scores + added
        return Found(mask=mask, counted=mask, scores=self._boost(mask, scores), terms=matched.terms)

    def _match_text(self) -> Matched:
        request = self.request
        profile = read_profile(self.index.definition, request.scoring_profile)
        syntax = "full" if request.query_type == "full" else "simple"
        query = parse_query(request.search, syntax, every_word=request.every_word)
        search = self.index.text_search(
            request.search_fields, every_word=request.every_word, weights=field_weights(profile), shards=self._statistics()
        )
        return search.run(query)

    def _statistics(self) -> int:
        """How many shards are scored by statistics of their own; with `scoringStatistics` global it is one."""
        return 1 if self.request.scoring_statistics == "global" else self.scope.shards

    def _boost(self, mask: Mask, scores: Scores) -> Scores:
        """Scores times the functions of the scoring profile."""
        profile = read_profile(self.index.definition, self.request.scoring_profile)
        parameters = read_parameters(self.request.scoring_parameters)
        if not profile.get("functions"):
            return scores
        boosted, ordinals = scores.copy(), np.flatnonzero(mask)
        boosted[ordinals] *= factors(self.index.store, [int(each) for each in ordinals], profile, parameters)
        return boosted

    def _fuse_lists(self, lists: list[Ranked]) -> Found:
        """One vector list alone keeps its scores; with text or another list, ranks are fused. `*` adds nothing."""
        size = len(self.index.store.documents)
        terms: Mapping[str, frozenset[str]] = {}
        counted = np.zeros(size, np.bool_)
        if not self.request.matches_all:
            text = self._by_text(self.request.filter)
            sequence = self.index.store.sequence(self.scope.shards)
            ordinals = by_score(sequence[text.mask[sequence]], text.scores, self._options.max_text_recall_size)
            lists, terms = [Ranked(ordinals, text.scores[ordinals]), *lists], text.terms
            counted |= text.mask
        if len(lists) == 1:
            scores = np.zeros(size)
            scores[lists[0].ordinals] = lists[0].scores
        else:
            scores = fuse(lists, size)
        mask = np.zeros(size, np.bool_)
        for each in lists:
            mask[each.ordinals] = True
        counted = mask if self._options.count_and_facet_mode == "countRetrievableResults" else counted | mask
        return Found(mask=mask, counted=counted, scores=scores, fused=len(lists) > 1, terms=terms)

    @property
    def _options(self) -> HybridOptions:
        return validate(HybridOptions, self.request.hybrid, "hybridSearch")


def _keep_allowed(ranked: Ranked, allowed: Mask) -> Ranked:
    """A list without the documents that a filter afterwards takes out."""
    keep = allowed[ranked.ordinals]
    return Ranked(ranked.ordinals[keep], ranked.scores[keep], ranked.weight)
