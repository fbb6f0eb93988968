"""Every request is answered: no definition, batch, query or retrieve call makes the service raise."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .hotels import DEFINITION, DOCUMENTS, Caller
from .test_knowledge import AGENT, BASE, SOURCE
from .test_semantic import DEFINITION as SEMANTIC
from .test_vectors import definition as vector_definition

ODD: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["id", "rating", "*", "extractive", "semantic", "2020-01-01T00:00:00Z", "a eq 1"]),
    st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers()), max_size=2),
    st.dictionaries(st.sampled_from(["name", "type", "fields", "kind", "x"]), st.integers(), max_size=2),
)
SEARCH: dict[str, Any] = {
    "search": "river",
    "filter": "rating eq 3 and rooms/any(r: r/rate gt 5)",
    "select": "id,rooms/kind",
    "top": 3,
    "skip": 0,
    "count": True,
    "facets": ["rating,count:2", "built,interval:year"],
    "highlight": "about-2",
    "highlightPreTag": "<b>",
    "minimumCoverage": 50,
    "queryType": "semantic",
    "searchMode": "all",
    "searchFields": "about,name",
    "scoringParameters": ["a-b"],
    "semanticConfiguration": "s",
    "captions": "extractive",
    "answers": "extractive|count-2",
    "hybridSearch": {"maxTextRecallSize": 5},
    "debug": "semantic",
}
RETRIEVE: dict[str, Any] = {
    "intents": [{"type": "semantic", "search": "x"}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
    "knowledgeSourceParams": [{"knowledgeSourceName": "source", "filterAddOn": "id eq '1'", "rerankerThreshold": 1}],
    "targetIndexParams": [{"indexName": "inns", "filterAddOn": "id eq '1'", "maxDocsForReranker": 3}],
}
BODIES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/indexes", {**DEFINITION, "name": "made"}),
    ("PUT", "/indexes('inns')", DEFINITION),
    ("POST", "/indexes", {**SEMANTIC, "name": "made", "scoringProfiles": [{"name": "p", "functions": []}]}),
    ("POST", "/indexes", {**vector_definition(), "name": "made"}),
    ("POST", "/indexes('inns')/docs/index", {"value": copy.deepcopy(DOCUMENTS)}),
    ("POST", "/indexes('inns')/docs/search", SEARCH),
    (
        "POST",
        "/indexes('inns')/docs/search",
        {"orderby": "rating desc, geo.distance(at, geography'POINT(0 0)')", "queryType": "full", "search": "ri*"},
    ),
    (
        "POST",
        "/indexes('inns')/docs/suggest",
        {"search": "ri", "suggesterName": "sg", "filter": "open", "orderby": "id", "top": 2},
    ),
    ("POST", "/indexes('inns')/docs/autocomplete", {"search": "ri", "suggesterName": "sg", "autocompleteMode": "twoTerms"}),
    (
        "POST",
        "/indexes('vec')/docs/search",
        {
            "search": "x",
            "vectorQueries": [
                {"kind": "text", "text": "x", "fields": "w", "k": 2, "weight": 1.0},
                {"kind": "vector", "vector": [1, 0, 0], "fields": "v", "threshold": {"kind": "searchScore", "value": 1}},
            ],
            "vectorFilterMode": "postFilter",
            "hybridSearch": {"maxTextRecallSize": 5},
        },
    ),
    ("POST", "/knowledgesources", {**SOURCE, "name": "made"}),
    ("POST", "/knowledgebases", {**BASE, "name": "made"}),
    ("POST", "/agents", {**AGENT, "name": "made"}),
    ("POST", "/knowledgebases('base')/retrieve", {name: RETRIEVE[name] for name in ("intents", "knowledgeSourceParams")}),
    ("POST", "/agents('agent')/retrieve", {name: RETRIEVE[name] for name in ("messages", "targetIndexParams")}),
    ("POST", "/local/faults", {"operation": "count", "times": 1, "delay": 0, "status": 500, "headers": {}}),
    ("PUT", "/local/callers", {"token": "t", "user": "u", "groups": ["g"]}),
]


@pytest.fixture
async def library() -> Caller:
    """The inns with semantic ranking, and a source, a base and an agent over them."""
    caller = Caller()
    fields = {"prioritizedContentFields": [{"fieldName": "about"}]}
    semantic = {"configurations": [{"name": "s", "prioritizedFields": fields}]}
    await caller.make({**DEFINITION, "semantic": semantic}, DOCUMENTS)
    for path, raw in (("knowledgesources", SOURCE), ("knowledgebases", BASE), ("agents", AGENT)):
        assert (await caller.call("POST", f"/{path}", raw))[0] == 201
    await caller.make(vector_definition(), [{"id": "1", "text": "x", "v": [1, 0, 0]}])
    return caller


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every part of a body."""
    found = [path]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += places(inner, (*path, name))
    if isinstance(value, list):
        for at, inner in enumerate(value):
            found += places(inner, (*path, at))
    return found


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """A body with one part replaced."""
    if not path:
        return odd
    made = copy.deepcopy(value)
    inner = made
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = odd
    return made


@pytest.mark.parametrize(("method", "path", "body"), BODIES, ids=[f"{each[1]}-{at}" for at, each in enumerate(BODIES)])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_one_odd_part_is_answered(
    library: Caller, method: str, path: str, body: dict[str, Any], data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from(places(body)))
    odd = changed(body, chosen, data.draw(ODD))
    status, answer = await library.call(method, path, odd)
    assert 200 <= status < 500
    if status >= 400 and status != 404:
        assert answer["error"]["message"], json.dumps(odd)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    member=st.sampled_from(["filter", "orderby", "select", "highlight", "searchFields", "search", "facets"]),
    text=st.text(alphabet="abid eqgtandornot()'*/,-:.|+\"~^[]{}\\0123456789 rating rooms", max_size=40),
    full=st.booleans(),
)
async def test_any_text_is_answered(library: Caller, member: str, text: str, full: bool) -> None:
    body = {member: [text] if member == "facets" else text, "queryType": "full" if full else "simple"}
    status, _ = await library.call("POST", "/indexes('inns')/docs/search", body)
    assert status in (200, 400)
