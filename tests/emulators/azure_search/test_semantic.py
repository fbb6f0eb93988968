"""Semantic-like ranking: scores, order, captions, answers, partial answers and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from emulators.azure_search.analysis.embedding import NoModel
from emulators.azure_search.operations.faults import Fault
from emulators.azure_search.service import SearchService

from .hotels import Caller

DEFINITION: dict[str, Any] = {
    "name": "inns",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "title", "type": "Edm.String"},
        {"name": "body", "type": "Edm.String"},
        {"name": "tags", "type": "Collection(Edm.String)"},
    ],
    "semantic": {
        "configurations": [
            {
                "name": "s",
                "prioritizedFields": {
                    "titleField": {"fieldName": "title"},
                    "prioritizedContentFields": [{"fieldName": "body"}],
                    "prioritizedKeywordsFields": [{"fieldName": "tags"}],
                },
            }
        ]
    },
}
DOCUMENTS = [
    {"id": "1", "title": "Oak", "body": "The oak is old.  Nobody climbs the oak", "tags": ["tree"]},
    {
        "id": "2",
        "title": "Pine",
        "body": "Tall. The old oak stands by the pine. Birds nest there!",
        "tags": ["tree", "bird"],
    },
    {"id": "3", "title": "Rock", "body": "Stone and sand.", "tags": []},
]


@pytest.fixture
async def trees() -> Caller:
    """An index with a semantic configuration."""
    caller = Caller()
    await caller.make(DEFINITION, DOCUMENTS)
    return caller


def semantic(search: str = "old oak", **more: Any) -> dict[str, Any]:
    return {"search": search, "queryType": "semantic", "semanticConfiguration": "s", **more}


async def test_hits_are_ordered_by_the_reranker(trees: Caller) -> None:
    answer = await trees.search(semantic("old oak tree"))
    scores = [hit["@search.rerankerScore"] for hit in answer["value"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 4 for score in scores)
    assert all(hit["@search.score"] > 0 and "@search.captions" not in hit for hit in answer["value"])
    assert answer["@search.answers"] == []


async def test_captions_mark_the_best_sentence(trees: Caller) -> None:
    answer = await trees.search(semantic("oak climbs", captions="extractive"))
    captions = {hit["id"]: hit["@search.captions"] for hit in answer["value"]}
    assert captions["1"] == [
        {
            "text": "The oak is old. Nobody climbs the oak.",
            "highlights": "The oak is old. <em>Nobody climbs the oak.</em>",
        }
    ]


@pytest.mark.parametrize("text", ["extractive|highlight-false", "extractive|highlight-False"])
async def test_captions_without_highlights(trees: Caller, text: str) -> None:
    answer = await trees.search(semantic(captions=text))
    assert {hit["@search.captions"][0]["highlights"] for hit in answer["value"]} == {None}


async def test_long_captions_are_cut() -> None:
    caller = Caller()
    filler = " ".join(f"Filler number {n} says nothing." for n in range(200))
    await caller.make(DEFINITION, [{"id": "1", "title": "T", "body": f"{filler} The secret oak is here. {filler}"}])
    answer = await caller.search(semantic("secret oak", captions="extractive"))
    caption = answer["value"][0]["@search.captions"][0]
    assert len(caption["text"].split()) <= 200
    assert "<em>The secret oak is here.</em>" in caption["highlights"]


async def test_answers_come_when_strong_enough(trees: Caller) -> None:
    answer = await trees.search(semantic("the oak is old nobody climbs the oak", answers="extractive|count-2,threshold-0.5"))
    first = answer["@search.answers"][0]
    assert (first["key"], first["text"]) == ("1", "The oak is old. Nobody climbs the oak.")
    assert 0.5 <= first["score"] <= 1
    assert (await trees.search(semantic("sand", answers="extractive|threshold-1")))["@search.answers"] == []


async def test_debug_tells_what_was_read(trees: Caller) -> None:
    answer = await trees.search(semantic("birds", debug="semantic"))
    info = answer["value"][0]["@search.documentDebugInfo"]
    assert info["semantic"]["titleField"] == {"name": "title", "state": "used"}
    assert info["semantic"]["rerankerInput"]["keywords"] == "tree\r\nbird"
    assert info["vectors"] is None


async def test_semantic_query_with_another_syntax(trees: Caller) -> None:
    body = {"search": "oak AND (old OR tall)", "queryType": "full", "semanticQuery": "old oak", "semanticConfiguration": "s"}
    assert all("@search.rerankerScore" in hit for hit in (await trees.search(body))["value"])


async def test_match_all_has_nothing_to_rank_by(trees: Caller) -> None:
    answer = await trees.search(semantic("*"))
    assert all("@search.rerankerScore" not in hit for hit in answer["value"])
    assert answer["@search.answers"] == []


async def test_hits_beyond_fifty_follow_unranked() -> None:
    caller = Caller()
    await caller.make(DEFINITION, [{"id": str(n), "title": "Oak", "body": f"oak {n}"} for n in range(60)])
    answer = await caller.search(semantic("oak", top=60))
    assert [("@search.rerankerScore" in hit) for hit in answer["value"]] == [True] * 50 + [False] * 10


@pytest.mark.parametrize("reason", ["maxWaitExceeded", "capacityOverloaded", "transient"])
async def test_partial_answer_is_206(trees: Caller, reason: str) -> None:
    base = await trees.search({"search": "old oak"})
    trees.service.faults.add(Fault(operation="search", partial=reason))
    status, answer = await trees.call("POST", "/indexes/inns/docs/search", semantic(captions="extractive"))
    assert status == 206
    assert answer["@search.semanticPartialResponseReason"] == reason
    assert answer["@search.semanticPartialResponseType"] == "baseResults"
    assert answer["value"] == base["value"]
    assert (await trees.call("POST", "/indexes/inns/docs/search", semantic()))[0] == 200


async def test_untolerated_failure_is_503(trees: Caller) -> None:
    trees.service.faults.add(Fault(operation="search", partial="transient"))
    status, code, _ = await trees.refusal(semantic(semanticErrorHandling="fail"))
    assert (status, code) == (503, "SemanticRankerUnavailable")


REFUSED: list[tuple[dict[str, Any], str]] = [
    (semantic(semanticConfiguration="t"), "Unknown semantic configuration 't'."),
    (semantic(semanticConfiguration=None), "The parameter 'semanticConfiguration' must not be empty"),
    (semantic(orderby="title"), "The 'orderby' parameter is not supported when ranking semantically."),
    (semantic(answers="abstractive"), "'abstractive' is not a value of 'answers'."),
    (semantic(answers="extractive|count-0"), "must be between 1 and 10"),
    (semantic(answers="extractive|threshold-2"), "must be between 0 and 1"),
    (semantic(answers="extractive|threshold-x"), "must be between 0 and 1"),
    (semantic(captions="extractive|colour-red"), "is not a value of 'captions'."),
]


@pytest.mark.parametrize(("body", "message"), REFUSED)
async def test_refused(trees: Caller, body: dict[str, Any], message: str) -> None:
    status, _, said = await trees.refusal(body)
    assert (status, message in said) == (400, True), said


async def test_semantic_ranking_needs_the_model() -> None:
    caller = Caller(SearchService(embedder=NoModel()))
    await caller.make(DEFINITION, DOCUMENTS)
    status, code, _ = await caller.refusal(semantic())
    assert (status, code) == (400, "LocalModelNotConfigured")
    assert await caller.keys({"search": "sand"}) == ["3"]
