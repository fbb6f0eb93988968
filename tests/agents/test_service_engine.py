"""The service engine against the embedded service's own agents and knowledge bases, in both contracts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from azure.search.documents.knowledgebases.aio import KnowledgeBaseRetrievalClient
from azure.search.documents.knowledgebases.models import KnowledgeBaseRetrievalRequest, KnowledgeRetrievalSemanticIntent

from emulators.azure_search.http import Request
from emulators.azure_search.service import SearchService
from emulators.azure_search.transport import EmbeddedTransport
from local.sample_settings import INSPECTIONS, SCHOOLS
from shared.api import AGENT_RETRIEVE, KNOWLEDGE_BASE_RETRIEVE, Route
from tests.knowledge.test_planned import said
from tests.retrieval.doubles import CountingCredential
from tests.support.app import App, app_over, body_of, sample_service

QUESTION = "safeguarding concerns"
AGENTS = [
    {"Name": "by-agent", "Engine": "service", "KnowledgeAgent": "inspectors", "Indexes": [{"Name": "inspections"}]},
    {
        "Name": "by-base",
        "Engine": "service",
        "KnowledgeBase": "reports",
        "Indexes": [{"Name": "inspections", "Filter": {"equals": {"outcome": "Requires improvement"}}}],
    },
    {"Name": "lost", "Engine": "service", "KnowledgeBase": "nowhere", "Indexes": [{"Name": "inspections"}]},
]


async def put(service: SearchService, path: str, body: dict[str, Any], version: str) -> None:
    reply = await service.handle(
        Request(
            method="POST",
            path=path,
            query={"api-version": version},
            headers={"content-type": "application/json"},
            body=json.dumps(body).encode(),
        )
    )
    assert reply.status == 201, reply.body


@pytest.fixture
async def service() -> SearchService:
    """The sample data with an agent and a knowledge base; a knowledge source is named as its index."""
    made = await sample_service()
    agent = {"name": "inspectors", "targetIndexes": [{"indexName": "inspections"}], "models": []}
    await put(made, "/agents", agent, "2025-05-01-preview")
    source = {
        "name": "inspections",
        "kind": "searchIndex",
        "searchIndexParameters": {"searchIndexName": "inspections"},
    }
    await put(made, "/knowledgesources", source, "2026-04-01")
    await put(made, "/knowledgebases", {"name": "reports", "knowledgeSources": [{"name": "inspections"}]}, "2026-04-01")
    return made


@pytest.fixture
async def app(service: SearchService) -> AsyncIterator[App]:
    indexes = json.dumps([SCHOOLS, {**INSPECTIONS, "ReturnFields": ["id", "title"]}])
    settings = {"AiAgents__AISearch__Indexes": indexes, "AiAgents__KnowledgeAgents": json.dumps(AGENTS)}
    async with app_over(service, settings) as running:
        yield running


async def asked(app: App, route: Route, agent: str, body: dict[str, Any]) -> Any:
    version = "2025-05-01-preview" if route is AGENT_RETRIEVE else "2026-04-01"
    reply = await app.call(route, body, query={"api-version": version}, route_params={"key": f"('{agent}')"})
    return reply.status, body_of(reply)


def keys(body: Any) -> list[str]:
    return [reference["docKey"] for reference in body["references"]]


MESSAGES = {"messages": said(QUESTION)}
INTENTS = {"intents": [{"type": "semantic", "search": QUESTION}]}


@pytest.mark.parametrize("agent", ["by-agent", "by-base"])
async def test_both_contracts_over_either_kind_of_the_service(app: App, agent: str) -> None:
    status, first = await asked(app, AGENT_RETRIEVE, agent, MESSAGES)
    assert status == 200
    assert {one["type"] for one in first["activity"]} <= {
        "ModelQueryPlanning",
        "AzureSearchQuery",
        "AzureSearchSemanticRanker",
    }
    search = next(one for one in first["activity"] if one["type"] == "AzureSearchQuery")
    assert (search["targetIndex"], search["query"]) == ("inspections", {"search": QUESTION, "filter": None})
    assert first["references"][0]["type"] == "AzureSearchDoc"
    status, second = await asked(app, KNOWLEDGE_BASE_RETRIEVE, agent, INTENTS)
    assert status == 200
    assert second["references"][0]["type"] == "searchIndex"
    assert keys(first) == keys(second)
    assert "I004" in keys(first)
    entries = json.loads(first["response"][0]["content"][0]["text"])
    assert [str(entry["ref_id"]) for entry in entries] == [reference["id"] for reference in first["references"]]


async def test_the_agents_filter_holds_in_the_service_and_source_data_is_bounded(app: App) -> None:
    params = [{"kind": "searchIndex", "knowledgeSourceName": "inspections", "includeReferenceSourceData": True}]
    widening = [{**params[0], "filterAddOn": "outcome eq 'Good' or id ne ''"}]
    attendance = {"intents": [{"type": "semantic", "search": "attendance above the national average"}]}
    _, open_to_all = await asked(app, KNOWLEDGE_BASE_RETRIEVE, "by-agent", {**attendance, "knowledgeSourceParams": params})
    _, bounded = await asked(app, KNOWLEDGE_BASE_RETRIEVE, "by-base", {**attendance, "knowledgeSourceParams": widening})
    assert "I002" in keys(open_to_all), "an inspection that is not in need of improvement"
    assert "I002" not in keys(bounded)
    assert [one["searchIndexArguments"]["filter"] for one in bounded["activity"] if one["type"] == "searchIndex"] == [
        "outcome eq 'Good' or id ne ''"
    ]
    assert open_to_all["references"][0]["sourceData"].keys() == {"id", "title"}
    narrow = [{**params[0], "filterAddOn": "inspector ne 'Jane Thornton'"}]
    _, without = await asked(app, KNOWLEDGE_BASE_RETRIEVE, "by-base", {**INTENTS, "knowledgeSourceParams": narrow})
    assert "I004" not in keys(without)


async def test_an_agent_that_the_service_lacks_is_the_operators(app: App) -> None:
    status, body = await asked(app, AGENT_RETRIEVE, "lost", MESSAGES)
    assert (status, body["error"]["code"]) == (502, "index_misconfigured")


async def test_our_reply_has_the_members_of_the_services_own(app: App, service: SearchService) -> None:
    """The SDK reads the service's reply and ours alike, to the same documents."""
    client = KnowledgeBaseRetrievalClient(
        "https://unit.search.windows.net",
        CountingCredential(),
        knowledge_base_name="reports",
        transport=EmbeddedTransport(service),
    )
    request = KnowledgeBaseRetrievalRequest(intents=[KnowledgeRetrievalSemanticIntent(search=QUESTION)])
    async with client:
        theirs = json.loads(json.dumps((await client.retrieve(request)).as_dict()))
    _, ours = await asked(app, KNOWLEDGE_BASE_RETRIEVE, "by-agent", INTENTS)
    assert ours.keys() == theirs.keys() - {"@odata.context"}
    mine, served = ours["references"][0], theirs["references"][0]
    assert mine.keys() <= served.keys()
    assert mine["docKey"] == served["docKey"]
    assert {one["type"] for one in ours["activity"]} <= {one["type"] for one in theirs["activity"]} | {"semanticReranker"}
