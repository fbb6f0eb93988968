"""`POST /api/search` and `POST /api/evidence`."""

from __future__ import annotations

from functools import partial

from shared.retrieval import fence

from .json_body import body_as
from .long_work import away_when, is_long
from .replies import Reply
from .routes import Call, Route
from .services import Services
from .wire.search import EvidenceBody, SearchBody, evidence_json, evidence_searches, filter_of, hit_json, page_json


async def handle_search(services: Services, call: Call) -> Reply:
    """Hits of one index, uncut by relevance."""
    body: SearchBody = call.body
    retrieval = services.retrieval
    filter_ = await away_when(is_long(call.request), partial(filter_of, body.filter))
    page = await retrieval.search(
        body.index,
        body.query,
        filter=filter_,
        top=body.top,
        skip=body.skip,
        select=body.select,
        order_by=body.order_by,
        facets=body.facets,
        highlight=body.highlight,
        count=bool(body.count),
        syntax=body.syntax or "plain",
        search_mode=body.search_mode,
        caller=call.caller,
    )
    sources = [retrieval.source(body.index, hit, number) for number, hit in enumerate(page.hits, body.skip + 1)]
    hits = [hit_json(hit, source) for hit, source in zip(page.hits, sources, strict=True)]
    return Reply(body=page_json(page, hits))


async def handle_evidence(services: Services, call: Call) -> Reply:
    """Numbered evidence of all searches, with the sources that citations resolve to."""
    body: EvidenceBody = call.body
    searches = await away_when(is_long(call.request), partial(evidence_searches, body.searches))
    evidence = await services.retrieval.evidence_of(searches, max_characters=body.max_characters, caller=call.caller)
    text = fence(evidence.text) if body.fenced else evidence.text
    return Reply(body=evidence_json(evidence, text))


SEARCH = Route(name="search", handle=handle_search, read=body_as(SearchBody), needs=("retrieval",))
EVIDENCE = Route(name="evidence", handle=handle_evidence, read=body_as(EvidenceBody), needs=("retrieval",))
