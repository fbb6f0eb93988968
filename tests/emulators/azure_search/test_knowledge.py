"""Knowledge sources, bases and agents: definitions and retrieval."""

from __future__ import annotations

import json
from typing import Any

import pytest

from emulators.azure_search.search.permissions import HEADER

from .hotels import Caller
from .test_semantic import DEFINITION, DOCUMENTS

GA = "2026-04-01"
PREVIEW = "2025-11-01-preview"
AGENTS = "2025-05-01-preview"
SOURCE = {"name": "source", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "inns"}}
BASE = {"name": "base", "knowledgeSources": [{"name": "source"}]}
AGENT = {"name": "agent", "targetIndexes": [{"indexName": "inns", "defaultRerankerThreshold": 0}]}
ANY = {"knowledgeSourceParams": [{"knowledgeSourceName": "source", "kind": "searchIndex", "rerankerThreshold": 0}]}


@pytest.fixture
async def library() -> Caller:
    """An index with a source, a base and an agent over it."""
    caller = Caller()
    await caller.make(DEFINITION, DOCUMENTS)
    for path, raw in (("knowledgesources", SOURCE), ("knowledgebases", BASE), ("agents", AGENT)):
        status, answer = await caller.call("POST", f"/{path}", raw)
        assert status == 201, answer
    return caller


def intents(*texts: str) -> dict[str, Any]:
    return {"intents": [{"type": "semantic", "search": text} for text in texts]}


async def retrieved(
    caller: Caller, body: dict[str, Any], *, path: str = "/knowledgebases('base')", version: str = GA
) -> Any:
    status, answer = await caller.call("POST", f"{path}/retrieve", body, version=version)
    assert status == 200, answer
    return answer


async def test_definitions_are_written_back_by_version(library: Caller) -> None:
    _, source = await library.call("GET", "/knowledgesources('source')", version=GA)
    assert "mcpToolParameters" not in source
    assert source["searchIndexParameters"]["searchFields"] == []
    _, preview = await library.call("GET", "/knowledgesources/source", version=PREVIEW)
    assert preview["mcpToolParameters"] is None
    _, base = await library.call("GET", "/knowledgebases('base')", version=GA)
    assert set(base) == {"@odata.etag", "name", "description", "knowledgeSources", "models", "encryptionKey"}
    _, listed = await library.call("GET", "/knowledgebases", version=PREVIEW)
    assert [each["outputMode"] for each in listed["value"]] == [None]


MODEL = {"kind": "azureOpenAI", "azureOpenAIParameters": {"resourceUri": "https://x", "apiKey": "secret"}}


@pytest.mark.parametrize(
    ("path", "definition", "message"),
    [
        ("knowledgebases", {**BASE, "models": [MODEL]}, "The member 'models' is not offered"),
        ("knowledgebases", {**BASE, "retrievalInstructions": "Be brief."}, "'retrievalInstructions' is not offered"),
        ("knowledgebases", {**BASE, "answerInstructions": "Be brief."}, "'answerInstructions' is not offered"),
        ("knowledgebases", {**BASE, "encryptionKey": {"keyVaultKeyName": "k"}}, "'encryptionKey' is not offered"),
        ("knowledgebases", {**BASE, "outputMode": "answerSynthesis"}, "outputMode: Input should be 'extractiveData'"),
        ("knowledgebases", {**BASE, "retrievalReasoningEffort": {"kind": "low"}}, "kind: Input should be 'minimal'"),
        ("knowledgebases", {**BASE, "knowledgeSources": [{"name": "source", "enableFreshness": True}]}, "enableFreshness"),
        ("knowledgebases", {**BASE, "knowledgeSources": [{"name": "source", "failOnError": True}]}, "'failOnError'"),
        ("agents", {**AGENT, "models": [MODEL]}, "The member 'models' is not offered"),
        ("agents", {**AGENT, "requestLimits": {"maxOutputSize": 5}}, "'requestLimits' is not offered"),
        ("knowledgesources", {**SOURCE, "webParameters": {"domains": {}}}, "'webParameters' is not offered"),
    ],
)
async def test_definitions_that_need_a_model(library: Caller, path: str, definition: dict[str, Any], message: str) -> None:
    status, answer = await library.call("PUT", f"/{path}('other')", definition, version=PREVIEW)
    assert (status, message in answer["error"]["message"]) == (400, True), answer
    assert (await library.call("GET", f"/{path}('other')"))[0] == 404


async def test_a_definition_may_name_what_is_done(library: Caller) -> None:
    plain = {**BASE, "models": [], "outputMode": "extractiveData", "retrievalReasoningEffort": {"kind": "minimal"}}
    status, base = await library.call("PUT", "/knowledgebases('other')", plain, version=PREVIEW)
    assert (status, base["models"], base["retrievalReasoningEffort"]) == (201, [], {"kind": "minimal"})
    answer = await retrieved(library, intents("oak"), path="/knowledgebases('other')", version=PREVIEW)
    assert answer["activity"][-1]["retrievalReasoningEffort"] == {"kind": "minimal"}


async def test_put_replaces_and_delete_forgets(library: Caller) -> None:
    assert (await library.call("PUT", "/agents('agent')", AGENT))[0] == 204
    headers = {"prefer": "return=representation"}
    status, answer = await library.call("PUT", "/agents('agent')", {**AGENT, "description": "d"}, headers=headers)
    assert (status, answer["description"]) == (200, "d")
    status, answer = await library.call("DELETE", "/knowledgesources('source')")
    assert (status, "is used by the knowledge base 'base'" in answer["error"]["message"]) == (409, True)
    for path in ("/knowledgebases('base')", "/knowledgesources('source')", "/agents('agent')"):
        assert await library.call("DELETE", path) == (204, None)
        assert (await library.call("GET", path))[0] == 404


async def test_the_status_of_a_source_is_active(library: Caller) -> None:
    _, answer = await library.call("GET", "/knowledgesources('source')/status")
    assert (answer["kind"], answer["synchronizationStatus"]) == ("searchIndex", "active")


async def test_retrieve_gives_numbered_documents_references_and_activity(library: Caller) -> None:
    answer = await retrieved(library, {**intents("old oak"), **ANY})
    listed = json.loads(answer["response"][0]["content"][0]["text"])
    assert [each["ref_id"] for each in listed] == [0, 1]
    assert [each["id"] for each in answer["references"]] == ["0", "1"]
    by_title = {each["title"]: each for each in listed}
    assert by_title["Oak"] == {
        "ref_id": by_title["Oak"]["ref_id"],
        "title": "Oak",
        "terms": "System.Object[]",
        "content": "The oak is old.  Nobody climbs the oak",
    }
    scores = [each["rerankerScore"] for each in answer["references"]]
    assert scores == sorted(scores, reverse=True)
    assert {each["sourceData"] for each in answer["references"]} == {None}
    search, reasoning = answer["activity"]
    assert (search["type"], search["id"], search["count"]) == ("searchIndex", 0, 2)
    assert search["searchIndexArguments"] == {
        "search": "old oak",
        "filter": None,
        "sourceDataFields": [{"name": name} for name in ("title", "body", "tags", "id")],
        "searchFields": [],
        "semanticConfigurationName": "s",
    }
    assert reasoning == {"type": "agenticReasoning", "id": 1, "reasoningTokens": 0}


async def test_the_preview_tells_the_effort(library: Caller) -> None:
    body = {**intents("oak"), "retrievalReasoningEffort": {"kind": "minimal"}}
    answer = await retrieved(library, body, version=PREVIEW)
    assert answer["activity"][-1]["retrievalReasoningEffort"] == {"kind": "minimal"}


async def test_documents_of_several_intents_come_once(library: Caller) -> None:
    answer = await retrieved(library, {**intents("old oak", "pine birds"), **ANY})
    assert [each["id"] for each in answer["activity"]] == [0, 1, 2]
    keys = [each["docKey"] for each in answer["references"]]
    assert len(keys) == len(set(keys))
    assert {each["activitySource"] for each in answer["references"]} <= {0, 1}


async def test_a_filter_a_threshold_and_source_data(library: Caller) -> None:
    parameters = {
        "knowledgeSourceName": "source",
        "kind": "searchIndex",
        "filterAddOn": "id eq '2'",
        "includeReferenceSourceData": True,
        "rerankerThreshold": 0,
    }
    answer = await retrieved(library, {**intents("oak"), "knowledgeSourceParams": [parameters]})
    assert answer["activity"][0]["searchIndexArguments"]["filter"] == "id eq '2'"
    assert answer["references"][0]["sourceData"]["title"] == "Pine"
    parameters["rerankerThreshold"] = 4
    answer = await retrieved(library, {**intents("oak"), "knowledgeSourceParams": [parameters]})
    assert (answer["references"], answer["response"][0]["content"][0]["text"]) == ([], "[]")
    assert answer["activity"][0]["warning"].startswith("All retrieved documents were filtered")


async def test_an_agent_answers_in_its_own_shape(library: Caller) -> None:
    body = {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "birds"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "where?"}]},
            {"role": "user", "content": [{"type": "text", "text": "old oak"}]},
        ],
        "targetIndexParams": [{"indexName": "inns", "filterAddOn": "id eq '1'", "includeReferenceSourceData": True}],
    }
    answer = await retrieved(library, body, path="/agents('agent')", version=AGENTS)
    assert answer["response"][0]["role"] == "assistant"
    search, ranker = answer["activity"]
    assert (search["type"], search["targetIndex"]) == ("AzureSearchQuery", "inns")
    assert search["query"] == {"search": "old oak", "filter": "id eq '1'"}
    assert ranker == {"type": "AzureSearchSemanticRanker", "id": 1}
    assert [(each["type"], each["docKey"]) for each in answer["references"]] == [("AzureSearchDoc", "1")]
    assert answer["references"][0]["sourceData"]["id"] == "1"


async def test_retrieve_is_trimmed_as_search_is() -> None:
    caller = Caller()
    trimmed = {
        **DEFINITION,
        "fields": [
            *DEFINITION["fields"],
            {"name": "users", "type": "Collection(Edm.String)", "permissionFilter": "userIds"},
        ],
        "permissionFilterOption": "enabled",
    }
    await caller.make(trimmed, [{**each, "users": ["ann"]} for each in DOCUMENTS])
    await caller.call("POST", "/knowledgesources", SOURCE)
    await caller.call("POST", "/knowledgebases", BASE)
    caller.service.state.identities.register("ann", user="ann")
    for headers, count in (({}, 0), ({HEADER: "ann"}, 2)):
        _, answer = await caller.call("POST", "/knowledgebases/base/retrieve", {**intents("oak"), **ANY}, headers=headers)
        assert len(answer["references"]) == count


REFUSED: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("POST", "/knowledgesources", SOURCE, 409, "already exists"),
    ("POST", "/knowledgesources", {**SOURCE, "name": "Bad Name"}, 400, "lowercase letters"),
    ("POST", "/knowledgesources", {**SOURCE, "name": "n", "kind": "web"}, 400, "kind: Input should be 'searchIndex'"),
    ("POST", "/knowledgesources", {"name": "n", "kind": "searchIndex"}, 400, "searchIndexParameters: Field required."),
    ("POST", "/knowledgesources", {**SOURCE, "name": "n", "colour": 1}, 400, "'colour' does not exist"),
    (
        "POST",
        "/knowledgesources",
        {**SOURCE, "name": "n", "searchIndexParameters": {"searchIndexName": "gone"}},
        404,
        "No index with the name 'gone'",
    ),
    (
        "POST",
        "/knowledgesources",
        {**SOURCE, "name": "n", "searchIndexParameters": {"searchIndexName": "inns", "semanticConfigurationName": "t"}},
        400,
        "no such semantic configuration",
    ),
    ("POST", "/knowledgebases", {"name": "n"}, 400, "knowledgeSources: Field required."),
    ("POST", "/knowledgebases", {"name": "n", "knowledgeSources": [{"name": "gone"}]}, 404, "source with the name 'gone'"),
    ("POST", "/agents", {"name": "n"}, 400, "targetIndexes: Field required."),
    ("GET", "/agents('gone')", {}, 404, "No knowledge agent with the name 'gone'"),
    ("POST", "/knowledgebases('gone')/retrieve", intents("x"), 404, "No knowledge base with the name 'gone'"),
    ("POST", "/knowledgesources('source')/retrieve", intents("x"), 404, "cannot be retrieved from"),
    ("POST", "/knowledgebases('base')/retrieve", {}, 400, "needs 'intents' or 'messages'"),
    ("POST", "/knowledgebases('base')/retrieve", {"messages": [{"role": "user"}]}, 400, "need a model"),
    ("POST", "/knowledgebases('base')/retrieve", intents(" "), 400, "intents.0.search"),
    ("POST", "/knowledgebases('base')/retrieve", {**intents("x"), "colour": 1}, 400, "'colour' does not exist"),
    (
        "POST",
        "/knowledgebases('base')/retrieve",
        {**intents("x"), "knowledgeSourceParams": [{"knowledgeSourceName": "other"}]},
        400,
        "The knowledge source 'other' does not belong",
    ),
    (
        "POST",
        "/knowledgebases('base')/retrieve",
        {**intents("x"), "knowledgeSourceParams": [{"knowledgeSourceName": "source"}] * 2},
        400,
        "The knowledge source 'source' is named twice.",
    ),
    (
        "POST",
        "/knowledgebases('base')/retrieve",
        {**intents("x"), "knowledgeSourceParams": 5},
        400,
        "should be a valid list",
    ),
    ("POST", "/knowledgebases('base')/retrieve", {**intents("x"), "outputMode": "answerSynthesis"}, 400, "outputMode"),
    (
        "POST",
        "/knowledgebases('base')/retrieve",
        {**intents("x"), "knowledgeSourceParams": [{"knowledgeSourceName": "source", "filterAddOn": "id eq"}]},
        400,
        "Syntax error at position",
    ),
    (
        "POST",
        "/knowledgebases('base')/retrieve",
        {**intents("x"), "knowledgeSourceParams": [{"knowledgeSourceName": "source", "rerankerThreshold": 5}]},
        400,
        "rerankerThreshold: Input should be less than or equal to 4.",
    ),
    (
        "POST",
        "/knowledgebases('base')/retrieve",
        {**intents("x"), "retrievalReasoningEffort": {"kind": "medium"}},
        400,
        "retrievalReasoningEffort.kind: Input should be 'minimal'",
    ),
    ("POST", "/agents('agent')/retrieve", {"messages": []}, 400, "messages: List should have at least 1 item"),
    ("POST", "/agents('agent')/retrieve", {"messages": [{"role": "assistant"}]}, 400, "At least one message"),
    (
        "POST",
        "/agents('agent')/retrieve",
        {"messages": [{"content": [{"type": "text", "text": "x"}]}], "targetIndexParams": [{"indexName": "other"}]},
        400,
        "The index 'other' does not belong",
    ),
    (
        "POST",
        "/agents('agent')/retrieve",
        {
            "messages": [{"content": [{"type": "text", "text": "x"}]}],
            "targetIndexParams": [{"indexName": "inns", "maxDocsForReranker": 0.5}],
        },
        400,
        "maxDocsForReranker: Input should be a valid integer",
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "message"), REFUSED)
async def test_refused(library: Caller, method: str, path: str, body: dict[str, Any], status: int, message: str) -> None:
    given, answer = await library.call(method, path, body, version=PREVIEW)
    assert (given, message in answer["error"]["message"]) == (status, True), answer
