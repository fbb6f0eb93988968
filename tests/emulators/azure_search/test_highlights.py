"""Highlights: passages with the words that matched."""

from __future__ import annotations

from typing import Any

import pytest

from .hotels import Caller

CASES: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
    ({"search": "inn", "highlight": "about"}, {"about": ["A quiet <em>inn</em> by the river."]}),
    (
        {"search": "river garden", "highlight": "about,tags"},
        {
            "about": ["A quiet inn by the <em>river</em>.", "Breakfast is served in the <em>garden</em>!"],
            "tags": ["<em>river</em>", "<em>garden</em>"],
        },
    ),
    ({"search": "river garden", "highlight": "tags-1"}, {"tags": ["<em>river</em>"]}),
    (
        {"search": "dog", "highlight": "about", "highlightPreTag": "[", "highlightPostTag": "]"},
        {"about": ["[Dogs] are welcome."]},
    ),
    ({"search": "riv*", "highlight": "tags"}, {"tags": ["<em>river</em>"]}),
    ({"search": "rivr~", "queryType": "full", "highlight": "tags"}, {"tags": ["<em>river</em>"]}),
    ({"search": "bell's", "highlight": "name"}, {"name": ["The <em>Bell's</em> Inn"]}),
    ({"search": "inn -hotel", "searchMode": "all", "highlight": "name"}, {"name": ["The Bell's <em>Inn</em>"]}),
]


@pytest.mark.parametrize(("body", "expected"), CASES)
async def test_passages(inns: Caller, body: dict[str, Any], expected: dict[str, list[str]]) -> None:
    answer = await inns.search({**body, "filter": "id eq '1'"})
    assert answer["value"][0]["@search.highlights"] == expected


async def test_a_field_without_match_is_left_out(inns: Caller) -> None:
    answer = await inns.search({"search": "breakfast", "highlight": "about,tags"})
    assert list(answer["value"][0]["@search.highlights"]) == ["about"]
    answer = await inns.search({"search": "breakfast", "highlight": "tags"})
    assert "@search.highlights" not in answer["value"][0]


async def test_fields_searched_alone_are_marked_alone(inns: Caller) -> None:
    answer = await inns.search({"search": "river", "searchFields": "tags", "highlight": "about,tags", "filter": "id eq '1'"})
    assert answer["value"][0]["@search.highlights"] == {"tags": ["<em>river</em>"]}
