"""Suggestions and completions."""

from __future__ import annotations

from typing import Any

import pytest

from .hotels import Caller


async def suggested(caller: Caller, **body: Any) -> list[dict[str, Any]]:
    status, answer = await caller.call("POST", "/indexes('inns')/docs/search.post.suggest", {"suggesterName": "sg", **body})
    assert status == 200, answer
    return list(answer["value"])


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ({"search": "riv"}, "41"),
        ({"search": "RIVER"}, "41"),
        ({"search": "hot"}, "24"),
        ({"search": "large hot"}, "2"),
        ({"search": "hotel lar"}, "2"),
        ({"search": "hot large"}, ""),
        ({"search": "rivr"}, ""),
        ({"search": "rivr", "fuzzy": True}, "41"),
        ({"search": "hot", "filter": "open"}, "4"),
        ({"search": "riv", "top": 1}, "4"),
        ({"search": "riv", "orderby": "id"}, "14"),
        ({"search": "riv", "searchFields": "name"}, "4"),
        ({"search": "学"}, "3"),
        ({"search": "..."}, ""),
    ],
)
async def test_suggested(inns: Caller, body: dict[str, Any], keys: str) -> None:
    found = [each["id"] for each in await suggested(inns, **body)]
    assert sorted(found) == sorted(keys)
    assert "orderby" not in body or found == list(keys)


async def test_first_matching_field_is_highlighted(inns: Caller) -> None:
    body = {"search": "quiet riv", "highlightPreTag": "<b>", "highlightPostTag": "</b>", "select": "name"}
    assert await suggested(inns, **body) == [
        {
            "@search.text": "A <b>quiet</b> inn by the <b>river</b>. Breakfast is served in the garden! Dogs are welcome.",
            "name": "The Bell's Inn",
        }
    ]
    assert await suggested(inns, search="bell") == [{"@search.text": "The Bell's Inn", "id": "1"}]


async def completed(caller: Caller, **body: Any) -> list[tuple[str, str]]:
    status, answer = await caller.call("POST", "/indexes('inns')/docs/autocomplete", {"suggesterName": "sg", **body})
    assert status == 200, answer
    return [(each["text"], each["queryPlusText"]) for each in answer["value"]]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"search": "ri"}, [("river", "river"), ("rivers", "rivers")]),
        ({"search": "a quiet in"}, [("in", "a quiet in"), ("inn", "a quiet inn")]),
        ({"search": "ga", "autocompleteMode": "twoTerms"}, [("garden bar", "garden bar"), ("garden dogs", "garden dogs")]),
        ({"search": "a quiet in", "autocompleteMode": "oneTermWithContext"}, [("quiet inn", "a quiet inn")]),
        ({"search": "in", "autocompleteMode": "oneTermWithContext"}, [("in", "in"), ("inn", "inn")]),
        ({"search": "rov", "fuzzy": True, "top": 1}, [("river", "river")]),
        ({"search": "gar", "filter": "id eq '2'"}, [("garden", "garden")]),
        ({"search": "zzz"}, []),
        ({"search": "s", "searchFields": "name"}, [("station", "station")]),
    ],
)
async def test_completed(inns: Caller, body: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert await completed(inns, **body) == expected


@pytest.mark.parametrize("operation", ["suggest", "autocomplete"])
async def test_get_works_too(inns: Caller, operation: str) -> None:
    path = f"/indexes('inns')/docs/search.{operation}?search=rivr&suggesterName=sg&fuzzy=true&$top=1&minimumCoverage=50"
    status, answer = await inns.call("GET", path)
    assert (status, len(answer["value"]), answer["@search.coverage"]) == (200, 1, 100.0)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("suggest", {"search": "x"}, "MissingRequiredParameter", "Cannot find fields enabled for suggestions."),
    ("autocomplete", {"search": "x", "suggesterName": ""}, "MissingRequiredParameter", "Cannot find fields enabled"),
    ("suggest", {"search": "x", "suggesterName": "other"}, "MissingRequiredParameter", "'other' does not exist"),
    (
        "suggest",
        {"search": "x", "suggesterName": "sg", "searchFields": "tags"},
        "InvalidRequestParameter",
        "'tags' is not enabled",
    ),
    ("suggest", {"search": " ", "suggesterName": "sg"}, "InvalidRequestParameter", "1 to 100 characters"),
    ("suggest", {"search": "x" * 101, "suggesterName": "sg"}, "InvalidRequestParameter", "1 to 100 characters"),
    ("suggest", {"search": "x", "suggesterName": "sg", "top": 101}, "InvalidRequestParameter", "between 1 and 100"),
    ("suggest", {"search": "x", "suggesterName": "sg", "top": "1"}, "", "Cannot convert the literal '1' of 'top'"),
    ("suggest", {"search": "x", "suggesterName": "sg", "fuzzy": 1}, "", "of 'fuzzy' to its type"),
    ("suggest", {"search": "x", "suggesterName": "sg", "skip": 1}, "", "The property 'skip' does not exist"),
    ("suggest", {"search": "x", "suggesterName": "sg", "orderby": "not a b"}, "", "Syntax error at position"),
    ("suggest", {"search": "x", "suggesterName": "sg", "filter": "open and"}, "", "Syntax error at position"),
    ("autocomplete", {"search": "x", "suggesterName": "sg", "autocompleteMode": "all"}, "InvalidRequestParameter", "one of"),
    ("autocomplete", {"search": "x", "suggesterName": "sg", "orderby": "id"}, "", "The property 'orderby' does not exist"),
]


@pytest.mark.parametrize(("operation", "body", "code", "message"), REFUSED)
async def test_refused(inns: Caller, operation: str, body: dict[str, Any], code: str, message: str) -> None:
    status, answer = await inns.call("POST", f"/indexes/inns/docs/{operation}", body)
    assert (status, answer["error"]["code"]) == (400, code)
    assert message in answer["error"]["message"]
