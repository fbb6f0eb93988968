"""An embedded search service with schools of our own making, over real HTTP and in process under an https name."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from emulators.azure_search.analysis.embedding import HashedWords
from emulators.azure_search.load import load
from emulators.azure_search.server import application
from emulators.azure_search.service import SearchService

VECTORS: dict[str, Any] = {
    "algorithms": [{"name": "near", "kind": "hnsw"}],
    "profiles": [{"name": "words", "algorithm": "near", "vectorizer": "model"}, {"name": "bare", "algorithm": "near"}],
    "vectorizers": [{"name": "model", "kind": "azureOpenAI", "azureOpenAIParameters": {"modelName": "x"}}],
}
RANKING: dict[str, Any] = {
    "configurations": [
        {"name": "default", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "about"}]}},
    ]
}


def _vector(name: str, profile: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": "Collection(Edm.Single)",
        "searchable": True,
        "retrievable": False,
        "dimensions": 64,
        "vectorSearchProfile": profile,
    }


DEFINITION: dict[str, Any] = {
    "name": "schools",
    "fields": [
        {"name": "urn", "type": "Edm.String", "key": True, "filterable": True},
        {"name": "name", "type": "Edm.String", "searchable": True, "filterable": True, "sortable": True},
        {
            "name": "about",
            "type": "Edm.String",
            "searchable": True,
            "filterable": False,
            "sortable": False,
            "facetable": False,
        },
        {"name": "town", "type": "Edm.String", "searchable": True, "filterable": True, "facetable": True},
        {"name": "roll", "type": "Edm.Int32", "filterable": True, "sortable": True, "facetable": True},
        {"name": "open", "type": "Edm.Boolean", "filterable": True},
        {"name": "since", "type": "Edm.DateTimeOffset", "filterable": True, "sortable": True},
        {"name": "tags", "type": "Collection(Edm.String)", "filterable": True},
        {"name": "url", "type": "Edm.String", "searchable": False, "filterable": False},
        {"name": "secret", "type": "Edm.String", "retrievable": False},
        _vector("meaning", "words"),
        _vector("blind", "bare"),
    ],
    "vectorSearch": VECTORS,
    "semantic": RANKING,
}
GUARDED: dict[str, Any] = {
    "name": "guarded",
    "permissionFilterOption": "enabled",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "filterable": True},
        {"name": "text", "type": "Edm.String", "searchable": True},
        {"name": "groups", "type": "Collection(Edm.String)", "filterable": True, "permissionFilter": "groupIds"},
    ],
}

ABOUT = ("Reading and phonics", "Safeguarding concerns", "Music + drama", "well-known for wifi")
TOWNS = ("Bath", "York", "King's Lynn", "Bishop, Auckland", "Rye|Camber")
SCHOOLS: list[dict[str, Any]] = [
    {
        "urn": str(100 + place),
        "name": f"{('Oak', 'Ash', 'St Mary’s', 'Elm-Tree', 'C++ Academy')[place % 5]} School {place}",
        "about": f"{ABOUT[place % 4]} {place}",
        "town": TOWNS[place % 5] if place % 7 else None,
        "roll": place * 13 % 300 if place % 6 else None,
        "open": place % 3 != 0,
        "since": f"{1950 + place}-09-01T00:00:00Z",
        "tags": [("infant", "junior", "special")[place % 3], "rural"][: 1 + place % 2],
        "url": f"https://schools.example/{place}",
        "secret": "hidden",
    }
    for place in range(40)
]
NOTES = [
    {"id": "1", "text": "pay review one", "groups": ["staff"]},
    {"id": "2", "text": "pay review two", "groups": ["heads"]},
    {"id": "3", "text": "pay review three", "groups": ["staff", "heads"]},
]


async def school_service() -> SearchService:
    """A service that holds the schools and the guarded notes."""
    service = SearchService("unit", HashedWords())
    embed = HashedWords().embed
    documents = [
        {**school, "meaning": vector, "blind": vector}
        for school in SCHOOLS
        for vector in [[float(value) for value in embed([str(school["about"])])[0]]]
    ]
    await load(service, DEFINITION, documents)
    await load(service, GUARDED, NOTES)
    service.state.identities.register("token-of-staff", user="u1", groups=["staff"])
    service.state.identities.register("token-of-heads", user="u2", groups=["heads"])
    return service


@asynccontextmanager
async def over_http(service: SearchService) -> AsyncIterator[str]:
    """The address of the service on a free port."""
    runner = web.AppRunner(application(service), shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def as_json(value: Any) -> str:
    """A value on one line."""
    return json.dumps(value, sort_keys=True)
