"""`POST /api/search` and `POST /api/evidence`."""

from __future__ import annotations

from typing import NamedTuple

from shared.retrieval import (
    AgentSettings,
    Caller,
    EvidenceSearch,
    IndexSettings,
    ODataFilter,
    RetrievalSettings,
    can_read,
    fence,
)

from .json import body_as
from .requests import Request
from .responses import Reply
from .routes import Call, Route
from .schemas.search import EvidenceBody, SearchBody, evidence_json, evidence_searches, filter_of, hit_json, page_json
from .services import Services


class SearchCall(NamedTuple):
    """A body and its filter."""

    body: SearchBody
    filter: ODataFilter | None

    @classmethod
    def of(cls, body: SearchBody) -> SearchCall:
        """The body with its filter built. Raises InvalidFilter."""
        return cls(body, filter_of(body.filter))


def read_search(request: Request) -> SearchCall:
    """The body of a search with its filter built."""
    return SearchCall.of(body_as(SearchBody)(request))


async def handle_search(services: Services, call: Call) -> Reply:
    """Hits of one index, uncut by relevance."""
    asked: SearchCall = call.body
    body, retrieval = asked.body, services.retrieval
    page = await retrieval.search(
        body.index,
        body.query,
        filter=asked.filter,
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


class EvidenceCall(NamedTuple):
    """A body and its searches."""

    body: EvidenceBody
    searches: list[EvidenceSearch]

    @classmethod
    def of(cls, body: EvidenceBody) -> EvidenceCall:
        """The body with its filters built. Raises InvalidFilter."""
        return cls(body, evidence_searches(body.searches))


def read_evidence(request: Request) -> EvidenceCall:
    """The body of an evidence request with its filters built."""
    return EvidenceCall.of(body_as(EvidenceBody)(request))


async def handle_evidence(services: Services, call: Call) -> Reply:
    """Numbered evidence of all searches, with the sources that citations resolve to."""
    asked: EvidenceCall = call.body
    evidence = await services.retrieval.evidence_of(
        asked.searches, max_characters=asked.body.max_characters, caller=call.caller
    )
    text = fence(evidence.text) if asked.body.fenced else evidence.text
    return Reply(body=evidence_json(evidence, text))


SEARCH = Route(name="search", handle=handle_search, read=read_search, needs=("retrieval",))
EVIDENCE = Route(name="evidence", handle=handle_evidence, read=read_evidence, needs=("retrieval",))


# `GET /api/indexes` and `GET /api/agents`: what the caller may use, from the settings alone.


def mode_of(index: IndexSettings) -> str:
    """How queries of the index are sent."""
    modes = {
        (False, False): "keyword",
        (True, False): "semantic",
        (False, True): "hybrid",
        (True, True): "hybrid_semantic",
    }
    return modes[index.semantic_configuration is not None, bool(index.vector_fields)]


async def handle_indexes(services: Services, call: Call) -> Reply:
    """Names, modes and fields of the indexes that the caller may read."""
    settings = services.retrieval_settings
    readable = [index for index in settings.indexes if can_read(index, call.caller)]
    return Reply(
        body={
            "indexes": [
                {
                    "name": index.name,
                    "mode": mode_of(index),
                    "contentFields": list(index.content_fields),
                    "filterFields": None if index.filter_fields is None else list(index.filter_fields),
                    "requiredFilterFields": list(index.required_filter_fields),
                }
                for index in readable
            ]
        }
    )


async def handle_agents(services: Services, call: Call) -> Reply:
    """Names, engines and indexes of the agents whose indexes the caller may all read."""
    settings = services.retrieval_settings
    agents = [agent for agent in settings.agents if _may_use(agent, settings, call.caller)]
    return Reply(
        body={
            "agents": [
                {"name": agent.name, "engine": agent.engine, "indexes": [index.name for index in agent.indexes]}
                for agent in agents
            ]
        }
    )


def _may_use(agent: AgentSettings, settings: RetrievalSettings, caller: Caller) -> bool:
    named = {index.name for index in agent.indexes}
    return agent.usable and all(can_read(index, caller) for index in settings.indexes if index.name in named)


INDEXES = Route(name="indexes", handle=handle_indexes, needs=("retrieval",))
AGENTS = Route(name="agents", handle=handle_agents, needs=("retrieval", "agents"))
