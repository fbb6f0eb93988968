"""Index definitions: create, read, list, replace, delete, refuse."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from .hotels import DEFINITION, DOCUMENTS, Caller

KEY: dict[str, Any] = {"name": "id", "type": "Edm.String", "key": True}


def index(*fields: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"name": "made", "fields": [KEY, *fields], **members}


def text(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "Edm.String", **more}


async def test_create_answers_with_defaults_filled_in(empty: Caller) -> None:
    status, body = await empty.call("POST", "/indexes", index(text("about", searchable=True, analyzer="en.lucene")))
    assert status == 201
    assert body["fields"][1] == {
        "name": "about",
        "type": "Edm.String",
        "searchable": True,
        "filterable": True,
        "retrievable": True,
        "sortable": True,
        "facetable": True,
        "key": False,
        "analyzer": "en.lucene",
    }
    assert body["similarity"]["@odata.type"] == "#Microsoft.Azure.Search.BM25Similarity"
    assert (body["suggesters"], body["semantic"], body["vectorSearch"]) == ([], None, None)
    assert (await empty.call("GET", "/indexes('made')"))[1] == body
    assert (await empty.call("GET", "/indexes"))[1] == {"value": [body]}


@pytest.mark.parametrize("name", ["m", "ma_de", "ma__de", "made_", "1-2_3-4", "m" * 128])
async def test_names(empty: Caller, name: str) -> None:
    assert (await empty.call("POST", "/indexes", {**index(), "name": name}))[0] == 201


async def test_a_name_is_taken_once(empty: Caller) -> None:
    await empty.make(index(), [])
    status, body = await empty.call("POST", "/indexes", index())
    assert (status, body["error"]["code"]) == (409, "ResourceNameAlreadyInUse")


async def test_put_keeps_the_documents(inns: Caller) -> None:
    wider = copy.deepcopy(DEFINITION)
    wider["fields"].append(text("extra", searchable=True))
    assert (await inns.call("PUT", "/indexes('inns')", wider))[0] == 204
    status, body = await inns.call("PUT", "/indexes('inns')", wider, headers={"prefer": "return=representation"})
    assert (status, body["fields"][-1]["name"]) == (200, "extra")
    assert len(await inns.keys({"search": "*"})) == len(DOCUMENTS)
    assert (await inns.call("GET", "/indexes/inns/docs/1?$select=extra"))[1] == {"extra": None}
    assert (await inns.call("PUT", "/indexes('made')", index()))[0] == 201


async def test_put_refuses_to_change_a_field(inns: Caller) -> None:
    narrower = copy.deepcopy(DEFINITION)
    narrower["fields"][4]["type"] = "Edm.Int64"
    status, body = await inns.call("PUT", "/indexes('inns')", narrower)
    assert (status, body["error"]["code"]) == (400, "OperationNotAllowed")
    assert body["error"]["message"] == "Existing field 'rating' cannot be changed."


async def test_delete_forgets(inns: Caller) -> None:
    assert await inns.call("DELETE", "/indexes('inns')") == (204, None)
    for method, path in (("GET", "/indexes('inns')"), ("DELETE", "/indexes('inns')"), ("GET", "/indexes/inns/docs/$count")):
        status, body = await inns.call(method, path)
        assert status == 404
        assert body["error"]["message"].startswith("No index with the name 'inns' was found")


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("PUT", {"if-none-match": "*"}, 412),
        ("PUT", {"if-match": '"other"'}, 412),
        ("DELETE", {"if-match": '"other"'}, 412),
        ("PUT", {"if-match": "*"}, 204),
        ("DELETE", {"if-match": "*"}, 204),
    ],
)
async def test_conditions_are_kept(inns: Caller, method: str, headers: dict[str, str], status: int) -> None:
    assert (await inns.call(method, "/indexes('inns')", DEFINITION, headers=headers))[0] == status


async def test_etag_conditions(inns: Caller) -> None:
    tag = (await inns.call("GET", "/indexes('inns')"))[1]["@odata.etag"]
    assert (await inns.call("PUT", "/indexes('inns')", DEFINITION, headers={"if-match": tag}))[0] == 204
    assert (await inns.call("PUT", "/indexes('made')", index(), headers={"if-none-match": "*"}))[0] == 201


async def test_statistics(inns: Caller) -> None:
    answer = await inns.call("GET", "/indexes('inns')/search.stats")
    assert answer == (200, {"documentCount": 4, "storageSize": 0, "vectorIndexSize": 0})


def vector_index(**changes: Any) -> dict[str, Any]:
    search = {
        "algorithms": [{"name": "near", "kind": "hnsw"}],
        "profiles": [{"name": "plain", "algorithm": "near"}],
        **changes,
    }
    field = {"name": "v", "type": "Collection(Edm.Single)", "dimensions": 4, "vectorSearchProfile": "plain"}
    return index(field, vectorSearch=search)


REFUSED: list[tuple[dict[str, Any], str]] = [
    (index(text("a"), colour="red"), "The property 'colour' does not exist on type 'search.index'"),
    (index(text("a", colour="red")), "The property 'colour' does not exist on type 'search.field'"),
    ({**index(), "name": "Made"}, "Index name must only contain lowercase letters"),
    ({**index(), "name": "-made"}, "Index name must only contain lowercase letters"),
    ({**index(), "name": "_made"}, "Index name must only contain lowercase letters"),
    ({**index(), "name": "made-"}, "Index name must only contain lowercase letters"),
    ({**index(), "name": "ma--de"}, "Index name must only contain lowercase letters, digits, underscores or single dashes"),
    ({**index(), "name": "m" * 129}, "is limited to 128 characters."),
    ({**index(), "name": None}, "Index name must only contain lowercase letters"),
    ({"name": "made", "fields": []}, "The collection of fields cannot be null or empty."),
    ({"name": "made", "fields": ["x"]}, "A field must be an object."),
    ({"name": "made", "fields": [text("a")]}, "exactly one key field, at its top level; found 0."),
    ({"name": "made", "fields": [KEY, {**KEY, "name": "b"}]}, "found 2."),
    ({"name": "made", "fields": [{**KEY, "type": "Edm.Int32"}]}, "must be a retrievable Edm.String."),
    (index(text("a"), text("A")), "Fields in the same collection cannot have the same name."),
    (index(text("1a")), "Invalid field name"),
    (index({"name": "a"}), "The field 'a' needs a type."),
    (index({"name": "a", "type": "Edm.Decimal"}), "The type 'Edm.Decimal' of the field 'a' is not supported."),
    (index({"name": "a", "type": "Edm.Int32", "searchable": True}), "cannot be searchable."),
    (index({"name": "a", "type": "Collection(Edm.String)", "sortable": True}), "is a collection and cannot be sortable."),
    (index({"name": "a", "type": "Edm.GeographyPoint", "facetable": True}), "cannot be facetable."),
    (index(text("a", filterable="yes")), "must be true or false."),
    (index(text("a", analyzer="klingon.lucene")), "The analyzer 'klingon.lucene' of the field 'a' is not known."),
    (index({"name": "a", "type": "Edm.ComplexType"}), "The collection of fields cannot be null or empty."),
    (index(analyzers=[{"name": "own"}]), "The member 'analyzers' is not offered"),
    (index(suggesters=[{"name": "sg", "sourceFields": ["gone"]}]), "names no searchable field: 'gone'."),
    (
        index(semantic={"configurations": [{"name": "s", "prioritizedFields": {"titleField": {"fieldName": "gone"}}}]}),
        "'gone'",
    ),
    (index(semantic={"defaultConfiguration": "s"}), "The default semantic configuration 's' is not defined."),
    (index(scoringProfiles=[{"name": "p", "text": {"weights": {"gone": 2}}}]), "weighs no searchable field: 'gone'."),
    (
        index(scoringProfiles=[{"name": "p", "functions": [{"type": "tag", "fieldName": "gone", "boost": 2}]}]),
        "needs a filterable field.",
    ),
    (index(scoringProfiles=[{"name": "p", "functions": [{"type": "age", "fieldName": "id"}]}]), "functions.0.type"),
    (index(scoringProfiles=[{"name": "p", "colour": 1}]), "The property 'colour' does not exist"),
    (index(suggesters=5), "suggesters: Input should be a valid list."),
    (index(similarity={"@odata.type": "#Microsoft.Azure.Search.ClassicSimilarity"}), "similarity.@odata.type"),
    (index(similarity={"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "b": 0.5}), "similarity.b"),
    (index(permissionFilterOption="maybe"), "permissionFilterOption"),
    (index(text("a", analyzer=["x"])), "The member 'analyzer' of the field 'a' must be a text."),
    (index(text("a", synonymMaps=["m"])), "The member 'synonymMaps' of the field 'a' is not offered here."),
    (index(text("a", normalizer="lowercase")), "The member 'normalizer' of the field 'a' is not offered here."),
    (index(defaultScoringProfile="p"), "The default scoring profile 'p' is not defined."),
    (index(text("a", permissionFilter="everyone")), "must be userIds or groupIds."),
    (index({"name": "a", "type": "Edm.Int32", "permissionFilter": "userIds"}), "must hold strings."),
    (index({"name": "v", "type": "Collection(Edm.Single)"}), "must have the property 'dimensions' set"),
    (
        index({"name": "v", "type": "Collection(Edm.Single)", "dimensions": 4}),
        "must have the property 'vectorSearchProfile' set.",
    ),
    (vector_index(profiles=[]), "The vector profile 'plain' of the field 'v' is not defined."),
    (vector_index(algorithms=[]), "The algorithm 'near' of the vector profile 'plain' is not defined."),
    (vector_index(algorithms=[{"name": "near", "kind": "magic"}]), "must be of the kind hnsw or exhaustiveKnn."),
    (
        vector_index(algorithms=[{"name": "near", "kind": "hnsw", "hnswParameters": {"metric": "hamming"}}]),
        "The metric 'hamming' is not offered",
    ),
    (
        vector_index(profiles=[{"name": "plain", "algorithm": "near", "vectorizer": "gone"}]),
        "The vectorizer 'gone' of the vector profile 'plain' is not defined.",
    ),
]


@pytest.mark.parametrize(("definition", "message"), REFUSED)
async def test_refused(empty: Caller, definition: dict[str, Any], message: str) -> None:
    status, body = await empty.call("POST", "/indexes", definition)
    assert status == 400
    assert message in body["error"]["message"]
    assert (await empty.call("GET", "/indexes"))[1] == {"value": []}


@pytest.mark.parametrize(
    ("version", "code"), [("", "MissingApiVersionParameter"), ("2030-01-01", "InvalidApiVersionParameter")]
)
async def test_versions_that_are_not_known(empty: Caller, version: str, code: str) -> None:
    status, body = await empty.call("GET", "/indexes", version=version)
    assert (status, body["error"]["code"]) == (400, code)


@pytest.mark.parametrize(
    "path", ["/", "/other", "/indexes('a')/other", "/indexes/a/docs/b/c", "/docs", "/indexes/a/docs('x')/y"]
)
async def test_unknown_addresses_are_404(empty: Caller, path: str) -> None:
    assert (await empty.call("GET", path))[0] == 404


@pytest.mark.parametrize(
    ("method", "path"), [("PATCH", "/indexes"), ("DELETE", "/indexes/a/docs/1"), ("POST", "/synonymmaps")]
)
async def test_methods_that_are_not_offered_are_405(empty: Caller, method: str, path: str) -> None:
    assert (await empty.call(method, path, {}))[0] == 405
