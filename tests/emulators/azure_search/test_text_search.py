"""Query texts on documents: matches of every syntax, and how they score."""

from __future__ import annotations

from typing import Any

import pytest

from emulators.azure_search.text.text_search import edit_distance

from .hotels import Caller

FOUND: list[tuple[dict[str, Any], str]] = [
    ({"search": "*"}, "1234"),
    ({"search": ""}, "1234"),
    ({}, "1234"),
    ({"search": "river"}, "14"),
    ({"search": "RIVER"}, "14"),
    ({"search": "rivers"}, "14"),
    ({"search": "garden hotel"}, "124"),
    ({"search": "garden hotel", "searchMode": "all"}, "2"),
    ({"search": "garden + hotel"}, "2"),
    ({"search": "hotel -garden", "searchMode": "all"}, "4"),
    ({"search": "hotel -garden"}, "234"),
    ({"search": '"garden bar"'}, "2"),
    ({"search": '"bar garden"'}, ""),
    ({"search": '"next station"'}, ""),
    ({"search": "stat*"}, "2"),
    ({"search": "校"}, "3"),
    ({"search": "学校"}, "3"),
    ({"search": "宿"}, "3"),
    ({"search": "the"}, "1"),
    ({"search": "by the", "searchFields": "about"}, ""),
    ({"search": "the river", "searchMode": "all", "searchFields": "about"}, "14"),
    ({"search": "river", "searchFields": "name"}, "4"),
    ({"search": "river", "searchFields": "name, tags"}, "14"),
    ({"search": "London"}, "24"),
    ({"search": "double"}, "12"),
    ({"search": "Bell's"}, "1"),
    ({"search": "unheardof"}, ""),
    ({"search": "hotel AND garden", "queryType": "full"}, "2"),
    ({"search": "hotel NOT garden", "queryType": "full"}, "4"),
    ({"search": "name:river", "queryType": "full"}, "4"),
    ({"search": "address/city:london AND tags:bar", "queryType": "full"}, "2"),
    ({"search": "rivr~1", "queryType": "full"}, "14"),
    ({"search": "rievr~1", "queryType": "full"}, "14"),
    ({"search": "rvr~1", "queryType": "full"}, ""),
    ({"search": "rvr~2", "queryType": "full"}, "124"),
    ({"search": '"inn river"~3', "queryType": "full"}, "1"),
    ({"search": '"inn river"~1', "queryType": "full"}, ""),
    ({"search": "r?ver", "queryType": "full"}, "14"),
    ({"search": "g*den", "queryType": "full"}, "12"),
    ({"search": "/[bg]a.*/", "queryType": "full"}, "12"),
    ({"search": "tags:/ri.+r/", "queryType": "full"}, "14"),
    ({"search": "NOT garden", "queryType": "full"}, ""),
    ({"search": "+river -garden", "queryType": "full"}, "4"),
    ({"search": "Station^3 OR river", "queryType": "full"}, "124"),
]


@pytest.mark.parametrize(("body", "expected"), FOUND)
async def test_found(inns: Caller, body: dict[str, Any], expected: str) -> None:
    assert sorted(await inns.keys(body)) == list(expected)


@pytest.mark.parametrize(
    ("text", "column"),
    [("stars:5", 1), ("river rating:5", 7), ("/a(/", 4), ("/a#b/", 5)],
)
async def test_full_syntax_refuses_what_it_cannot_search(inns: Caller, text: str, column: int) -> None:
    status, code, message = await inns.refusal({"search": text, "queryType": "full"})
    assert (status, code) == (400, "InvalidRequestParameter")
    assert f"column {column}." in message


async def test_multi_term_queries_score_one_per_field(inns: Caller) -> None:
    for text in ("name:/riv.*/", "name:riv*", "name:r?ver"):
        answer = await inns.search({"search": text, "queryType": "full"})
        assert [hit["@search.score"] for hit in answer["value"]] == [1.0]


async def test_a_boost_multiplies(inns: Caller) -> None:
    plain = await inns.search({"search": "name:river", "queryType": "full"})
    boosted = await inns.search({"search": "name:river^2", "queryType": "full"})
    assert boosted["value"][0]["@search.score"] == pytest.approx(2 * plain["value"][0]["@search.score"], rel=1e-6)


async def test_exact_words_score_above_fuzzy_ones(empty: Caller) -> None:
    fields = [{"name": "id", "type": "Edm.String", "key": True}, {"name": "text", "type": "Edm.String"}]
    await empty.make({"name": "inns", "fields": fields}, [{"id": "1", "text": "cart"}, {"id": "2", "text": "card"}])
    assert await empty.keys({"search": "card~1", "queryType": "full"}) == ["2", "1"]


async def test_deleted_documents_leave_the_statistics(inns: Caller) -> None:
    fresh = Caller()
    definition, documents = (await inns.call("GET", "/indexes/inns"))[1], (await inns.search({"search": "*"}))["value"]
    kept = [{k: v for k, v in each.items() if not k.startswith("@")} for each in documents if each["id"] != "2"]
    await fresh.make({k: v for k, v in definition.items() if not k.startswith("@") and v}, kept)
    await inns.call("POST", "/indexes/inns/docs/index", {"value": [{"@search.action": "delete", "id": "2"}]})
    body = {"search": "river garden hotel", "select": "id"}
    assert (await inns.search(body))["value"] == (await fresh.search(body))["value"]


@pytest.mark.parametrize(
    ("left", "right", "changes"), [("", "", 0), ("a", "", 1), ("card", "cart", 1), ("rievr", "river", 1), ("abc", "ca", 3)]
)
def test_edit_distance(left: str, right: str, changes: int) -> None:
    assert edit_distance(left, right) == changes
