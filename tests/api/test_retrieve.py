"""Retrieve over HTTP: addresses, the contract of the service field by field, errors in Azure's shape."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from emulators.azure_search.service import SearchService
from local.sample_settings import INSPECTIONS, SCHOOLS
from shared.api import AGENT_RETRIEVE, AGENT_RETRIEVE_PLAIN, CITATIONS, KNOWLEDGE_BASE_RETRIEVE, Reply
from tests.support.app import App, app_over, body_of
from tests.support.model_server import ModelServer
from tests.support.model_server import Reply as ModelReply

AGENT = {"query": {"api-version": "2025-05-01-preview"}, "route_params": {"key": "('schools-agent')"}}
BASE = {"query": {"api-version": "2026-04-01"}, "route_params": {"key": "('schools-agent')"}}
BODY: dict[str, Any] = {
    "messages": [
        {"role": "assistant", "content": [{"type": "text", "text": "You answer questions about schools."}]},
        {"role": "user", "content": [{"type": "text", "text": "safeguarding concerns"}]},
    ],
    "targetIndexParams": [{"indexName": "inspections", "filterAddOn": None, "includeReferenceSourceData": True}],
}


def error_of(reply: Reply) -> dict[str, Any]:
    """The error of a reply in Azure's shape."""
    body = body_of(reply)
    assert body.keys() == {"error"}
    assert {"code", "message"} <= body["error"].keys() <= {"code", "message", "target", "details", "additionalInfo"}
    assert reply.content_type == "application/json"
    error: dict[str, Any] = body["error"]
    return error


async def test_the_reply_has_the_contract_field_by_field(app: App) -> None:
    reply = await app.call(AGENT_RETRIEVE, BODY, **AGENT, headers={"x-ms-client-request-id": "abc-1"})
    body = body_of(reply)
    assert (reply.status, reply.headers["x-ms-client-request-id"]) == (200, "abc-1")
    assert body.keys() == {"response", "references", "activity"}
    (message,) = body["response"]
    assert message.keys() == {"role", "content"}
    assert message["role"] == "assistant"
    assert [part.keys() for part in message["content"]] == [{"type", "text"}]
    entries = json.loads(message["content"][0]["text"])
    assert [entry.keys() for entry in entries] == [{"ref_id", "title", "terms", "content"}] * len(entries)
    assert [str(entry["ref_id"]) for entry in entries] == [reference["id"] for reference in body["references"]]
    activity, ranking = body["activity"]
    assert activity.keys() == {"type", "id", "targetIndex", "query", "queryTime", "count", "elapsedMs"}
    assert (activity["type"], activity["targetIndex"]) == ("AzureSearchQuery", "inspections")
    assert activity["query"] == {"search": "safeguarding concerns", "filter": None}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", activity["queryTime"])
    assert activity["count"] == len(entries) > 0
    assert ranking == {"type": "AzureSearchSemanticRanker", "id": 1}, "what is not known is absent"
    for reference in body["references"]:
        assert reference.keys() == {"type", "id", "activitySource", "docKey", "sourceData"}
        assert (reference["type"], reference["activitySource"]) == ("AzureSearchDoc", 0)
        assert reference["sourceData"]["id"] == reference["docKey"]


async def test_citations_take_the_reply_as_it_came(app: App) -> None:
    retrieval = body_of(await app.call(AGENT_RETRIEVE, BODY, **AGENT))
    answer = {"answer": "There were concerns [ref_id:0].", "retrieval": retrieval, "format": "text"}
    resolved = body_of(await app.call(CITATIONS, answer))
    title = json.loads(retrieval["response"][0]["content"][0]["text"])[0]["title"]
    assert resolved["valid"] is True
    assert [(one["number"], one["name"]) for one in resolved["citations"]] == [(1, title)]


async def test_the_plain_alias_and_the_later_contract(app: App) -> None:
    plain = {**AGENT, "route_params": {"agentName": "schools-agent"}}
    first = body_of(await app.call(AGENT_RETRIEVE, BODY, **AGENT))
    second = body_of(await app.call(AGENT_RETRIEVE_PLAIN, BODY, **plain))
    assert first["references"] == second["references"]
    intents = {"intents": [{"type": "semantic", "search": "safeguarding concerns"}]}
    body = body_of(await app.call(KNOWLEDGE_BASE_RETRIEVE, intents, **BASE))
    assert [one["type"] for one in body["activity"]] == ["searchIndex", "searchIndex", "agenticReasoning"]
    assert [one["knowledgeSourceName"] for one in body["activity"][:2]] == ["schools", "inspections"]


ADDRESSES = [
    ("(%27schools-agent%27)", 200, ""),
    ("('nobody')", 404, "unknown_agent"),
    ("('Schools-Agent')", 404, "unknown_agent"),
    ("(schools-agent)", 400, "invalid_key"),
    ("('')", 400, "invalid_key"),
    ("", 400, "invalid_key"),
]


@pytest.mark.parametrize(("key", "status", "code"), ADDRESSES)
async def test_addresses(app: App, key: str, status: int, code: str) -> None:
    reply = await app.call(AGENT_RETRIEVE, BODY, query=AGENT["query"], route_params={"key": key})
    assert reply.status == status
    if code:
        assert error_of(reply)["code"] == code


async def test_names_with_quotes_and_slashes(service: SearchService) -> None:
    names = ["o'brien", "a/b", "a b"]
    agents = [{"Name": name, "Indexes": [{"Name": "inspections"}]} for name in names]
    async with app_over(service, {"AiAgents__KnowledgeAgents": json.dumps(agents)}) as app:
        for key in ("('o''brien')", "(%27o%27%27brien%27)", "('a%2Fb')", "('a%2fb')", "('a b')"):
            reply = await app.call(AGENT_RETRIEVE, BODY, query=AGENT["query"], route_params={"key": key})
            assert reply.status == 200, key
        for name in ("o'brien", "a%2Fb", "a b"):
            reply = await app.call(AGENT_RETRIEVE_PLAIN, BODY, query=AGENT["query"], route_params={"agentName": name})
            assert reply.status == 200, name


BAD: list[tuple[Any, dict[str, str], int, str, str | None]] = [
    (BODY, {}, 400, "invalid_api_version", "api-version"),
    (BODY, {"api-version": ""}, 400, "invalid_api_version", "api-version"),
    (BODY, {"api-version": "2026-04-01"}, 400, "invalid_api_version", "api-version"),
    (b"{", AGENT["query"], 400, "invalid_json", "$"),
    ([], AGENT["query"], 400, "wrong_type", "$"),
    ({"messages": []}, AGENT["query"], 400, "out_of_range", "$.messages"),
    ({**BODY, "more": 1}, AGENT["query"], 400, "unknown_key", "$.more"),
    (
        {**BODY, "targetIndexParams": [{"indexName": "trusts"}]},
        AGENT["query"],
        400,
        "unknown_index",
        "$.targetIndexParams[0].indexName",
    ),
    (
        {**BODY, "targetIndexParams": [{"indexName": "inspections", "filterAddOn": "a eq 1) or (true"}]},
        AGENT["query"],
        400,
        "invalid_filter",
        "$.targetIndexParams[0].filterAddOn",
    ),
    (
        {**BODY, "targetIndexParams": [{"indexName": "inspections", "filterAddOn": "nothing eq 'x'"}]},
        AGENT["query"],
        400,
        "invalid_query",
        "$.targetIndexParams[0].filterAddOn",
    ),
    (
        {"messages": [{"content": [{"type": "image", "image": {"url": "https://x.example/a.png"}}]}]},
        AGENT["query"],
        400,
        "image_not_supported",
        "$.messages[0].content[0]",
    ),
    (
        {"messages": [{"content": [{"type": "text", "text": "a" * 10_001}]}]},
        AGENT["query"],
        413,
        "too_large",
        "$.messages[0]",
    ),
    (b'{"messages": "' + b"x" * 1024 * 1024 + b'"}', AGENT["query"], 413, "body_too_large", None),
]


@pytest.mark.parametrize(("body", "query", "status", "code", "target"), BAD, ids=[f"{row[3]} {row[4]}" for row in BAD])
async def test_errors_have_azures_shape(
    app: App, body: Any, query: dict[str, str], status: int, code: str, target: str | None
) -> None:
    reply = await app.call(AGENT_RETRIEVE, body, query=query, route_params=AGENT["route_params"])
    error = error_of(reply)
    assert (reply.status, error["code"], error.get("target")) == (status, code, target)
    assert all(detail.keys() == {"code", "message", "target"} for detail in error.get("details", []))


async def test_wrong_types_of_body_and_missing_settings_have_azures_shape_too(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__KnowledgeAgents": '[{"Name": "schools-agent", "Engine": "x"}]'}) as app:
        refused = await app.call(AGENT_RETRIEVE, BODY, **AGENT, headers={"content-type": "text/plain"})
        assert (refused.status, error_of(refused)["code"]) == (415, "unsupported_media_type")
        missing = await app.call(AGENT_RETRIEVE, BODY, **AGENT)
        assert (missing.status, error_of(missing)["code"]) == (503, "not_configured")
        wrong = await app.call(AGENT_RETRIEVE, {"messages": []}, **AGENT)
        assert wrong.status == 400


async def test_roles_hold_for_agents(service: SearchService) -> None:
    closed = json.dumps([SCHOOLS, {**INSPECTIONS, "AllowedRoles": ["Inspectors"]}])
    async with app_over(service, {"AiAgents__AISearch__Indexes": closed, "AiAgents__Context__Index": "schools"}) as app:
        reply = await app.call(AGENT_RETRIEVE, BODY, **AGENT)
        assert (reply.status, error_of(reply)["code"]) == (403, "role_required")
        secret = [{"indexName": "inspections", "filterAddOn": "no_such_field eq 'x'"}]
        reply = await app.call(AGENT_RETRIEVE, BODY | {"targetIndexParams": secret}, **AGENT)
        assert (reply.status, error_of(reply)["code"]) == (403, "role_required"), "no field is named before"
        # What is wrong with the request itself is told before.
        for role, text, expected in (("user", "a" * 10_001, (413, "too_large")), ("system", "a", (400, "no_question"))):
            messages = [{"role": role, "content": [{"type": "text", "text": text}]}]
            reply = await app.call(AGENT_RETRIEVE, {"messages": messages}, **AGENT)
            assert (reply.status, error_of(reply)["code"]) == expected


async def test_a_missing_index_is_the_operators(service: SearchService) -> None:
    gone = json.dumps([SCHOOLS, {**INSPECTIONS, "Name": "gone"}])
    agents = json.dumps([{"Name": "schools-agent", "Indexes": [{"Name": "gone"}]}])
    settings = {
        "AiAgents__AISearch__Indexes": gone,
        "AiAgents__Context__Index": "schools",
        "AiAgents__KnowledgeAgents": agents,
    }
    async with app_over(service, settings) as app:
        reply = await app.call(AGENT_RETRIEVE, {**BODY, "targetIndexParams": None}, **AGENT)
        assert (reply.status, error_of(reply)["code"]) == (502, "index_misconfigured")


@pytest.mark.parametrize("own", [{"equals": {"nope": 1}}, {"equals": {"title": 5}}])
async def test_a_filter_of_the_agent_that_fails_is_the_operators(service: SearchService, own: Any) -> None:
    agents = json.dumps([{"Name": "schools-agent", "Indexes": [{"Name": "inspections", "Filter": own}]}])
    async with app_over(service, {"AiAgents__KnowledgeAgents": agents}) as app:
        reply = await app.call(AGENT_RETRIEVE, BODY, **AGENT)
        assert (reply.status, error_of(reply)["code"]) == (502, "index_misconfigured")
        for add_on in ("outcome eq 'Good'", "wrong eq 'x'"):
            named = {"indexName": "inspections", "filterAddOn": add_on}
            reply = await app.call(AGENT_RETRIEVE, {**BODY, "targetIndexParams": [named]}, **AGENT)
            assert (reply.status, error_of(reply)["code"]) == (502, "index_misconfigured")
            assert "nope" not in reply.content().decode()


async def test_beside_a_good_filter_of_the_agent_a_bad_one_is_the_callers(service: SearchService) -> None:
    own = {"equals": {"outcome": "Good"}}
    agents = json.dumps([{"Name": "schools-agent", "Indexes": [{"Name": "inspections", "Filter": own}]}])
    async with app_over(service, {"AiAgents__KnowledgeAgents": agents}) as app:
        for add_on in ("wrong eq 'x'", "title eq 5"):
            named = {"indexName": "inspections", "filterAddOn": add_on}
            reply = await app.call(AGENT_RETRIEVE, {**BODY, "targetIndexParams": [named]}, **AGENT)
            error = error_of(reply)
            assert (reply.status, error["code"]) == (400, "invalid_query")
            assert error["target"] == "$.targetIndexParams[0].filterAddOn"


def model_settings(url: str) -> dict[str, str]:
    return {"AiAgents__Model__Endpoint": url, "AiAgents__Model__Deployment": "gpt-test"}


async def test_a_model_plans_over_http(service: SearchService) -> None:
    async with (
        ModelServer('{"queries": ["safeguarding concerns", "attendance"]}') as model,
        app_over(service, model_settings(model.url)) as app,
    ):
        body = body_of(await app.call(AGENT_RETRIEVE, BODY, **AGENT))
        planning, *others = body["activity"]
        searches = [one for one in others if one["type"] == "AzureSearchQuery"]
        assert planning.keys() == {"type", "id", "inputTokens", "outputTokens", "elapsedMs"}
        assert (planning["type"], planning["inputTokens"], planning["outputTokens"]) == ("ModelQueryPlanning", 11, 7)
        assert [one["query"]["search"] for one in searches] == ["safeguarding concerns", "attendance"]
        intents = {"intents": [{"type": "semantic", "search": "safeguarding concerns"}]}
        assert (await app.call(KNOWLEDGE_BASE_RETRIEVE, intents, **BASE)).status == 200
        assert len(model.requests) == 1, "intents are not planned"


MODEL_FAULTS = [
    ("Here are some queries: safeguarding", 502, "plan_unreadable"),
    (ModelReply(text="", finish="stop"), 502, "model_incomplete"),
    (ModelReply.error(429, retry_after="7"), 503, "model_throttled"),
    (ModelReply.error(500), 502, "model_failed"),
    (ModelReply.error(401), 503, "model_refused"),
    (ModelReply.error(400, "content_filter"), 422, "content_filtered"),
]


@pytest.mark.parametrize(("said", "status", "code"), MODEL_FAULTS, ids=[code for _, _, code in MODEL_FAULTS])
async def test_faults_of_the_planning_model_have_azures_shape(
    service: SearchService, said: Any, status: int, code: str
) -> None:
    async with ModelServer(said) as model, app_over(service, model_settings(model.url)) as app:
        reply = await app.call(AGENT_RETRIEVE, BODY, **AGENT)
        assert (reply.status, error_of(reply)["code"]) == (status, code)
        assert "CANARY" not in reply.content().decode()


async def test_a_model_that_is_half_configured_is_not_left_out_in_silence(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__Model__Endpoint": "https://m.example"}) as app:
        reply = await app.call(AGENT_RETRIEVE, BODY, **AGENT)
        assert (reply.status, error_of(reply)["code"]) == (503, "not_configured")


async def test_a_model_that_takes_images_is_handed_their_addresses(service: SearchService) -> None:
    image: dict[str, Any] = {"type": "image", "image": {"url": "https://x.example/school.png"}}
    body = {"messages": [{"content": [{"type": "text", "text": "Which school is this?"}, image]}]}
    async with ModelServer('{"queries": ["choir"]}') as model:
        settings = {**model_settings(model.url), "AiAgents__Model__TakesImages": "true"}
        async with app_over(service, settings) as app:
            assert (await app.call(AGENT_RETRIEVE, body, **AGENT)).status == 200
        async with app_over(service, model_settings(model.url)) as app:
            reply = await app.call(AGENT_RETRIEVE, body, **AGENT)
            assert (reply.status, error_of(reply)["code"]) == (400, "image_not_supported")
        (sent,) = model.requests
        assert sent["messages"][1]["content"][1] == {"type": "image_url", "image_url": {"url": image["image"]["url"]}}
