"""A search: match, filter, score, order, then a page of hits with what was asked for beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import odata
from .facet_request import read_facet
from .facets import facets
from .filters import Filter, parse_filter
from .full_syntax import parse_full
from .highlights import highlights, read_highlight
from .index import SearchIndex
from .matched import Matched
from .ordering import by_keys, by_score, read_orderby
from .projection import project, read_select
from .search_request import MAX_PAGE, PAGE, SearchRequest
from .simple_syntax import parse_simple
from .textquery import Everything, Query

Hit = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The documents that were found, best first, with their scores and the terms that matched."""

    ordinals: list[int]
    total: int
    mask: NDArray[np.bool_]
    scores: Mapping[int, float]
    terms: Mapping[str, frozenset[str]] = field(default_factory=dict)


def parse_query(text: str | None, query_type: str, *, every_word: bool) -> Query | None:
    """The tree of a query text in the syntax asked for; a blank text is every document."""
    if text is None or not text.strip():
        return Everything()
    return parse_full(text, every_word=every_word) if query_type == "full" else parse_simple(text, every_word=every_word)


def filtered(index: SearchIndex, text: str | None) -> tuple[NDArray[np.bool_], NDArray[np.float64] | None]:
    """The documents that a filter lets through, and what its scoring parts add."""
    if text is None or not text.strip():
        return index.store.alive, None
    evaluation = Filter(index.store, lambda call: _is_match(index, call))
    mask = evaluation.mask(parse_filter(text))
    return mask & index.store.alive, evaluation.scores


def _is_match(index: SearchIndex, call: odata.SearchIsMatch) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    every_word = call.search_mode == "all"
    query = parse_query(call.search, call.query_type or "simple", every_word=every_word)
    found = index.text_search(call.fields, every_word=every_word).run(query)
    return found.mask, np.where(found.mask, found.scores, 0.0)


def matched(index: SearchIndex, request: SearchRequest) -> Matched:
    """What the text of a search matches."""
    query = parse_query(request.search, request.query_type, every_word=request.every_word)
    return index.text_search(request.search_fields, every_word=request.every_word).run(query)


def number(score: float) -> float:
    """A text score as the service prints it: the shortest decimal of its 32-bit value."""
    return float(str(np.float32(score)))


def run_search(index: SearchIndex, request: SearchRequest) -> dict[str, Any]:
    """The body of a search's answer, without context and next link."""
    select = read_select(index.definition, request.select)
    keys = read_orderby(index.definition, request.orderby)
    marks = read_highlight(index.definition, request.highlight, request.before, request.after)
    wanted_facets = [read_facet(index.definition, each) for each in request.facets]
    allowed, added = filtered(index, request.filter)
    found = matched(index, request)
    mask = found.mask & allowed
    scores = found.scores if added is None else found.scores + added
    ordinals = np.flatnonzero(mask)
    size = PAGE if request.top is None else min(request.top, MAX_PAGE)
    if keys:
        ranked = by_keys(index.store, [int(each) for each in ordinals], scores, keys)
    else:
        ranked = [int(each) for each in by_score(ordinals, scores, request.skip + size)]
    page = ranked[request.skip : request.skip + size]
    body: dict[str, Any] = {}
    if request.count:
        body["@odata.count"] = len(ordinals)
    if request.minimum_coverage is not None:
        body["@search.coverage"] = 100.0
    if wanted_facets:
        body["@search.facets"] = facets(index.store, [int(each) for each in ordinals], wanted_facets)
    following = next_page(request, len(ordinals))
    if following is not None:
        body["@search.nextPageParameters"] = following
    analyzers = {path: postings.analyze for path, postings in index.store.postings.items()}
    body["value"] = []
    for ordinal in page:
        document = index.store.document(ordinal)
        hit: Hit = {"@search.score": number(float(scores[ordinal]))}
        if marks is not None:
            cut = highlights(document, analyzers, found.terms, marks)
            if cut:
                hit["@search.highlights"] = cut
        body["value"].append({**hit, **project(document, index.definition.fields, select)})
    return body


def next_page(request: SearchRequest, total: int) -> dict[str, Any] | None:
    """The body of the next call: only where the service cut the answer, not where `top` did."""
    taken = PAGE if request.top is None else min(request.top, MAX_PAGE)
    if total <= request.skip + taken or (request.top is not None and request.top <= MAX_PAGE):
        return None
    following = {**request.sent, "skip": request.skip + taken}
    if request.top is not None:
        following["top"] = request.top - MAX_PAGE
    return following
