"""Document permissions: the same query gives different hits for different tokens, and no hit without one."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from emulators.azure_search.search.permissions import HEADER

from .hotels import Caller


def definition(option: str | None = "enabled") -> dict[str, Any]:
    raw: dict[str, Any] = {
        "name": "files",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
            {"name": "text", "type": "Edm.String", "searchable": True},
            {"name": "users", "type": "Collection(Edm.String)", "permissionFilter": "userIds", "searchable": False},
            {"name": "teams", "type": "Collection(Edm.String)", "permissionFilter": "groupIds", "searchable": False},
        ],
        "suggesters": [{"name": "sg", "searchMode": "analyzingInfixMatching", "sourceFields": ["text"]}],
    }
    return raw | ({"permissionFilterOption": option} if option else {})


DOCUMENTS = [
    {"id": "1", "text": "report one", "users": ["ann"], "teams": []},
    {"id": "2", "text": "report two", "users": [], "teams": ["red"]},
    {"id": "3", "text": "report three", "users": ["bob"], "teams": ["red", "blue"]},
    {"id": "4", "text": "report four", "users": ["all"], "teams": []},
    {"id": "5", "text": "report five", "users": [], "teams": []},
    {"id": "6", "text": "report six", "users": ["none"], "teams": ["none"]},
]


@pytest.fixture
async def files() -> Caller:
    """An index that trims, and two registered tokens."""
    caller = Caller()
    await caller.make(definition(), DOCUMENTS)
    caller.service.state.identities.register("token-ann", user="ann", groups=["red"])
    caller.service.state.identities.register("token-bob", user="bob")
    return caller


def jwt(**claims: Any) -> str:
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{payload}.c2ln"


@pytest.mark.parametrize(
    ("token", "keys"),
    [
        (None, ""),
        ("", ""),
        ("token-ann", "1234"),
        ("Bearer token-ann", "1234"),
        ("token-bob", "34"),
        (jwt(oid="ann"), "14"),
        (jwt(oid="eve", groups=["blue"]), "34"),
        (jwt(groups=["red"]), "234"),
        (jwt(sub="x"), "4"),
    ],
)
async def test_hits_by_token(files: Caller, token: str | None, keys: str) -> None:
    headers = {} if token is None else {HEADER: token}
    found = await files.keys({"search": "report", "facets": ["users"], "count": True}, index="files", headers=headers)
    assert sorted(found) == list(keys)


async def test_every_way_to_a_document_is_trimmed(files: Caller) -> None:
    headers = {HEADER: "token-bob"}
    assert (await files.call("GET", "/indexes/files/docs/1", headers=headers))[0] == 404
    assert (await files.call("GET", "/indexes/files/docs/3", headers=headers))[0] == 200
    body = {"search": "rep", "suggesterName": "sg"}
    _, suggested = await files.call("POST", "/indexes/files/docs/suggest", body, headers=headers)
    assert sorted(each["id"] for each in suggested["value"]) == ["3", "4"]
    _, completed = await files.call("POST", "/indexes/files/docs/autocomplete", {**body, "search": "t"}, headers=headers)
    assert [each["text"] for each in completed["value"]] == ["three"]
    answer = await files.search({"search": "*", "count": True, "facets": ["teams"]}, index="files", headers=headers)
    assert answer["@odata.count"] == 2
    assert {each["value"] for each in answer["@search.facets"]["teams"]} == {"red", "blue"}


@pytest.mark.parametrize("token", ["nonsense", "a.b.c", "a.bm90IGpzb24.c"])
async def test_a_token_that_says_nothing_is_401(files: Caller, token: str) -> None:
    status, _, message = await files.refusal({"search": "report"}, index="files", headers={HEADER: token})
    assert (status, HEADER in message, token in message) == (401, True, False)


@pytest.mark.parametrize("option", [None, "disabled"])
async def test_untrimmed_index_shows_all(option: str | None) -> None:
    caller = Caller()
    await caller.make(definition(option), DOCUMENTS)
    assert len(await caller.keys({"search": "report"}, index="files")) == 6
