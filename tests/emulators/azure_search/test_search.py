"""The search call: pages, selection, counts, coverage, links and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from emulators.azure_search.http import Request

from .hotels import Caller

LIST = {
    "name": "list",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "n", "type": "Edm.Int32"},
    ],
}


@pytest.fixture
async def long(empty: Caller) -> Caller:
    """A service with an index of 1,120 documents."""
    documents = [{"id": str(n), "n": n} for n in range(1120)]
    await empty.make(LIST, documents[:1000])
    await empty.call("POST", "/indexes/list/docs/index", {"value": documents[1000:]})
    return empty


@pytest.mark.parametrize(
    ("body", "first", "length", "following"),
    [
        ({}, 0, 50, {"skip": 50, "top": None}),
        ({"skip": 50}, 50, 50, {"skip": 100, "top": None}),
        ({"skip": 1100}, 1100, 20, None),
        ({"skip": 1070}, 1070, 50, None),
        ({"top": 3}, 0, 3, None),
        ({"top": 0}, None, 0, None),
        ({"top": 1000}, 0, 1000, None),
        ({"top": 1100}, 0, 1000, {"skip": 1000, "top": 100}),
        ({"top": 10, "skip": 1115}, 1115, 5, None),
        ({"skip": 5000}, None, 0, None),
    ],
)
async def test_pages(
    long: Caller, body: dict[str, Any], first: int | None, length: int, following: dict[str, Any] | None
) -> None:
    answer = await long.search({"orderby": "n", **body}, index="list")
    assert len(answer["value"]) == length
    assert first is None or answer["value"][0]["n"] == first
    if following is None:
        assert "@search.nextPageParameters" not in answer
        assert "@odata.nextLink" not in answer
    else:
        assert answer["@search.nextPageParameters"] == {"orderby": "n", **following}
        address = "http://here/indexes('list')/docs/search.post.search?api-version=2025-11-01-preview"
        assert answer["@odata.nextLink"] == address


async def test_following_the_links_gives_every_document_once(long: Caller) -> None:
    body: dict[str, Any] | None = {"orderby": "n", "select": "n"}
    seen: list[int] = []
    while body is not None:
        answer = await long.search(body, index="list")
        seen += [hit["n"] for hit in answer["value"]]
        body = answer.get("@search.nextPageParameters")
    assert seen == list(range(1120))


async def test_the_links_of_a_get_are_gets(long: Caller) -> None:
    path: str | None = "/indexes('list')/docs?search=*&$orderby=n&$select=n&$top=1100"
    seen: list[int] = []
    while path is not None:
        status, answer = await long.call("GET", path)
        assert status == 200
        seen += [hit["n"] for hit in answer["value"]]
        path = answer.get("@odata.nextLink", "").removeprefix("http://here") or None
    assert seen == list(range(1100))


async def test_count_and_coverage_come_when_asked_for(inns: Caller) -> None:
    answer = await inns.search({"search": "river", "top": 1, "count": True, "minimumCoverage": 80})
    assert (answer["@odata.count"], answer["@search.coverage"], len(answer["value"])) == (2, 100.0, 1)
    assert set(await inns.search({"search": "river"})) == {"value"}


@pytest.mark.parametrize(
    ("select", "members"),
    [
        ("name,id", ["id", "name"]),
        ("address/city", ["address"]),
        ("address", ["address"]),
        ("rooms/kind, id", ["id", "rooms"]),
        ("*", ["id", "name", "about", "tags", "rating", "price", "open", "built", "at", "address", "rooms"]),
    ],
)
async def test_select_keeps_the_order_of_the_index(inns: Caller, select: str, members: list[str]) -> None:
    hit = (await inns.search({"search": "bell", "select": select}))["value"]
    hit = hit or (await inns.search({"filter": "id eq '1'", "select": select}))["value"]
    assert [name for name in hit[0] if not name.startswith("@")] == members


async def test_select_reaches_into_collections(inns: Caller) -> None:
    answer = await inns.search({"filter": "id eq '1'", "select": "rooms/kind"})
    assert answer["value"][0]["rooms"] == [{"kind": "double"}, {"kind": "single"}]


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"select": "stars"}, "", "Could not find a property named 'stars' on type 'search.document'."),
    ({"select": "secret"}, "", "The field 'secret' is not retrievable."),
    ({"orderby": "stars"}, "", "Could not find a property named 'stars'"),
    ({"orderby": "tags"}, "", "'tags' is not a sortable field."),
    ({"orderby": "rooms/rate"}, "", "'rooms/rate' is not a sortable field."),
    ({"orderby": "name up"}, "", "Syntax error at position 7"),
    ({"orderby": "name,"}, "", "Syntax error at position 5"),
    ({"orderby": "at"}, "", "cannot be sorted so"),
    ({"facets": ["stars"]}, "", "Could not find a property named 'stars'"),
    ({"facets": ["rating,count:0"]}, "", "The value '0' of the parameter 'count'"),
    ({"facets": ["rating,limit:3"]}, "", "'limit:3' is no parameter of a facet."),
    ({"facets": ["name,interval:5"]}, "", "parameter 'interval'"),
    ({"facets": ["rating,values:5|3"]}, "", "parameter 'values'"),
    ({"facets": ["rating,values:1|2,count:3"]}, "", "cannot be combined"),
    ({"facets": ["name,metric:sum"]}, "", "parameter 'metric'"),
    ({"highlight": "rating"}, "InvalidRequestParameter", "is not a searchable field"),
    ({"searchFields": "rating"}, "InvalidRequestParameter", "in the search field list is not searchable"),
    ({"searchFields": "stars"}, "InvalidRequestParameter", "in the search field list is not searchable"),
    ({"top": -1}, "InvalidRequestParameter", "Value must be between 0"),
    ({"skip": 100001}, "InvalidRequestParameter", "Value must be between 0 and 100000."),
    ({"minimumCoverage": 101}, "InvalidRequestParameter", "Value must be between 0 and 100."),
    ({"queryType": "fancy"}, "InvalidRequestParameter", "it must be one of: simple, full, semantic."),
    ({"searchMode": "some"}, "InvalidRequestParameter", "it must be one of: any, all."),
    ({"speller": "lexicon"}, "InvalidRequestParameter", "it must be one of: none."),
    ({"serach": "x"}, "", "The property 'serach' does not exist on type 'search.searchrequest'"),
    ({"search": 5}, "", "Cannot convert the literal '5' to the expected type 'Edm.String'."),
    ({"top": "5"}, "", "expected type 'Edm.Int32'"),
    ({"count": 1}, "", "expected type 'Edm.Boolean'"),
    ({"facets": "rating"}, "", "expected type 'Collection(Edm.String)'"),
    ({"scoringProfile": "none"}, "InvalidRequestParameter", "The scoring profile 'none' does not exist"),
    ({"semanticMaxWaitInMilliseconds": 10}, "InvalidRequestParameter", "needs to be larger than 750"),
]


@pytest.mark.parametrize(("body", "code", "message"), REFUSED)
async def test_refused(inns: Caller, body: dict[str, Any], code: str, message: str) -> None:
    status, given, said = await inns.refusal({"search": "*", **body})
    assert (status, given) == (400, code)
    assert message in said


async def test_a_missing_index_is_404(empty: Caller) -> None:
    status, code, message = await empty.refusal({"search": "x"}, index="gone")
    assert (status, code) == (404, "")
    assert message == "No index with the name 'gone' was found in the service 'here'."


@pytest.mark.parametrize(
    "query",
    [
        "search=river&$filter=open&$select=id&$orderby=rating%20desc&$top=1&$count=true&facet=rating&facet=open",
        "search=river&filter=open&select=id&orderby=rating%20desc&top=1&count=true",
    ],
)
async def test_get_searches_as_post_does(inns: Caller, query: str) -> None:
    status, answer = await inns.call("GET", f"/indexes('inns')/docs?{query}")
    assert status == 200, answer
    assert (answer["@odata.count"], [hit["id"] for hit in answer["value"]]) == (2, ["1"])


@pytest.mark.parametrize(
    ("query", "message"), [("$top=many", "$top"), ("$count=maybe", "$count"), ("strange=1", "'strange'")]
)
async def test_get_refuses_values_of_another_type(inns: Caller, query: str, message: str) -> None:
    status, answer = await inns.call("GET", f"/indexes/inns/docs?search=x&{query}")
    assert status == 400
    assert message in answer["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"x"'])
async def test_body_must_be_an_object(inns: Caller, body: bytes) -> None:
    request = Request(method="POST", path="/indexes/inns/docs/search", query={"api-version": "2024-07-01"})
    reply = await inns.service.handle(replace(request, body=body))
    assert reply.status == 400


@pytest.mark.parametrize(
    ("accept", "context"),
    [("application/json;odata.metadata=none", False), ("application/json;odata.metadata=minimal", True), ("*/*", True)],
)
async def test_context_comes_unless_none_is_accepted(inns: Caller, accept: str, context: bool) -> None:
    answer = await inns.search({"search": "river"}, headers={"accept": accept})
    assert ("@odata.context" in answer) is context
    assert not context or answer["@odata.context"] == "http://here/indexes('inns')/$metadata#docs(*)"
