"""A search: match, order, rank, then a page of hits with facets, counts and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis.embedding import Embedder
from ..errors import ServiceError
from ..index import SearchIndex
from .facet_request import FacetRequest, read_facet
from .facets import facets
from .highlights import HighlightRequest, highlights, read_highlight
from .matcher import Found, Matching
from .ordering import SortKey, by_keys, by_score, read_orderby
from .projection import Tree, project, read_select
from .queries import Scope
from .search_request import MAX_PAGE, PAGE, SearchRequest
from .semantic import RANKED, SemanticRanker, SemanticRanking, caption, debug_info
from .semantic_request import SemanticRequest, read_semantic_request

Hit = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The body of an answer and its status: 200, or 206 for a partial semantic one."""

    body: dict[str, Any]
    status: int = 200


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A search call with all its members read: everything is checked before anything is searched."""

    select: Tree
    keys: tuple[SortKey, ...]
    marks: HighlightRequest | None
    facets: tuple[FacetRequest, ...]
    semantic: SemanticRequest | None
    first: int
    last: int


def read_plan(index: SearchIndex, request: SearchRequest) -> Plan:
    """The plan of a call. Raises the service's 400 for a member that does not fit the index."""
    definition = index.definition
    return Plan(
        select=read_select(definition, request.select),
        keys=read_orderby(definition, request.orderby),
        marks=read_highlight(definition, request.highlight, request.before, request.after),
        facets=tuple(read_facet(definition, each) for each in request.facets),
        semantic=read_semantic_request(definition, request),
        first=request.skip,
        last=request.skip + page_size(request),
    )


def page_size(request: SearchRequest) -> int:
    """How many hits an answer holds at most."""
    return PAGE if request.top is None else min(request.top, MAX_PAGE)


@dataclass(frozen=True, kw_only=True)
class Search:
    """One search call. `partial` is the reason for which its semantic side is to fail, on order."""

    index: SearchIndex
    request: SearchRequest
    scope: Scope
    embedder: Embedder
    partial: str | None = None

    def run(self) -> Answer:
        """The answer."""
        plan = read_plan(self.index, self.request)
        matching = Matching(index=self.index, request=self.request, scope=self.scope, embedder=self.embedder)
        found = matching.find()
        sequence = self.index.store.sequence(self.scope.shards)
        everything = sequence[found.mask[sequence]]
        if plan.keys:
            ranked = by_keys(self.index.store, [int(each) for each in everything], found.scores, plan.keys)
        else:
            ranked = [int(each) for each in by_score(everything, found.scores, max(plan.last, RANKED))]
        ranking = self._rank_semantically(plan.semantic, ranked)
        body = self._head(found, plan, ranking)
        if plan.facets:
            counted = [int(each) for each in found.counted.nonzero()[0]]
            body["@search.facets"] = facets(self.index.store, counted, plan.facets)
        shown = (ranked if ranking is None else ranking.ordinals)[plan.first : plan.last]
        body["value"] = self._hits(shown, plan, found, ranking)
        return Answer(body=body, status=206 if plan.semantic is not None and ranking is None else 200)

    def _rank_semantically(self, semantic: SemanticRequest | None, ranked: list[int]) -> SemanticRanking | None:
        """The semantic order; None without a semantic side, or where it fails on order and that is tolerated."""
        if semantic is None:
            return None
        if self.partial is None:
            return self._ranker(semantic).rank(ranked)
        if self.request.semantic_error_handling == "fail":
            raise ServiceError(503, "SemanticRankerUnavailable", f"Semantic ranking failed: {self.partial}.")
        return None

    def _ranker(self, semantic: SemanticRequest) -> SemanticRanker:
        return SemanticRanker(index=self.index, request=semantic, embedder=self.embedder)

    def _head(self, found: Found, plan: Plan, ranking: SemanticRanking | None) -> dict[str, Any]:
        """The members before the hits."""
        body: dict[str, Any] = {}
        if self.request.count:
            body["@odata.count"] = int(found.counted.sum())
        if self.request.minimum_coverage is not None:
            body["@search.coverage"] = 100.0
        if plan.semantic is not None and ranking is None:
            body["@search.semanticPartialResponseReason"] = self.partial
            body["@search.semanticPartialResponseType"] = "baseResults"
        if self.request.semantic:
            body["@search.answers"] = ranking.answers if ranking else []
        following = next_page(self.request, int(found.mask.sum()))
        if following is not None:
            body["@search.nextPageParameters"] = following
        return body

    def _hits(self, ordinals: Sequence[int], plan: Plan, found: Found, ranking: SemanticRanking | None) -> list[Hit]:
        return [self._hit(ordinal, plan, found, ranking) for ordinal in ordinals]

    def _hit(self, ordinal: int, plan: Plan, found: Found, ranking: SemanticRanking | None) -> Hit:
        document = self.index.store.document(ordinal)
        hit: Hit = {"@search.score": found.format_score(ordinal)}
        if plan.semantic is not None and ranking is not None:
            hit |= self._semantic_members(ordinal, plan.semantic, ranking)
        if plan.marks is not None:
            analyzers = {path: self.index.store.postings[path].analyze for path in plan.marks.fields}
            cut = highlights(document, analyzers, found.terms, plan.marks)
            hit |= {"@search.highlights": cut} if cut else {}
        return {**hit, **project(document, self.index.definition.fields, plan.select)}

    def _semantic_members(self, ordinal: int, semantic: SemanticRequest, ranking: SemanticRanking) -> Hit:
        """The reranker score, and captions and debug information where asked for."""
        document = self.index.store.document(ordinal)
        found: Hit = {}
        if ordinal in ranking.scores:
            found["@search.rerankerScore"] = ranking.scores[ordinal]
        if semantic.captions:
            passage = self._ranker(semantic).passage(ordinal)
            found["@search.captions"] = [caption(passage, semantic.highlight)]
        if semantic.debug:
            found["@search.documentDebugInfo"] = debug_info(document, semantic.configuration)
        return found


def next_page(request: SearchRequest, total: int) -> dict[str, Any] | None:
    """The body of the next call: only where the service cut the answer, not where `top` did."""
    taken = page_size(request)
    if total <= request.skip + taken or (request.top is not None and request.top <= MAX_PAGE):
        return None
    following = {**request.sent, "skip": request.skip + taken}
    if request.top is not None:
        following["top"] = request.top - MAX_PAGE
    return following
