"""Vector and hybrid searches: neighbours, filters before and after, fusion, the vectorizer and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulators.azure_search.analysis.embedding import HashedWords, MiniLm, NoModel, unit
from emulators.azure_search.search.fusion import fuse
from emulators.azure_search.search.vectors import Ranked
from emulators.azure_search.service import SearchService

from .hotels import Caller


def definition(metric: str = "cosine", **field: Any) -> dict[str, Any]:
    return {
        "name": "vec",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
            {"name": "text", "type": "Edm.String"},
            {"name": "kind", "type": "Edm.String", "searchable": False},
            {"name": "v", "type": "Collection(Edm.Single)", "dimensions": 3, "vectorSearchProfile": "plain", **field},
            {"name": "w", "type": "Collection(Edm.Single)", "dimensions": 64, "vectorSearchProfile": "words"},
        ],
        "vectorSearch": {
            "algorithms": [{"name": "near", "kind": "hnsw", "hnswParameters": {"metric": metric}}],
            "profiles": [
                {"name": "plain", "algorithm": "near"},
                {"name": "words", "algorithm": "near", "vectorizer": "local"},
            ],
            "vectorizers": [{"name": "local", "kind": "azureOpenAI", "azureOpenAIParameters": {}}],
        },
    }


DOCUMENTS: list[dict[str, Any]] = [
    {"id": "1", "text": "red apple", "kind": "fruit", "v": [1, 0, 0]},
    {"id": "2", "text": "green apple", "kind": "fruit", "v": [0.8, 0.6, 0]},
    {"id": "3", "text": "red car", "kind": "thing", "v": [0, 1, 0]},
    {"id": "4", "text": "no vector", "kind": "thing", "v": None},
]


@pytest.fixture
async def vectors() -> Caller:
    """An index of four documents, three with a vector."""
    caller = Caller()
    words = HashedWords().embed([each["text"] for each in DOCUMENTS])
    await caller.make(definition(), [{**each, "w": row.tolist()} for each, row in zip(DOCUMENTS, words, strict=True)])
    return caller


def query(**more: Any) -> dict[str, Any]:
    return {"kind": "vector", "fields": "v", "vector": [1, 0, 0], "k": 3, **more}


async def keys(caller: Caller, *queries: dict[str, Any], **body: Any) -> list[str]:
    return await caller.keys({"vectorQueries": list(queries), **body}, index="vec")


async def test_the_nearest_come_first(vectors: Caller) -> None:
    assert await keys(vectors, query()) == ["1", "2", "3"]
    assert await keys(vectors, query(k=2)) == ["1", "2"]
    assert await keys(vectors, query(), search="*") == ["1", "2", "3"]
    assert await keys(vectors, query(exhaustive=True)) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("metric", "scores"),
    [
        ("cosine", [1.0, 1 / 1.2, 0.5]),
        ("euclidean", [1.0, 1 / (1 + 0.4**0.5), 1 / (1 + 2**0.5)]),
        ("dotProduct", [1.0, 0.8, 0.0]),
    ],
)
async def test_scores_by_metric(metric: str, scores: list[float]) -> None:
    caller = Caller()
    await caller.make(definition(metric), DOCUMENTS)
    answer = await caller.search({"vectorQueries": [query()]}, index="vec")
    assert [hit["@search.score"] for hit in answer["value"]] == pytest.approx(scores, rel=1e-6)


async def test_filters_before_and_after(vectors: Caller) -> None:
    only = {"filter": "kind eq 'thing'"}
    assert await keys(vectors, query(k=1), **only) == ["3"]
    assert await keys(vectors, query(k=1), vectorFilterMode="postFilter", **only) == []
    assert await keys(vectors, query(k=3), vectorFilterMode="postFilter", **only) == ["3"]


async def test_two_lists_are_fused(vectors: Caller) -> None:
    answer = await vectors.search({"vectorQueries": [query(), query(k=1)]}, index="vec")
    scores = {hit["id"]: hit["@search.score"] for hit in answer["value"]}
    assert scores["1"] == float(np.float32(2 / 60))
    assert scores["2"] == float(np.float32(1 / 61))


async def test_text_and_vector_are_fused(vectors: Caller) -> None:
    answer = await vectors.search({"search": "car", "vectorQueries": [query(k=2)], "count": True}, index="vec")
    scores = {hit["id"]: hit["@search.score"] for hit in answer["value"]}
    assert scores == {"1": float(np.float32(1 / 60)), "3": float(np.float32(1 / 60)), "2": float(np.float32(1 / 61))}
    assert answer["value"][-1]["id"] == "2"
    assert answer["@odata.count"] == 3


@pytest.mark.parametrize(
    ("options", "count", "keys"),
    [
        ({}, 3, {"1", "2", "3"}),
        ({"maxTextRecallSize": 1}, 3, {"2", "3"}),
        ({"maxTextRecallSize": 1, "countAndFacetMode": "countRetrievableResults"}, 2, {"2", "3"}),
    ],
)
async def test_hybrid_search_options(vectors: Caller, options: dict[str, Any], count: int, keys: set[str]) -> None:
    near = query(k=1, vector=[0.8, 0.6, 0])
    body = {"search": "red car", "vectorQueries": [near], "count": True, "facets": ["kind"], "hybridSearch": options}
    answer = await vectors.search(body, index="vec")
    assert answer["@odata.count"] == count
    assert sum(each["count"] for each in answer["@search.facets"]["kind"]) == count
    assert {hit["id"] for hit in answer["value"]} == keys


async def test_weights_count(vectors: Caller) -> None:
    assert (await keys(vectors, query(k=1, weight=0.5), search="car"))[0] == "3"
    assert (await keys(vectors, query(k=1, weight=2), search="car"))[0] == "1"


async def test_a_threshold_cuts(vectors: Caller) -> None:
    assert await keys(vectors, query(threshold={"kind": "vectorSimilarity", "value": 0.8})) == ["1", "2"]


async def test_several_fields_are_several_lists(vectors: Caller) -> None:
    status, _, message = await vectors.refusal({"vectorQueries": [query(fields="v,w")]}, index="vec")
    assert (status, "mismatch in vector dimensions" in message) == (400, True)


async def test_the_vectorizer_embeds_the_text(vectors: Caller) -> None:
    assert (await keys(vectors, {"kind": "text", "text": "red car", "fields": "w", "k": 2}))[0] == "3"


async def test_a_written_vector_replaces_the_old(vectors: Caller) -> None:
    change = {"@search.action": "merge", "id": "3", "v": [1, 0, 0.01]}
    await vectors.call("POST", "/indexes/vec/docs/index", {"value": [change]})
    assert await keys(vectors, query(k=2)) == ["1", "3"]


REFUSED: list[tuple[dict[str, Any], str]] = [
    (query(vector=[1, 0]), "There's a mismatch in vector dimensions."),
    (query(vector="x"), "'vector' must be a list of numbers"),
    (query(vector=[1e30, 0, 0]), "none beyond 1e+15"),
    (query(fields="text"), "The field 'text' is not a vector field"),
    (query(fields="gone"), "Unknown field 'gone' in vector field list."),
    (query(fields=""), "A vector query must name its fields."),
    (query(kind="imageUrl"), "The vector query kind 'imageUrl' is not supported"),
    (query(colour=1), "The property 'colour' does not exist"),
    (query(k=0), "'k' must be between 1 and 10000."),
    (query(k="3"), "'k' must be a number."),
    (query(weight=0), "'weight' must be above 0."),
    (query(threshold={"kind": "other", "value": 1}), "A threshold needs a kind"),
    ({"kind": "text", "text": "x", "fields": "v"}, "The field 'v' does not have a vectorizer defined"),
    ({"kind": "text", "text": " ", "fields": "w"}, "needs a 'text'"),
]


@pytest.mark.parametrize(("raw", "message"), REFUSED)
async def test_refused(vectors: Caller, raw: dict[str, Any], message: str) -> None:
    status, _, said = await vectors.refusal({"search": "red", "vectorQueries": [raw]}, index="vec")
    assert status == 400
    assert message in said


async def test_vector_of_another_size_is_refused(vectors: Caller) -> None:
    status, answer = await vectors.call("POST", "/indexes/vec/docs/index", {"value": [{"id": "9", "v": [1, 2]}]})
    assert (status, "mismatch in vector dimensions" in answer["error"]["message"]) == (400, True)


async def test_text_vector_needs_the_model() -> None:
    caller = Caller(SearchService(embedder=NoModel()))
    await caller.make(definition(), [])
    raw = {"kind": "text", "text": "red", "fields": "w"}
    status, code, message = await caller.refusal({"search": "red", "vectorQueries": [raw]}, index="vec")
    assert (status, code) == (400, "LocalModelNotConfigured")
    assert "requirements-local.txt" in message


async def test_model_of_another_size() -> None:
    caller = Caller(SearchService(embedder=HashedWords(8)))
    await caller.make(definition(), [])
    status, _, message = await caller.refusal({"vectorQueries": [{"kind": "text", "text": "x", "fields": "w"}]}, index="vec")
    assert (status, "gives 8 dimensions, the field has 64" in message) == (400, True)


def test_packaged_model_knows_synonyms() -> None:
    texts = ["child protection issues", "safeguarding concerns", "a new roof for the sports hall"]
    query_vector, near, far = MiniLm().embed(texts)
    assert float(query_vector @ near) > float(query_vector @ far) + 0.2


def test_packaged_model_ignores_the_batch() -> None:
    model = MiniLm()
    alone, among = model.embed(["river"])[0], model.embed(["river", "a much longer text about a station hotel"])[0]
    assert np.allclose(alone, among, atol=0.02)


def test_cached_vectors_keep_their_places() -> None:
    model = MiniLm()
    first = model.embed(["river", "hotel", "river"])
    again = model.embed(["hotel", "garden", "river"])
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[1], again[0])
    assert np.array_equal(first[0], again[2])
    assert model.embed([]).shape == (0, 384)


@given(st.lists(st.lists(st.floats(-10, 10), min_size=3, max_size=3), min_size=1, max_size=5))
def test_unit_rows_have_length_one_or_nothing(rows: list[list[float]]) -> None:
    sizes = np.linalg.norm(unit(np.array(rows)), axis=1)
    assert all(size == pytest.approx(1, abs=1e-5) or size == 0 for size in sizes)


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_fusion_is_the_sum_over_lists(left: list[int], right: list[int]) -> None:
    lists = [Ranked(np.array(each), np.zeros(6)) for each in (left, right)]
    expected = [1 / (60 + left.index(at)) + 1 / (60 + right.index(at)) for at in range(6)]
    assert fuse(lists, 6) == pytest.approx(expected)
