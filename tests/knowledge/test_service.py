"""The service engine: what is sent to the service's own agent or knowledge base, and what becomes of its replies."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest

from shared.retrieval import (
    AgentIndex,
    AgentSettings,
    Caller,
    Forbidden,
    IndexMisconfigured,
    InvalidRequest,
    RetrievalError,
    SearchFailed,
    SearchRefused,
    SearchThrottled,
    SearchTimeout,
    SemanticUnavailable,
    parse_retrieve_request,
    reply_to_json,
    retrieve,
)
from tests.knowledge.setting import SCHOOLS, TRUSTS, retrieval_of
from tests.knowledge.test_planned import said
from tests.retrieval.doubles import Scripted, ScriptedTransport, refusal

INDEXES = (AgentIndex(name="schools", filter={"equals": {"tenant": "t1"}}), AgentIndex(name="trusts"))
BY_AGENT = AgentSettings(name="hr", engine="service", indexes=INDEXES, knowledge_agent="o'brien/1")
BY_BASE = AgentSettings(name="kb", engine="service", indexes=INDEXES, knowledge_base="base")
VERSIONS = {"agent": "2025-05-01-preview", "knowledge_base": "2026-04-01"}

AGENT_REPLY = {
    "response": [
        {"role": "assistant", "content": [{"type": "text", "text": '[{"ref_id":0,"title":"A","terms":"","content":"a"}]'}]}
    ],
    "activity": [
        {"type": "ModelQueryPlanning", "id": 0, "inputTokens": 824, "outputTokens": 36},
        {
            "type": "AzureSearchQuery",
            "id": 1,
            "targetIndex": "schools",
            "query": {"search": "pets", "filter": "(tenant eq 't1') and (open)"},
            "queryTime": "2025-05-20T17:00:25.483Z",
            "count": 1,
            "elapsedMs": 315,
        },
        {"type": "AzureSearchSemanticRanker", "id": 2, "inputTokens": 78294},
    ],
    "references": [
        {
            "type": "AzureSearchDoc",
            "id": "0",
            "activitySource": 1,
            "docKey": "1",
            "sourceData": {"urn": "1", "name": "A", "secret": 1},
        }
    ],
}
BASE_REPLY = {
    "response": [{"content": [{"type": "text", "text": "[]"}]}],
    "activity": [
        {
            "type": "searchIndex",
            "id": 0,
            "knowledgeSourceName": "trusts",
            "queryTime": "2026-05-02T06:51:13.9696455Z",
            "count": 0,
            "elapsedMs": 137,
            "searchIndexArguments": {
                "search": "pets",
                "filter": None,
                "sourceDataFields": [{"name": "id"}],
                "searchFields": [],
            },
        },
        {"type": "agenticReasoning", "id": 1, "reasoningTokens": 7},
        {"type": "somethingNew", "id": 2},
    ],
    "references": [],
}


async def asked(
    body: dict[str, Any], *answers: Scripted, agent: AgentSettings = BY_AGENT, **more: Any
) -> tuple[dict[str, Any], ScriptedTransport]:
    transport = ScriptedTransport(*answers)
    settings = more.pop("settings", {})
    retrieval = retrieval_of(transport, *more.pop("indexes", ()), max_retry_attempts=0, **settings)
    shape: Any = "agent" if "messages" in body else "knowledge_base"
    request = parse_retrieve_request(body, VERSIONS[shape], shape)
    reply = await retrieve(retrieval, agent, request, **more)
    return reply_to_json(reply, request), transport


async def test_an_agent_of_the_service_is_asked_with_both_filters_and_the_callers_limits() -> None:
    body = {
        "messages": said("May I bring my dog?"),
        "targetIndexParams": [
            {
                "indexName": "schools",
                "filterAddOn": "open",
                "maxDocsForReranker": 20,
                "rerankerThreshold": 1.5,
                "includeReferenceSourceData": True,
            }
        ],
    }
    caller = Caller(query_source_authorization="Bearer x")
    reply, transport = await asked(body, Scripted(body=AGENT_REPLY), caller=caller)
    (request,) = transport.requests
    assert unquote(request.url) == (
        "https://unit.search.windows.net/agents('o''brien/1')/retrieve?api-version=2025-05-01-preview"
    )
    assert "%2F" in request.url
    assert request.headers["Authorization"] == "Bearer token-1"
    assert request.headers["x-ms-query-source-authorization"] == "Bearer x"
    assert transport.bodies[0] == {
        "messages": [{"role": "user", "content": [{"type": "text", "text": "May I bring my dog?"}]}],
        "targetIndexParams": [
            {
                "indexName": "schools",
                "maxDocsForReranker": 20,
                "filterAddOn": "(tenant eq 't1') and (open)",
                "rerankerThreshold": 1.5,
                "includeReferenceSourceData": True,
            }
        ],
    }
    expected = json.loads(json.dumps(AGENT_REPLY))
    expected["activity"][1]["query"]["filter"] = "open"
    expected["references"][0]["sourceData"] = {"urn": "1", "name": "A"}
    assert reply == expected


async def test_every_index_of_the_agent_is_sent_with_its_filter_when_none_is_named() -> None:
    _, transport = await asked({"messages": said("a")}, Scripted(body=AGENT_REPLY))
    params = transport.bodies[0]["targetIndexParams"]
    assert [(one["indexName"], one.get("filterAddOn")) for one in params] == [
        ("schools", "tenant eq 't1'"),
        ("trusts", None),
    ]


async def test_source_data_that_nobody_asked_for_is_not_handed_on() -> None:
    reply, _ = await asked({"messages": said("a")}, Scripted(body=AGENT_REPLY))
    assert reply["references"][0]["sourceData"] is None


async def test_messages_become_intents_of_a_knowledge_base() -> None:
    body = {"messages": said("Which trusts?", "Two.", "Pets?")}
    reply, transport = await asked(body, Scripted(body=BASE_REPLY), agent=BY_BASE)
    assert unquote(transport.requests[0].url).endswith("/knowledgebases('base')/retrieve?api-version=2026-04-01")
    sent = transport.bodies[0]
    assert sent["intents"] == [{"type": "semantic", "search": "Pets?"}, {"type": "semantic", "search": "Which trusts?"}]
    assert sent["knowledgeSourceParams"][0] == {
        "kind": "searchIndex",
        "knowledgeSourceName": "schools",
        "includeReferences": True,
        "filterAddOn": "tenant eq 't1'",
        "includeReferenceSourceData": False,
    }
    assert reply["activity"] == [
        {
            "type": "AzureSearchQuery",
            "id": 0,
            "targetIndex": "trusts",
            "query": {"search": "pets", "filter": None},
            "queryTime": "2026-05-02T06:51:13.969Z",
            "count": 0,
            "elapsedMs": 137,
        }
    ]


async def test_intents_go_to_a_knowledge_base_as_they_are_and_to_an_agent_as_messages() -> None:
    body = {"intents": [{"type": "semantic", "search": "pets"}], "maxRuntimeInSeconds": 30, "maxOutputSizeInTokens": 5000}
    reply, transport = await asked(body, Scripted(body=BASE_REPLY), agent=BY_BASE)
    assert transport.bodies[0]["maxRuntimeInSeconds"] == 30
    assert transport.bodies[0]["maxOutputSizeInTokens"] == 5000
    assert reply["activity"][1] == {"type": "agenticReasoning", "id": 1, "reasoningTokens": 7}
    _, transport = await asked(body, Scripted(body=AGENT_REPLY), agent=BY_AGENT)
    assert transport.bodies[0]["messages"] == said("pets")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refusal(400), InvalidRequest),
        (refusal(401), SearchRefused),
        (refusal(402), SemanticUnavailable),
        (refusal(403), SearchRefused),
        (refusal(404), IndexMisconfigured),
        (refusal(409), SearchFailed),
        (refusal(429), SearchThrottled),
        (refusal(500), SearchFailed),
        (refusal(503), SearchThrottled),
        (Scripted(dropped=True), SearchFailed),
        (Scripted(raw=b"<html>"), SearchFailed),
        (Scripted(body=[]), SearchFailed),
        (Scripted(body={"activity": 5}), SearchFailed),
        (Scripted(body={"activity": [{"id": "x", "type": "searchIndex"}]}), SearchFailed),
        (Scripted(body={"references": [{}]}), SearchFailed),
        (Scripted(body={"response": [{"content": None}]}), SearchFailed),
    ],
)
async def test_faults_of_the_service_have_names_and_none_of_its_words(answer: Scripted, error: type[RetrievalError]) -> None:
    with pytest.raises(error, match=r".") as caught:
        await asked({"messages": said("a")}, answer)
    assert "Refused." not in str(caught.value)


async def test_a_service_that_does_not_answer_times_out() -> None:
    with pytest.raises(SearchTimeout, match="in time"):
        await asked({"messages": said("a")}, Scripted(body=AGENT_REPLY, delay=30), settings={"timeout_seconds": 0.05})


async def test_a_throttled_service_is_asked_again_after_the_wait_it_wants() -> None:
    transport = ScriptedTransport(Scripted(status=429, headers={"retry-after-ms": "10"}), Scripted(body=AGENT_REPLY))
    request = parse_retrieve_request({"messages": said("a")}, VERSIONS["agent"], "agent")
    reply = await retrieve(retrieval_of(transport), BY_AGENT, request)
    assert (len(transport.requests), len(reply.references)) == (2, 1)


async def test_images_are_handed_on_to_an_agent_and_refused_for_a_knowledge_base() -> None:
    body = {"messages": [*said("a"), {"content": [{"type": "image", "image": {"url": "https://x.example/a.png"}}]}]}
    _, transport = await asked(body, Scripted(body=AGENT_REPLY))
    assert transport.bodies[0]["messages"][1]["content"] == [{"type": "image", "image": {"url": "https://x.example/a.png"}}]
    with pytest.raises(InvalidRequest, match="model that takes images"):
        await asked(body, Scripted(body=BASE_REPLY), agent=BY_BASE)


async def test_a_partial_reply_says_so() -> None:
    partial = json.loads(json.dumps(BASE_REPLY))
    partial["activity"][0]["error"] = {"code": "Throttled", "message": "words of the service"}
    reply, _ = await asked({"messages": said("a")}, Scripted(status=206, body=partial), agent=BY_BASE)
    assert reply["activity"][0]["warning"] == "The service reports a fault in this step; the reply is partial."


async def test_the_size_holds_for_the_service_too() -> None:
    entries = [{"ref_id": n, "title": "T", "terms": "", "content": "x" * 300} for n in range(5)]
    references = [{"type": "AzureSearchDoc", "id": str(n), "activitySource": 1, "docKey": str(n)} for n in range(5)]
    long = {**AGENT_REPLY, "references": references}
    long["response"] = [{"role": "assistant", "content": [{"type": "text", "text": json.dumps(entries)}]}]
    settings = {"max_evidence_characters": 1000}
    reply, _ = await asked({"messages": said("a")}, Scripted(body=long), settings=settings)
    assert len(reply["response"][0]["content"][0]["text"]) <= 1000
    assert [one["id"] for one in reply["references"]] == ["0", "1"]
    assert reply["activity"][1]["warning"] == "Documents left out to keep the reply within 1000 characters: 3."


@pytest.mark.parametrize("more", [0, 2])
async def test_a_first_entry_longer_than_the_size_is_cut(more: int) -> None:
    entries = [{"ref_id": n, "title": "T", "terms": "", "content": '"漢' * 600} for n in range(1 + more)]
    long = {**AGENT_REPLY, "references": [{"type": "AzureSearchDoc", "id": "0", "activitySource": 1, "docKey": "0"}]}
    long["response"] = [{"role": "assistant", "content": [{"type": "text", "text": json.dumps(entries)}]}]
    reply, _ = await asked({"messages": said("a")}, Scripted(body=long), settings={"max_evidence_characters": 1000})
    text = reply["response"][0]["content"][0]["text"]
    (entry,) = json.loads(text)
    assert 995 <= len(text) <= 1000
    assert entry["content"].startswith('"漢"漢')
    assert [one["id"] for one in reply["references"]] == ["0"]
    said_of = reply["activity"][1]["warning"]
    left_out = f" Documents left out to keep the reply within 1000 characters: {more}." if more else ""
    assert said_of == f"The document was cut to keep the reply within 1000 characters.{left_out}"


async def test_an_answer_of_the_service_stays_as_it_is() -> None:
    answer = {**AGENT_REPLY, "response": [{"content": [{"type": "text", "text": "Dogs are welcome [ref_id:0]."}]}]}
    reply, _ = await asked({"messages": said("a")}, Scripted(body=answer), settings={"max_evidence_characters": 400})
    assert reply["response"][0]["content"][0]["text"] == "Dogs are welcome [ref_id:0]."


async def test_every_index_that_the_service_may_read_has_to_be_allowed() -> None:
    closed = replace(TRUSTS, allowed_roles=("Trusts.Read",))
    body = {"messages": said("a"), "targetIndexParams": [{"indexName": "schools"}]}
    with pytest.raises(Forbidden, match="needs a role"):
        await asked(body, Scripted(body=AGENT_REPLY), indexes=(SCHOOLS, closed))


FOREIGN = [
    {"activity": [{"id": 1, "type": "AzureSearchQuery", "targetIndex": "secrets"}], "references": []},
    {"activity": [], "references": [{"id": "0", "activitySource": 9}]},
    {
        "activity": [{"id": 1, "type": "searchIndex", "knowledgeSourceName": "secrets"}],
        "references": [{"id": "0", "activitySource": 1, "sourceData": {"pay": 1}}],
    },
]


@pytest.mark.parametrize("members", FOREIGN, ids=["activity", "no source", "knowledge source"])
async def test_text_of_an_index_that_the_agent_does_not_name_goes_no_further(members: dict[str, Any]) -> None:
    reply = {"response": [{"content": [{"type": "text", "text": "[]"}]}], **members}
    with pytest.raises(IndexMisconfigured, match="do not name"):
        await asked({"messages": said("a")}, Scripted(body=reply))


@pytest.mark.parametrize("members", [{}, {"response": None}, {"response": "x"}, {"response": [{"content": None}]}])
async def test_a_reply_without_its_response_cannot_be_read(members: dict[str, Any]) -> None:
    with pytest.raises(SearchFailed, match="cannot be read"):
        await asked({"messages": said("a")}, Scripted(body={"activity": [], "references": [], **members}))
