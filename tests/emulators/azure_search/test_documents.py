"""Writing and looking up documents."""

from __future__ import annotations

from typing import Any

import pytest

from .hotels import Caller, point

ADDRESS = "/indexes('inns')/docs/search.index"


def done(key: str, code: int) -> dict[str, Any]:
    return {"key": key, "status": True, "errorMessage": None, "statusCode": code}


MISSING = {"key": "9", "status": False, "errorMessage": "Document not found.", "statusCode": 404}


@pytest.mark.parametrize(
    ("action", "key", "status", "outcome"),
    [
        ("upload", "9", 200, done("9", 201)),
        ("upload", "1", 200, done("1", 200)),
        ("merge", "1", 200, done("1", 200)),
        ("merge", "9", 207, MISSING),
        ("mergeOrUpload", "9", 200, done("9", 201)),
        ("mergeOrUpload", "1", 200, done("1", 200)),
        ("delete", "1", 200, done("1", 200)),
        ("delete", "9", 200, done("9", 200)),
    ],
)
async def test_outcomes(inns: Caller, action: str, key: str, status: int, outcome: dict[str, Any]) -> None:
    answer = await inns.call("POST", ADDRESS, {"value": [{"@search.action": action, "id": key}]})
    assert answer == (status, {"value": [outcome]})


async def test_one_failure_leaves_the_others_done(inns: Caller) -> None:
    actions = [{"@search.action": "merge", "id": "9"}, {"id": "8", "name": "New"}]
    assert await inns.call("POST", ADDRESS, {"value": actions}) == (207, {"value": [MISSING, done("8", 201)]})
    assert await inns.keys({"search": "new"}) == ["8"]


async def test_a_new_document_has_every_field(inns: Caller) -> None:
    await inns.call("POST", ADDRESS, {"value": [{"id": "9", "rating": 4.0}]})
    status, document = await inns.call("GET", "/indexes('inns')/docs('9')")
    assert status == 200
    assert document == {
        "id": "9",
        "name": None,
        "about": None,
        "tags": [],
        "rating": 4,
        "price": None,
        "open": None,
        "built": None,
        "at": None,
        "address": None,
        "rooms": [],
    }


async def test_merge_changes_what_it_names(inns: Caller) -> None:
    change = {"@search.action": "merge", "id": "1", "rating": 2, "tags": ["new"], "address": {"city": "Bath"}, "price": None}
    await inns.call("POST", ADDRESS, {"value": [change]})
    _, document = await inns.call("GET", "/indexes/inns/docs/1?$select=id,name,rating,tags,address,price")
    assert document == {
        "id": "1",
        "name": "The Bell's Inn",
        "tags": ["new"],
        "rating": 2,
        "price": None,
        "address": {"city": "Bath"},
    }
    assert await inns.keys({"search": "river", "searchFields": "tags"}) == ["4"]


async def test_upload_replaces_whole(inns: Caller) -> None:
    await inns.call("POST", ADDRESS, {"value": [{"@search.action": "upload", "id": "1", "name": "Plain"}]})
    assert await inns.keys({"search": "quiet"}) == []
    assert (await inns.call("GET", "/indexes/inns/docs/$count"))[1] == 4


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ({"built": "2020-01-01T10:00:00+02:00"}, {"built": "2020-01-01T08:00:00Z"}),
        ({"built": "2020-01-01T10:00:00.1234Z"}, {"built": "2020-01-01T10:00:00.123Z"}),
        ({"built": "0099-01-01T00:00:00Z"}, {"built": "0099-01-01T00:00:00Z"}),
        ({"price": 3}, {"price": 3.0}),
        ({"rating": 3.0}, {"rating": 3}),
        (
            {"at": point(1, 2)},
            {
                "at": {
                    "type": "Point",
                    "coordinates": [1.0, 2.0],
                    "crs": {"type": "name", "properties": {"name": "EPSG:4326"}},
                }
            },
        ),
        ({"tags": None}, {"tags": []}),
    ],
)
async def test_stored_forms(inns: Caller, written: dict[str, Any], stored: dict[str, Any]) -> None:
    status, answer = await inns.call("POST", ADDRESS, {"value": [{"id": "9", **written}]})
    assert status == 200, answer
    name = next(iter(stored))
    assert (await inns.call("GET", f"/indexes/inns/docs/9?$select={name}"))[1] == stored


REFUSED: list[tuple[Any, str, str]] = [
    ({"value": []}, "", "No indexing actions found"),
    ({}, "", "No indexing actions found"),
    ({"value": ["x"]}, "", "0: An action must be an object."),
    ({"value": [{"name": "x"}]}, "OperationNotAllowed", "0: Document key cannot be missing or empty."),
    ({"value": [{"id": ""}]}, "OperationNotAllowed", "0: Document key cannot be missing or empty."),
    ({"value": [{"id": 5}]}, "", "expected type 'Edm.String'"),
    ({"value": [{"id": "a/b"}]}, "InvalidName", "Invalid document key: 'a/b'."),
    ({"value": [{"id": "9"}, {"id": "8", "stars": 3}]}, "", "1: The property 'stars' does not exist on type"),
    (
        {"value": [{"id": "9", "address": {"town": "x"}}]},
        "",
        "The property 'town' does not exist on type 'search.complex.address'",
    ),
    ({"value": [{"id": "9", "@search.action": "replace"}]}, "", "The action 'replace' is not known."),
    ({"value": [{"id": "9", "rating": "3"}]}, "", "Cannot convert the literal '3' to the expected type 'Edm.Int32'."),
    ({"value": [{"id": "9", "rating": 3.5}]}, "", "expected type 'Edm.Int32'"),
    ({"value": [{"id": "9", "rating": 2**31}]}, "", "expected type 'Edm.Int32'"),
    ({"value": [{"id": "9", "rating": True}]}, "", "expected type 'Edm.Int32'"),
    ({"value": [{"id": "9", "price": "cheap"}]}, "", "expected type 'Edm.Double'"),
    ({"value": [{"id": "9", "open": "yes"}]}, "", "expected type 'Edm.Boolean'"),
    ({"value": [{"id": "9", "name": ["x"]}]}, "", "expected type 'Edm.String'"),
    ({"value": [{"id": "9", "tags": "x"}]}, "", "expected type 'Collection(Edm.String)'"),
    ({"value": [{"id": "9", "tags": [None]}]}, "", "expected type 'Edm.String'"),
    ({"value": [{"id": "9", "built": "2020-01-01"}]}, "", "expected type 'Edm.DateTimeOffset'"),
    ({"value": [{"id": "9", "built": "2020-01-01T00:00:00"}]}, "", "expected type 'Edm.DateTimeOffset'"),
    ({"value": [{"id": "9", "built": "2020-13-01T00:00:00Z"}]}, "", "expected type 'Edm.DateTimeOffset'"),
    ({"value": [{"id": "9", "at": {"lat": 1}}]}, "", "expected type 'Edm.GeographyPoint'"),
    ({"value": [{"id": "9", "at": point(190, 0)}]}, "", "expected type 'Edm.GeographyPoint'"),
    ({"value": [{"id": "9", "rooms": {"kind": "x"}}]}, "", "expected type 'Collection(Edm.ComplexType)'"),
    ({"value": [{"id": str(n)} for n in range(1001)]}, "OperationNotAllowed", "at most 1000 actions"),
]


@pytest.mark.parametrize(("body", "code", "message"), REFUSED)
async def test_invalid_batch_changes_nothing(inns: Caller, body: Any, code: str, message: str) -> None:
    status, answer = await inns.call("POST", ADDRESS, body)
    assert (status, answer["error"]["code"]) == (400, code)
    assert message in answer["error"]["message"]
    assert (await inns.call("GET", "/indexes/inns/docs/$count"))[1] == 4


async def test_a_missing_document_is_an_empty_404(inns: Caller) -> None:
    assert await inns.call("GET", "/indexes('inns')/docs('99')") == (404, None)


@pytest.mark.parametrize("path", ["/indexes('inns')/docs('a_b=-')", "/indexes/inns/docs/a_b%3D-"])
async def test_keys_in_both_address_forms(inns: Caller, path: str) -> None:
    await inns.call("POST", ADDRESS, {"value": [{"id": "a_b=-"}]})
    status, document = await inns.call("GET", path)
    assert (status, document["id"]) == (200, "a_b=-")


async def test_count_is_plain_text(inns: Caller) -> None:
    reply = await inns.reply("GET", "/indexes('inns')/docs/$count")
    assert (reply.body, reply.headers["Content-Type"]) == (b"4", "text/plain; charset=utf-8")
