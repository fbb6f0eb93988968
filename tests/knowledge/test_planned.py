"""The planned engine: sub-queries, activities and merged references of conversations, as tables."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from shared.retrieval import (
    AgentIndex,
    AgentSettings,
    Caller,
    Forbidden,
    InvalidFilter,
    InvalidRequest,
    NotConfigured,
    ODataFilter,
    QueryPlan,
    RetrieveMessage,
    SearchFailed,
    SearchTimeout,
    TooLarge,
    parse_retrieve_request,
    reply_to_json,
    retrieve,
)
from tests.knowledge.setting import AGENT, SCHOOLS, TRUSTS, Documents, Service, retrieval_of, school, trust
from tests.retrieval.doubles import Scripted, StillClock, refusal

VERSION = "2025-05-01-preview"


def said(*texts: str) -> list[dict[str, Any]]:
    """A conversation: user and assistant in turns, the user first."""
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": [{"type": "text", "text": text}]} for n, text in enumerate(texts)]


async def asked(
    body: dict[str, Any],
    documents: Documents,
    *,
    agent: AgentSettings = AGENT,
    caller: Caller | None = None,
    **more: Any,
) -> tuple[dict[str, Any], Service]:
    """The reply's JSON and the service that answered."""
    service = Service(documents)
    retrieval = more.pop("retrieval", None) or retrieval_of(service, *more.pop("indexes", ()), **more.pop("settings", {}))
    shape = "agent" if "messages" in body else "knowledge_base"
    request = parse_retrieve_request(body, VERSION if shape == "agent" else "2026-04-01", shape)  # type: ignore[arg-type]
    reply = await retrieve(retrieval, agent, request, caller=caller, clock=StillClock(), **more)
    return reply_to_json(reply, request), service


def texts(reply: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(reply["response"][0]["content"][0]["text"])
    return found


async def test_a_conversation_gives_its_sub_queries_activities_and_merged_references() -> None:
    """Two different last questions in two indexes: newest first, merged by rank in turns, each document once."""
    conversation = said("Which trusts are there?", "Two.", "Schools in Bath?", "Yes.", "Schools in Bath?")
    documents: Documents = {
        ("schools", "Schools in Bath?"): [school("1", 3.0), school("2", 2.5)],
        ("schools", "Which trusts are there?"): [school("2", 1.5), school("3", 1.2)],
        ("trusts", "Which trusts are there?"): [trust("A"), trust("1")],
    }
    reply, _ = await asked({"messages": conversation}, documents)
    time = "2026-01-01T12:00:00.000Z"
    searched = [
        (0, "schools", "Schools in Bath?", 2),
        (1, "trusts", "Schools in Bath?", 0),
        (2, "schools", "Which trusts are there?", 2),
        (3, "trusts", "Which trusts are there?", 2),
    ]
    assert reply["activity"] == [
        {
            "type": "AzureSearchQuery",
            "id": number,
            "targetIndex": index,
            "query": {"search": search, "filter": None},
            "queryTime": time,
            "count": count,
            "elapsedMs": 0,
        }
        for number, index, search, count in searched
    ] + [{"type": "AzureSearchSemanticRanker", "id": 4}]
    assert [(r["id"], r["activitySource"], r["docKey"], r["sourceData"]) for r in reply["references"]] == [
        ("0", 0, "1", None),
        ("1", 2, "2", None),
        ("2", 3, "A", None),
        ("3", 2, "3", None),
        ("4", 3, "1", None),
    ]
    assert all(reference["type"] == "AzureSearchDoc" for reference in reply["references"])
    assert texts(reply)[:3] == [
        {"ref_id": 0, "title": "School 1", "terms": "", "content": "name: School 1\ntown: Bath"},
        {"ref_id": 1, "title": "School 2", "terms": "", "content": "name: School 2\ntown: Bath"},
        {"ref_id": 2, "title": "Trust A", "terms": "", "content": "name: Trust A"},
    ]
    assert [entry["ref_id"] for entry in texts(reply)] == [0, 1, 2, 3, 4]
    assert reply["response"][0]["role"] == "assistant"


@pytest.mark.parametrize(
    ("conversation", "limit", "expected"),
    [
        (said("a"), 3, ["a"]),
        (said("a", "x", "b", "x", "c", "x", "d"), 3, ["d", "c", "b"]),
        (said("a", "x", "b", "x", "a"), 3, ["a", "b"]),
        (said("a", "x", "b"), 1, ["b"]),
        (said(" a ", "x", "a", "x", "  "), 3, ["a"]),
        ([{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}], 3, ["a\nb"]),
        ([*said("a"), {"role": "system", "content": [{"type": "text", "text": "be kind"}]}], 3, ["a"]),
    ],
)
async def test_sub_queries_without_a_model(conversation: list[dict[str, Any]], limit: int, expected: list[str]) -> None:
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="trusts"),), max_sub_queries=limit)
    reply, _ = await asked({"messages": conversation}, {}, agent=agent)
    assert [one["query"]["search"] for one in reply["activity"]] == expected
    assert texts(reply) == reply["references"] == []


@pytest.mark.parametrize(
    ("agent_filter", "own", "sent"),
    [
        (None, None, None),
        ({"equals": {"tenant": "t1"}}, None, "tenant eq 't1'"),
        (None, "a eq 1 or true", "a eq 1 or true"),
        ({"equals": {"tenant": "t1"}}, "a eq 1 or true", "(tenant eq 't1') and (a eq 1 or true)"),
        ({"template": "tenant eq {t} or b", "values": {"t": "o'b"}}, "c", "(tenant eq 'o''b' or b) and (c)"),
    ],
)
async def test_the_callers_filter_cannot_widen_that_of_the_agent(
    agent_filter: dict[str, Any] | None, own: str | None, sent: str | None
) -> None:
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="trusts", filter=agent_filter),))
    body = {"messages": said("a"), "targetIndexParams": [{"indexName": "trusts", "filterAddOn": own}]}
    reply, service = await asked(body, {}, agent=agent)
    assert service.filters() == [sent]
    assert reply["activity"][0]["query"] == {"search": "a", "filter": own}


@pytest.mark.parametrize(
    ("threshold", "scores", "kept", "warning"),
    [
        (None, [3.0, 1.0], 2, None),
        (2.5, [3.0, 1.0], 1, None),
        (1.0, [3.0, 1.0], 2, None),
        (0, [3.0, 0.0], 2, None),
        (
            4,
            [3.0, 1.0],
            0,
            "All retrieved documents were filtered because they did not meet the reranker score threshold.",
        ),
        (2.5, [None, None], 2, "The reranker threshold was not applied: the hits have no reranker scores."),
        (2.5, [], 0, None),
    ],
)
async def test_thresholds(threshold: float | None, scores: list[float | None], kept: int, warning: str | None) -> None:
    documents: Documents = {("schools", "a"): [school(str(n), score) for n, score in enumerate(scores)]}
    params = {"indexName": "schools", "rerankerThreshold": threshold}
    reply, _ = await asked({"messages": said("a"), "targetIndexParams": [params]}, documents)
    assert (reply["activity"][0]["count"], len(reply["references"])) == (kept, kept)
    assert reply["activity"][0].get("warning") == warning


async def test_the_agents_threshold_holds_unless_the_caller_names_one() -> None:
    documents: Documents = {("schools", "a"): [school("1", 3.0), school("2", 1.0)]}
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="schools"),), reranker_threshold=2.0)
    strict, _ = await asked({"messages": said("a")}, documents, agent=agent)
    params = [{"indexName": "schools", "rerankerThreshold": 0.5}]
    loose, _ = await asked({"messages": said("a"), "targetIndexParams": params}, documents, agent=agent)
    assert (len(strict["references"]), len(loose["references"])) == (1, 2)


async def test_partial_ranking_is_said_and_no_threshold_applied() -> None:
    answer = Scripted(
        status=206,
        body={
            "value": [{"@search.score": 2.0, **school("1", None)}, {"@search.score": 1.0, **school("2", None)}],
            "@search.semanticPartialResponseReason": "maxWaitExceeded",
        },
    )
    params = [{"indexName": "schools", "rerankerThreshold": 2.5}]
    reply, _ = await asked({"messages": said("a"), "targetIndexParams": params}, {("schools", "a"): answer})
    assert len(reply["references"]) == 2
    assert reply["activity"][0]["warning"] == (
        "The semantic ranking is partial; the hits are in the order of the search. "
        "The reranker threshold was not applied: the hits have no reranker scores."
    )
    assert [one["type"] for one in reply["activity"]] == ["AzureSearchQuery"]


@pytest.mark.parametrize(("asked_for", "sent"), [(None, 50), (5, 5), (50, 50), (10_000, 50)])
async def test_hits_of_a_search(asked_for: int | None, sent: int) -> None:
    params = [{"indexName": "trusts", "maxDocsForReranker": asked_for}]
    _, service = await asked({"messages": said("a"), "targetIndexParams": params}, {})
    assert [body["top"] for body in service.bodies] == [sent]


@pytest.mark.parametrize(
    ("index", "include", "expected", "selected"),
    [
        (SCHOOLS, False, None, "name,town,note,urn"),
        (SCHOOLS, True, {"urn": "1", "name": "School 1", "phase": "Primary"}, "name,town,note,urn,phase"),
        (replace(SCHOOLS, return_fields=None), True, {"urn": "1", "name": "School 1", "town": "Bath"}, "name,town,note,urn"),
        (replace(SCHOOLS, return_fields=("phase",)), True, {"phase": "Primary"}, "name,town,note,phase,urn"),
    ],
)
async def test_source_data(index: Any, include: bool, expected: object, selected: str) -> None:
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="schools"),))
    params = [{"indexName": "schools", "includeReferenceSourceData": include}]
    document = {
        name: value for name, value in school("1").items() if name in (*selected.split(","), "@search.rerankerScore")
    }
    body = {"messages": said("a"), "targetIndexParams": params}
    reply, service = await asked(body, {("schools", "a"): [document]}, agent=agent, indexes=(index,))
    assert [reference["sourceData"] for reference in reply["references"]] == [expected]
    assert service.bodies[0]["select"] == selected
    assert texts(reply)[0]["content"] == "name: School 1\ntown: Bath"


async def test_the_text_keeps_within_the_size_and_says_what_is_left_out() -> None:
    documents: Documents = {("schools", "a"): [school(str(n), note="x" * 300) for n in range(5)]}
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="schools"),))
    reply, _ = await asked({"messages": said("a")}, documents, agent=agent, settings={"max_evidence_characters": 1000})
    assert len(reply["response"][0]["content"][0]["text"]) <= 1000
    assert len(texts(reply)) == len(reply["references"]) == 2
    assert reply["activity"][0]["count"] == 5
    assert reply["activity"][0]["warning"] == "Documents left out to keep the reply within 1000 characters: 3."


async def test_the_first_document_stays_and_is_cut() -> None:
    documents: Documents = {("schools", "a"): [school("1", note='"\n' * 3000), school("2")]}
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="schools"),))
    reply, _ = await asked({"messages": said("a")}, documents, agent=agent, settings={"max_evidence_characters": 1000})
    text = reply["response"][0]["content"][0]["text"]
    assert 900 < len(text) <= 1000
    assert [entry["title"] for entry in texts(reply)] == ["School 1"]
    assert reply["activity"][0]["warning"].startswith("The document was cut")


async def test_documents_without_text_are_left_out_and_counted() -> None:
    documents: Documents = {("trusts", "a"): [{"id": "1"}, trust("2")]}
    reply, _ = await asked({"messages": said("a"), "targetIndexParams": [{"indexName": "trusts"}]}, documents)
    assert [reference["docKey"] for reference in reply["references"]] == ["2"]
    assert reply["activity"][0]["warning"] == "Documents left out for want of text: 1."


async def test_an_empty_list_in_the_agents_filter_matches_nothing_and_is_not_sent() -> None:
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="trusts", filter={"equals": {"town": []}}),))
    reply, service = await asked({"messages": said("a")}, {}, agent=agent)
    (activity,) = reply["activity"]
    assert service.requests == []
    assert "queryTime" not in activity
    assert (activity["count"], activity["warning"]) == (
        0,
        "The filter holds an empty list, which nothing matches; the search was not sent.",
    )


async def test_a_failed_search_fails_the_call_and_stops_the_others() -> None:
    documents: Documents = {("schools", "a"): Scripted(body={"value": []}, delay=30), ("trusts", "a"): Scripted(raw=b"no")}
    service = Service(documents)
    request = parse_retrieve_request({"messages": said("a")}, VERSION, "agent")
    async with asyncio.timeout(5):
        with pytest.raises(SearchFailed, match="cannot be read"):
            await retrieve(retrieval_of(service), AGENT, request)
    assert service.stopped == 1


@pytest.mark.parametrize(
    ("body", "error", "path", "code"),
    [
        (
            {"messages": said("a"), "targetIndexParams": [{"indexName": "secret"}]},
            InvalidRequest,
            "$.targetIndexParams[0].indexName",
            "unknown_index",
        ),
        ({"messages": said("  ")}, InvalidRequest, "$.messages", "no_question"),
        ({"messages": said("", "only the assistant")}, InvalidRequest, "$.messages", "no_question"),
        ({"messages": said("b", "x", "a" * 10_001)}, TooLarge, "$.messages[2]", "too_large"),
        (
            {"messages": [{"content": [{"type": "image", "image": {"url": "https://x.example/a.png"}}]}]},
            InvalidRequest,
            "$.messages[0].content[0]",
            "image_not_supported",
        ),
        (
            {
                "intents": [{"type": "semantic", "search": "a"}],
                "knowledgeSourceParams": [{"kind": "searchIndex", "knowledgeSourceName": "x"}],
            },
            InvalidRequest,
            "$.knowledgeSourceParams[0].knowledgeSourceName",
            "unknown_index",
        ),
    ],
)
async def test_what_cannot_be_asked_is_named_by_its_path(
    body: dict[str, Any], error: type[Exception], path: str, code: str
) -> None:
    with pytest.raises(error, match=r".") as caught:
        await asked(body, {})
    assert [(problem.path, problem.code) for problem in caught.value.problems] == [(path, code)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("index", "params", "path"),
    [
        (replace(TRUSTS, filter_fields=("town",)), {"filterAddOn": "secret eq 1"}, "$.targetIndexParams[0].filterAddOn"),
        (
            replace(TRUSTS, filter_fields=("town",)),
            {"filterAddOn": "search.ismatch('x')"},
            "$.targetIndexParams[0].filterAddOn",
        ),
        (replace(TRUSTS, required_filter_fields=("town",)), {}, "$.targetIndexParams[0].filterAddOn"),
        (replace(TRUSTS, required_filter_fields=("town",)), None, "$.targetIndexParams"),
    ],
)
async def test_the_field_rules_of_an_index_hold(index: Any, params: dict[str, Any] | None, path: str) -> None:
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="trusts"),))
    body: dict[str, Any] = {"messages": said("a")}
    if params is not None:
        body["targetIndexParams"] = [{"indexName": "trusts", **params}]
    with pytest.raises(InvalidFilter, match=r".") as caught:
        await asked(body, {}, agent=agent, indexes=(index,))
    assert {problem.path for problem in caught.value.problems} == {path}


async def test_a_filter_that_the_service_refuses_is_the_callers() -> None:
    refused = refusal(400, "Invalid expression: type mismatch near 'town'.\r\nParameter name: $filter")
    params = [{"indexName": "trusts", "filterAddOn": "town eq 1"}]
    with pytest.raises(InvalidRequest, match="refuses the filter") as caught:
        await asked({"messages": said("a"), "targetIndexParams": params}, {("trusts", "a"): refused})
    assert caught.value.problems[0].path == "$.targetIndexParams[0].filterAddOn"


class PlannerDouble:
    """Plans what it is told to; counts its calls."""

    def __init__(self, *queries: str, takes_images: bool = False, error: Exception | None = None) -> None:
        self.takes_images = takes_images
        self.queries = queries
        self.error = error
        self.calls: list[tuple[RetrieveMessage, ...]] = []

    async def plan(self, messages: Any, limit: int) -> QueryPlan:
        self.calls.append(tuple(messages))
        if self.error is not None:
            raise self.error
        return QueryPlan(queries=self.queries, input_tokens=824, output_tokens=36)


async def test_a_model_plans_the_sub_queries() -> None:
    planner = PlannerDouble("pets", " pet fees ", "pets", "", "pool", "bar")
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="trusts"),))
    reply, _ = await asked({"messages": said("May I bring my dog?")}, {}, agent=agent, planner=planner)
    planning, *searches = reply["activity"]
    assert planning == {"type": "ModelQueryPlanning", "id": 0, "inputTokens": 824, "outputTokens": 36, "elapsedMs": 0}
    assert [(one["id"], one["query"]["search"]) for one in searches] == [(1, "pets"), (2, "pet fees"), (3, "pool")]


async def test_a_model_that_takes_images_gets_them_unfetched() -> None:
    planner = PlannerDouble("a dog", takes_images=True)
    body = {"messages": [{"content": [{"type": "image", "image": {"url": "https://x.example/dog.png"}}]}]}
    _, service = await asked(body, {}, planner=planner)
    assert planner.calls[0][0].content[0].url == "https://x.example/dog.png"  # type: ignore[union-attr]
    assert all("x.example" not in request.url for request in service.requests)


async def test_a_plan_without_queries_finds_nothing() -> None:
    reply, service = await asked({"messages": said("Thanks!")}, {}, planner=PlannerDouble())
    assert (service.requests, reply["references"], texts(reply)) == ([], [], [])
    assert [one["type"] for one in reply["activity"]] == ["ModelQueryPlanning"]


async def test_rights_are_checked_before_a_model_is_asked() -> None:
    planner = PlannerDouble("a")
    closed = replace(TRUSTS, allowed_roles=("Trusts.Read",))
    with pytest.raises(Forbidden, match="needs a role"):
        await asked(
            {"messages": said("a")}, {}, indexes=(SCHOOLS, closed), planner=planner, caller=Caller(roles=frozenset())
        )
    assert planner.calls == []
    allowed = Caller(roles=frozenset({"Trusts.Read"}))
    await asked({"messages": said("a")}, {}, indexes=(SCHOOLS, closed), planner=planner, caller=allowed)


async def test_the_callers_token_goes_to_the_searches_alone() -> None:
    trimmed = replace(TRUSTS, permission_filter=True)
    caller = Caller(query_source_authorization="Bearer x")
    _, service = await asked({"messages": said("a")}, {}, indexes=(SCHOOLS, trimmed), caller=caller)
    assert {request.headers["x-ms-query-source-authorization"] for request in service.requests} == {"Bearer x"}
    with pytest.raises(Forbidden, match="query-source-authorization") as caught:
        await asked({"messages": said("a")}, {}, indexes=(SCHOOLS, trimmed))
    assert caught.value.code == "caller_token_required"


async def test_a_knowledge_base_reply_has_the_later_shape() -> None:
    documents: Documents = {("schools", "hotels"): [school("1", 2.5)]}
    agent = AgentSettings(name="kb", indexes=(AgentIndex(name="schools"), AgentIndex(name="trusts")))
    body = {
        "intents": [{"type": "semantic", "search": "hotels"}],
        "knowledgeSourceParams": [
            {"kind": "searchIndex", "knowledgeSourceName": "schools", "includeReferenceSourceData": True}
        ],
    }
    reply, _ = await asked(body, documents, agent=agent)
    content = "name: School 1\\ntown: Bath"
    text = f'[{{"ref_id":0,"title":"School 1","terms":"","content":"{content}"}}]'
    assert reply == {
        "response": [{"content": [{"type": "text", "text": text}]}],
        "activity": [
            {
                "type": "searchIndex",
                "id": 0,
                "knowledgeSourceName": "schools",
                "queryTime": "2026-01-01T12:00:00.000Z",
                "count": 1,
                "elapsedMs": 0,
                "searchIndexArguments": {
                    "search": "hotels",
                    "filter": None,
                    "sourceDataFields": [{"name": "urn"}, {"name": "name"}, {"name": "phase"}],
                    "searchFields": [],
                    "semanticConfigurationName": "default",
                },
            },
            {"type": "agenticReasoning", "id": 1},
        ],
        "references": [
            {
                "type": "searchIndex",
                "id": "0",
                "activitySource": 0,
                "sourceData": {"urn": "1", "name": "School 1", "phase": "Primary"},
                "rerankerScore": 2.5,
                "docKey": "1",
                "title": "School 1",
            }
        ],
    }


async def test_a_knowledge_base_request_hides_what_it_asks_to_hide() -> None:
    documents: Documents = {("schools", "a"): [school("1")], ("trusts", "a"): [trust("2")]}
    body = {
        "intents": [{"type": "semantic", "search": "a"}],
        "includeActivity": False,
        "knowledgeSourceParams": [
            {"kind": "searchIndex", "knowledgeSourceName": "schools", "includeReferences": False},
            {"kind": "searchIndex", "knowledgeSourceName": "trusts"},
        ],
    }
    reply, _ = await asked(body, documents)
    assert "activity" not in reply
    assert [(one["id"], one["docKey"]) for one in reply["references"]] == [("1", "2")]
    assert len(texts(reply)) == 2


async def test_the_time_of_a_request_is_bounded() -> None:
    documents: Documents = {("trusts", "a"): Scripted(body={"value": []}, delay=30)}
    body = {"intents": [{"type": "semantic", "search": "a"}], "maxRuntimeInSeconds": 1}
    with pytest.raises(SearchTimeout, match="request allows"):
        await asked(body, documents)


async def test_the_output_is_bounded_in_tokens() -> None:
    documents: Documents = {("schools", "a"): [school(str(n), note="x" * 300) for n in range(5)]}
    body = {"intents": [{"type": "semantic", "search": "a"}], "maxOutputSizeInTokens": 300}
    reply, _ = await asked(body, documents)
    assert len(reply["response"][0]["content"][0]["text"]) <= 900
    assert len(reply["references"]) == 2


async def test_a_query_that_cannot_be_sent_is_at_its_messages() -> None:
    with pytest.raises(InvalidRequest, match="lone surrogate") as caught:
        await asked({"messages": said("a\ud800")}, {})
    assert caught.value.problems[0].path == "$.messages"


async def test_an_agent_whose_filter_cannot_be_used_is_not_configured() -> None:
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="trusts", filter={"equals": {}}),))
    with pytest.raises(NotConfigured, match="filter of the agent's index trusts"):
        await asked({"messages": said("a")}, {}, agent=agent)
    ready = AgentSettings(name="hr", indexes=(AgentIndex(name="trusts", filter=ODataFilter.raw("open")),))
    _, service = await asked({"messages": said("a")}, {}, agent=ready)
    assert service.filters() == ["open"]


async def test_long_documents_are_written_out_away_from_the_loop() -> None:
    documents: Documents = {("schools", "a"): [school(str(n), note="x" * 9_000) for n in range(30)]}
    agent = AgentSettings(name="hr", indexes=(AgentIndex(name="schools"),))
    reply, _ = await asked({"messages": said("a")}, documents, agent=agent)
    assert len(reply["references"]) == 20
    assert reply["activity"][0]["warning"] == "Documents left out to keep the reply within 190000 characters: 10."
