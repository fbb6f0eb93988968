"""A small index with every kind of field, its documents, and a way to call the service in process."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from emulators.azure_search.analysis.embedding import HashedWords
from emulators.azure_search.http import Reply, Request
from emulators.azure_search.service import SearchService

VERSION = "2025-11-01-preview"

DEFINITION: dict[str, Any] = {
    "name": "inns",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "name", "type": "Edm.String", "searchable": True, "sortable": True},
        {"name": "about", "type": "Edm.String", "searchable": True, "analyzer": "en.lucene", "filterable": False},
        {"name": "tags", "type": "Collection(Edm.String)", "searchable": True},
        {"name": "rating", "type": "Edm.Int32"},
        {"name": "price", "type": "Edm.Double"},
        {"name": "open", "type": "Edm.Boolean"},
        {"name": "built", "type": "Edm.DateTimeOffset"},
        {"name": "at", "type": "Edm.GeographyPoint"},
        {"name": "secret", "type": "Edm.String", "retrievable": False},
        {"name": "address", "type": "Edm.ComplexType", "fields": [{"name": "city", "type": "Edm.String"}]},
        {
            "name": "rooms",
            "type": "Collection(Edm.ComplexType)",
            "fields": [
                {"name": "kind", "type": "Edm.String"},
                {"name": "rate", "type": "Edm.Double"},
                {"name": "tags", "type": "Collection(Edm.String)"},
            ],
        },
    ],
    "suggesters": [{"name": "sg", "searchMode": "analyzingInfixMatching", "sourceFields": ["about", "name"]}],
}


def point(longitude: float, latitude: float) -> dict[str, Any]:
    """A place as documents hold it."""
    return {"type": "Point", "coordinates": [longitude, latitude]}


DOCUMENTS: list[dict[str, Any]] = [
    {
        "id": "1",
        "name": "The Bell's Inn",
        "about": "A quiet inn by the river. Breakfast is served in the garden! Dogs are welcome.",
        "tags": ["river", "garden"],
        "rating": 5,
        "price": 80.0,
        "open": True,
        "built": "1850-06-01T00:00:00Z",
        "at": point(-1.5, 52.0),
        "secret": "alpha",
        "address": {"city": "Oxford"},
        "rooms": [{"kind": "double", "rate": 80.0, "tags": ["bath"]}, {"kind": "single", "rate": 50.0, "tags": []}],
    },
    {
        "id": "2",
        "name": "Station Hotel",
        "about": "A large hotel next to the station with a garden bar.",
        "tags": ["station", "bar"],
        "rating": 3,
        "price": 45.5,
        "open": False,
        "built": "1990-01-01T12:30:00.500Z",
        "at": point(-0.1, 51.5),
        "secret": "beta",
        "address": {"city": "London"},
        "rooms": [{"kind": "double", "rate": 45.5, "tags": ["bath", "view"]}],
    },
    {
        "id": "3",
        "name": "学校ホテル",
        "about": "静かな宿 near the park.",
        "tags": [],
        "rating": None,
        "price": None,
        "open": None,
        "built": None,
        "at": None,
        "secret": None,
        "address": None,
        "rooms": [],
    },
    {
        "id": "4",
        "name": "River Hotel",
        "about": "The hotel on the river, with rivers of charm and river views.",
        "tags": ["river", "view"],
        "rating": 3,
        "price": 120.0,
        "open": True,
        "built": "2001-09-09T00:00:00+02:00",
        "at": point(-0.12, 51.51),
        "secret": "alpha",
        "address": {"city": "London"},
        "rooms": [{"kind": "suite", "rate": 200.0, "tags": ["view"]}],
    },
]


@dataclass
class Caller:
    """Calls a service and reads its JSON."""

    service: SearchService = field(default_factory=lambda: SearchService("here", embedder=HashedWords()))

    async def reply(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None, version: str = VERSION
    ) -> Reply:
        """The raw answer."""
        parts = urlsplit(path)
        query = {"api-version": version, **dict(parse_qsl(parts.query, keep_blank_values=True))}
        content = b"" if body is None else json.dumps(body).encode()
        given = {"accept": "application/json;odata.metadata=none", **(headers or {})}
        request = Request(method=method, path=parts.path, query=query, headers=given, body=content, host="http://here")
        return await self.service.handle(request)

    async def call(self, method: str, path: str, body: Any = None, **options: Any) -> tuple[int, Any]:
        """The status and the body, None for an empty one."""
        reply = await self.reply(method, path, body, **options)
        return reply.status, json.loads(reply.body) if reply.body else None

    async def make(self, definition: dict[str, Any], documents: list[dict[str, Any]]) -> None:
        """An index with documents; refusals fail the test."""
        status, answer = await self.call("POST", "/indexes", definition)
        assert status == 201, answer
        if documents:
            status, answer = await self.call("POST", f"/indexes/{definition['name']}/docs/index", {"value": documents})
            assert status == 200, answer

    async def search(self, body: dict[str, Any], *, index: str = "inns", **options: Any) -> dict[str, Any]:
        """The answer of a search that succeeds."""
        status, answer = await self.call("POST", f"/indexes('{index}')/docs/search.post.search", body, **options)
        assert status == 200, answer
        assert isinstance(answer, dict)
        return answer

    async def keys(self, body: dict[str, Any], **options: Any) -> list[str]:
        """The keys of the hits."""
        answer = await self.search({"select": "id", **body}, **options)
        return [hit["id"] for hit in answer["value"]]

    async def refusal(self, body: dict[str, Any], *, index: str = "inns", **options: Any) -> tuple[int, str, str]:
        """Status, code and message of a search that is refused."""
        status, answer = await self.call("POST", f"/indexes('{index}')/docs/search.post.search", body, **options)
        assert status >= 400, answer
        return status, answer["error"]["code"], answer["error"]["message"]
