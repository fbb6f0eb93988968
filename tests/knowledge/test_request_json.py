"""Retrieve requests: both shapes, every fault with its path."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval import InvalidRequest, ODataFilter, Problem, TooLarge
from shared.retrieval.agents.models import MessageImage, RetrieveRequest, Shape, Target
from shared.retrieval.agents.wire import parse_retrieve_request

AGENT = "2025-05-01-preview"
BASE = "2026-04-01"


def said(text: object = "Which school?", **more: object) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}], **more}


def agent(body: object, version: str | None = AGENT) -> RetrieveRequest:
    return parse_retrieve_request(body, version, "agent")


def base(body: object, version: str | None = BASE) -> RetrieveRequest:
    return parse_retrieve_request(body, version, "knowledge_base")


def test_an_agent_request_with_everything() -> None:
    request = agent(
        {
            "messages": [
                {"role": "assistant", "content": [{"type": "text", "text": "You can help."}]},
                {"content": [{"type": "text", "text": "a"}, {"type": "image", "image": {"url": "https://x.example/a.png"}}]},
            ],
            "targetIndexParams": [
                {
                    "indexName": "schools",
                    "filterAddOn": "a eq 1 or true",
                    "maxDocsForReranker": 60,
                    "rerankerThreshold": 2.5,
                    "includeReferenceSourceData": True,
                },
                {"indexName": "trusts", "maxDocsForReranker": 5, "filterAddOn": None},
            ],
        }
    )
    assert [message.role for message in request.messages] == ["assistant", "user"]
    assert request.messages[1].content[1] == MessageImage("https://x.example/a.png")
    assert request.targets == (
        Target(
            index="schools",
            path="$.targetIndexParams[0].indexName",
            filter=ODataFilter.raw("a eq 1 or true"),
            max_documents=50,
            reranker_threshold=2.5,
            include_source_data=True,
        ),
        Target(index="trusts", path="$.targetIndexParams[1].indexName", max_documents=5),
    )


def test_a_knowledge_base_request_with_everything() -> None:
    request = base(
        {
            "intents": [{"type": "semantic", "search": "hotels"}],
            "maxRuntimeInSeconds": 10,
            "maxOutputSizeInTokens": 5000,
            "includeActivity": False,
            "knowledgeSourceParams": [
                {
                    "kind": "searchIndex",
                    "knowledgeSourceName": "schools",
                    "includeReferences": False,
                    "includeReferenceSourceData": True,
                    "rerankerThreshold": 0,
                    "filterAddOn": "urn eq '1'",
                }
            ],
        }
    )
    assert (request.intents, request.include_activity, request.max_runtime_seconds) == (("hotels",), False, 10)
    (target,) = request.targets
    assert (target.include_references, target.include_source_data, target.reranker_threshold) == (False, True, 0)


@pytest.mark.parametrize("version", [AGENT.upper(), " 2025-05-01-preview "])
def test_the_case_of_the_api_version_plays_no_part(version: str) -> None:
    assert agent({"messages": [said()]}, version).messages[0].text == "Which school?"


@pytest.mark.parametrize("version", [None, "", "2024-07-01", BASE, "2025-05-01"])
def test_another_api_version_is_refused(version: str | None) -> None:
    with pytest.raises(InvalidRequest, match="api-version must be 2025-05-01-preview") as caught:
        agent({"messages": [said()]}, version)
    assert (caught.value.code, caught.value.problems[0].path) == ("invalid_api_version", "api-version")


def targets(*entries: object) -> dict[str, Any]:
    return {"messages": [said()], "targetIndexParams": list(entries)}


AGENT_FAULTS: list[tuple[object, str, str]] = [
    ([], "$", "wrong_type"),
    ({}, "$.messages", "missing"),
    ({"messages": None}, "$.messages", "missing"),
    ({"messages": []}, "$.messages", "out_of_range"),
    ({"messages": [said()] * 201}, "$.messages", "out_of_range"),
    ({"messages": {}}, "$.messages", "wrong_type"),
    ({"messages": ["hello"]}, "$.messages[0]", "wrong_type"),
    ({"messages": [said()], "intents": []}, "$.intents", "unknown_key"),
    ({"messages": [said(role="tool")]}, "$.messages[0].role", "out_of_range"),
    ({"messages": [said(role="User")]}, "$.messages[0].role", "out_of_range"),
    ({"messages": [said(role=5)]}, "$.messages[0].role", "wrong_type"),
    ({"messages": [said(name="x")]}, "$.messages[0].name", "unknown_key"),
    ({"messages": [{"role": "user"}]}, "$.messages[0].content", "missing"),
    ({"messages": [{"content": "text"}]}, "$.messages[0].content", "wrong_type"),
    ({"messages": [{"content": []}]}, "$.messages[0].content", "out_of_range"),
    ({"messages": [said(5)]}, "$.messages[0].content[0].text", "wrong_type"),
    ({"messages": [{"content": [{"text": "a"}]}]}, "$.messages[0].content[0].type", "missing"),
    ({"messages": [{"content": [{"type": "audio"}]}]}, "$.messages[0].content[0].type", "out_of_range"),
    ({"messages": [{"content": [{"type": "text"}]}]}, "$.messages[0].content[0].text", "missing"),
    ({"messages": [{"content": [{"type": "image"}]}]}, "$.messages[0].content[0].image.url", "missing"),
    ({"messages": [{"content": [{"type": "image", "image": {"url": " "}}]}]}, "$.messages[0].content[0].image.url", "blank"),
    (
        {"messages": [{"content": [{"type": "image", "image": {"url": "x"}, "text": "a"}]}]},
        "$.messages[0].content[0].text",
        "unknown_key",
    ),
    (targets({}), "$.targetIndexParams[0].indexName", "missing"),
    (targets({"indexName": " "}), "$.targetIndexParams[0].indexName", "blank"),
    (targets({"indexName": "a"}, {"indexName": "a"}), "$.targetIndexParams[1].indexName", "duplicate_index"),
    (targets({"indexName": "a", "top": 1}), "$.targetIndexParams[0].top", "unknown_key"),
    (targets({"indexName": "a", "maxDocsForReranker": 0}), "$.targetIndexParams[0].maxDocsForReranker", "out_of_range"),
    (targets({"indexName": "a", "maxDocsForReranker": 10001}), "$.targetIndexParams[0].maxDocsForReranker", "out_of_range"),
    ({"messages": [said()], "a b<": 1}, '$["a b<"]', "unknown_key"),
    (
        targets({"indexName": "a", "maxDocsForReranker": 10**399}),
        "$.targetIndexParams[0].maxDocsForReranker",
        "out_of_range",
    ),
    (
        targets({"indexName": "a", "rerankerThreshold": -(10**399)}),
        "$.targetIndexParams[0].rerankerThreshold",
        "out_of_range",
    ),
    (
        targets({"indexName": "a", "rerankerThreshold": float("nan")}),
        "$.targetIndexParams[0].rerankerThreshold",
        "wrong_type",
    ),
    (targets({"indexName": "a", "maxDocsForReranker": 1.5}), "$.targetIndexParams[0].maxDocsForReranker", "wrong_type"),
    (targets({"indexName": "a", "maxDocsForReranker": True}), "$.targetIndexParams[0].maxDocsForReranker", "wrong_type"),
    (targets({"indexName": "a", "rerankerThreshold": 4.01}), "$.targetIndexParams[0].rerankerThreshold", "out_of_range"),
    (targets({"indexName": "a", "rerankerThreshold": "2"}), "$.targetIndexParams[0].rerankerThreshold", "wrong_type"),
    (
        targets({"indexName": "a", "includeReferenceSourceData": 1}),
        "$.targetIndexParams[0].includeReferenceSourceData",
        "wrong_type",
    ),
    (targets({"indexName": "a", "filterAddOn": "a eq 1) or (true"}), "$.targetIndexParams[0].filterAddOn", "invalid_filter"),
    (targets({"indexName": "a", "filterAddOn": "year eq 2024'"}), "$.targetIndexParams[0].filterAddOn", "invalid_filter"),
    (targets({"indexName": "a", "filterAddOn": ""}), "$.targetIndexParams[0].filterAddOn", "blank_filter"),
    (targets({"indexName": "a", "filterAddOn": {"raw": "true"}}), "$.targetIndexParams[0].filterAddOn", "wrong_type"),
]


@pytest.mark.parametrize(("body", "path", "code"), AGENT_FAULTS, ids=[f"{p} {c}" for _, p, c in AGENT_FAULTS])
def test_faults_of_an_agent_request(body: object, path: str, code: str) -> None:
    assert (path, code) in faults(body, "agent")


BASE_FAULTS: list[tuple[object, str, str]] = [
    ({}, "$.intents", "missing"),
    ({"intents": []}, "$.intents", "out_of_range"),
    ({"intents": [{"type": "semantic", "search": "a"}] * 11}, "$.intents", "out_of_range"),
    ({"messages": [said()]}, "$.messages", "unknown_key"),
    ({"intents": [{"search": "a"}]}, "$.intents[0].type", "missing"),
    ({"intents": [{"type": "keyword", "search": "a"}]}, "$.intents[0].type", "out_of_range"),
    ({"intents": [{"type": "semantic", "search": " "}]}, "$.intents[0].search", "blank"),
    ({"maxRuntimeInSeconds": 0}, "$.maxRuntimeInSeconds", "out_of_range"),
    ({"maxOutputSizeInTokens": -1}, "$.maxOutputSizeInTokens", "out_of_range"),
    ({"includeActivity": "yes"}, "$.includeActivity", "wrong_type"),
    ({"knowledgeSourceParams": [{"knowledgeSourceName": "a"}]}, "$.knowledgeSourceParams[0].kind", "missing"),
    ({"knowledgeSourceParams": [{"kind": "web"}]}, "$.knowledgeSourceParams[0].kind", "out_of_range"),
    (
        {"knowledgeSourceParams": [{"kind": "searchIndex", "knowledgeSourceName": "a", "maxDocsForReranker": 5}]},
        "$.knowledgeSourceParams[0].maxDocsForReranker",
        "unknown_key",
    ),
]


@pytest.mark.parametrize(("body", "path", "code"), BASE_FAULTS, ids=[f"{p} {c}" for _, p, c in BASE_FAULTS])
def test_faults_of_a_knowledge_base_request(body: object, path: str, code: str) -> None:
    assert (path, code) in faults(body, "knowledge_base")


def faults(body: object, shape: Shape) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest, match="see details") as caught:
        parse_retrieve_request(body, AGENT if shape == "agent" else BASE, shape)
    return [(problem.path, problem.code) for problem in caught.value.problems]


def test_all_faults_are_reported_at_once() -> None:
    body = {"messages": [said(role="robot"), {"content": [{"type": "text"}]}], "more": 1}
    assert len(faults(body, "agent")) == 3


def test_an_intent_over_the_limit_is_too_large() -> None:
    with pytest.raises(TooLarge, match="at most 10000 characters") as caught:
        base({"intents": [{"type": "semantic", "search": "a" * 10_001}]})
    assert caught.value.problems[0].path == "$.intents[0].search"


NAMES = st.sampled_from(
    [
        *("messages", "role", "content", "type", "text", "image", "url", "targetIndexParams", "indexName", "filterAddOn"),
        *("maxDocsForReranker", "rerankerThreshold", "includeReferenceSourceData", "intents", "search", "kind"),
        *("knowledgeSourceParams", "knowledgeSourceName", "includeReferences", "maxRuntimeInSeconds", "includeActivity"),
    ]
)
WORDS = st.sampled_from(["user", "text", "image", "semantic", "searchIndex", "a eq 1", "", " ", "x\ud800"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**30) | st.floats(allow_nan=True) | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


@given(body=ANYTHING, shape=st.sampled_from(["agent", "knowledge_base"]))
def test_whatever_is_sent_is_read_or_refused_by_path(body: object, shape: Shape) -> None:
    for problem in problems_of(body, shape):
        assert problem.path.startswith("$")
        assert problem.message


def problems_of(body: object, shape: Shape) -> tuple[Problem, ...]:
    """What is wrong with a request; another error than ours fails the test."""
    try:
        parse_retrieve_request(body, AGENT if shape == "agent" else BASE, shape)
    except (InvalidRequest, TooLarge) as error:
        return error.problems or (Problem("", "", ""),)
    return ()
