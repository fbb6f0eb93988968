"""Bodies of `/api/search` and `/api/evidence`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from shared.retrieval import (
    MAX_SEARCHES,
    MAX_SKIP,
    MAX_TOP,
    Evidence,
    EvidenceSearch,
    Hit,
    HitPage,
    InvalidFilter,
    ODataFilter,
    Problem,
    Source,
    filter_from_json,
)

from .base import Body, Names, NotBlank, Query, within


class SearchBody(Body):
    """Body of `POST /api/search`."""

    index: NotBlank
    query: Query
    filter: dict[str, Any] | None = None
    top: Annotated[int, within(1, MAX_TOP)] = 10
    skip: Annotated[int, within(0, MAX_SKIP)] = 0
    select: Names | None = None
    order_by: Names | None = None
    facets: Names | None = None
    highlight: Names | None = None
    count: bool | None = None
    syntax: Literal["plain", "simple", "full"] | None = None
    search_mode: Literal["any", "all"] | None = None


class EvidenceSearchBody(Body):
    """One search of `POST /api/evidence`."""

    index: NotBlank
    query: Query
    filter: dict[str, Any] | None = None
    size: Annotated[int, within(1, MAX_TOP)] = 10


class EvidenceBody(Body):
    """Body of `POST /api/evidence`."""

    searches: Annotated[list[EvidenceSearchBody], Field(min_length=1, max_length=MAX_SEARCHES)]
    max_characters: Annotated[int, within(1)] | None = None
    fenced: bool = False


def filter_of(value: dict[str, Any] | None, path: str = "$.filter") -> ODataFilter | None:
    """The filter object of a body. Raises InvalidFilter with the JSON path of what is wrong."""
    return None if value is None else filter_from_json(value, path)


def evidence_searches(bodies: list[EvidenceSearchBody]) -> list[EvidenceSearch]:
    """The searches of a body; the filters of all are looked at, so that every fault is reported at once."""
    searches: list[EvidenceSearch] = []
    problems: list[Problem] = []
    for place, body in enumerate(bodies):
        try:
            built = filter_of(body.filter, f"$.searches[{place}].filter")
        except InvalidFilter as error:
            problems.extend(error.problems or (error.at(f"$.searches[{place}].filter"),))
            continue
        searches.append(EvidenceSearch(index=body.index, query=body.query, filter=built, size=body.size))
    if problems:
        raise InvalidFilter("A filter cannot be used; see errors.", problems=tuple(problems))
    return searches


def hit_json(hit: Hit, source: Source) -> dict[str, Any]:
    """One hit of a reply."""
    return {
        "number": source.number,
        "key": source.key,
        "score": hit.score,
        "rerankerScore": hit.reranker_score,
        "source": {"name": source.name, "link": source.link},
        "fields": dict(hit.fields),
        "highlights": {field: list(texts) for field, texts in hit.highlights.items()},
        "captions": [{"text": caption.text, "highlights": caption.highlights} for caption in hit.captions],
    }


def page_json(page: HitPage, hits: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply of `/api/search`."""
    semantic = page.semantic
    reply: dict[str, Any] = {
        "hits": hits,
        "count": page.count,
        "facets": page.facets,
        "answers": [
            {"key": answer.key, "text": answer.text, "highlights": answer.highlights, "score": answer.score}
            for answer in page.answers
        ],
        "semantic": None if semantic is None else {"partial": semantic.partial, "reason": semantic.reason},
        "nextSkip": page.next_skip,
    }
    return reply if page.reason is None else {**reply, "reason": page.reason}


def source_json(source: Source) -> dict[str, Any]:
    """A source as evidence replies carry it and citations take it."""
    return {
        "number": source.number,
        "index": source.index,
        "key": source.key,
        "name": source.name,
        "link": source.link,
        "score": source.score,
        "truncated": source.truncated,
    }


def evidence_json(evidence: Evidence, text: str) -> dict[str, Any]:
    """The reply of `/api/evidence`; `text` is the evidence text, fenced or not."""
    return {
        "hasEvidence": evidence.has_evidence,
        "text": text,
        "sources": [source_json(source) for source in evidence.sources],
        "omitted": [{"index": o.index, "key": o.key, "reason": o.reason} for o in evidence.omitted],
        "searches": [
            {"index": s.index, "hits": s.hits, "kept": s.kept, "scoreKind": s.score_kind}
            | ({} if s.reason is None else {"reason": s.reason})
            for s in evidence.searches
        ],
    }
