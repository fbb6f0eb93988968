"""Recorded searches sent by the real SDK over the azure-core transport: same hits, order, scores, facets, highlights."""

from __future__ import annotations

import copy
import importlib.util
import sys
from types import ModuleType
from typing import Any

import pytest
from azure.search.documents.aio import SearchClient
from azure.search.documents.models import VectorizedQuery

from emulators.azure_search.service import SearchService
from emulators.azure_search.transport import EmbeddedTransport
from tests.truths import measurement

from .hotels import Caller
from .test_transport import ENDPOINT, OneToken

TOOL = measurement("tools/replay.py")
LEVELS = ("set", "order", "scores", "facets", "highlights")
RANKED_BY_A_MODEL = {"semantic#0", "semantic#5"}
"""Their order is the real ranker's; docs/search-recordings.md says so."""

NAMES = {
    "search": "search_text",
    "filter": "filter",
    "top": "top",
    "skip": "skip",
    "count": "include_total_count",
    "facets": "facets",
    "highlight": "highlight_fields",
    "highlightPreTag": "highlight_pre_tag",
    "highlightPostTag": "highlight_post_tag",
    "minimumCoverage": "minimum_coverage",
    "queryType": "query_type",
    "searchMode": "search_mode",
    "scoringProfile": "scoring_profile",
    "scoringParameters": "scoring_parameters",
    "semanticConfiguration": "semantic_configuration_name",
    "captions": "query_caption",
    "answers": "query_answer",
}


def comparer() -> ModuleType:
    """The comparer of the recordings as a module."""
    spec = importlib.util.spec_from_file_location("replay", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REPLAY = comparer()
PAIRS = [
    pair
    for pair in REPLAY.load(REPLAY.RECORDINGS)[0]
    if pair.operation == "search" and pair.answer["status"] == 200 and pair.name not in RANKED_BY_A_MODEL
]


async def serve(pair: Any) -> tuple[SearchService, Any]:
    """A service that holds the world of a pair, and the world."""
    world = REPLAY.worlds(REPLAY.RECORDINGS)[pair.world()]
    caller = Caller(SearchService(shards=12))
    if world.name == "bucket":
        definition, documents = (copy.deepcopy(PAIR_OF[name].body) for name in ("filters#5", "filters#4"))
        await caller.make(definition, documents["value"])
    elif world.name == "dates":
        await caller.make({**world.definition, "name": pair.index}, PAIR_OF["indexing#8"].body["value"])
    else:
        await caller.make({**world.definition, "name": pair.index}, [])
        for start in range(0, len(world.documents), 1000):
            batch = {"value": world.documents[start : start + 1000]}
            status, answer = await caller.call("POST", f"/indexes/{pair.index}/docs/index", batch)
            assert status == 200, answer
    return caller.service, world


PAIR_OF = {pair.name: pair for pair in REPLAY.load(REPLAY.RECORDINGS)[0]}


def arguments(pair: Any) -> dict[str, Any]:
    """The recorded body as the SDK's arguments; a member without an argument (`queryLanguage`) changes nothing here."""
    body = dict(pair.body)
    found = {NAMES[name]: value for name, value in body.items() if name in NAMES and value not in ([], "")}
    for name, target in (("orderby", "order_by"), ("select", "select")):
        if body.get(name):
            found[target] = [each.strip() for each in split(body[name])]
    if "vectorQueries" in body:
        rankings = zip(body["vectorQueries"], pair.vectors, strict=True)
        found["vector_queries"] = [
            VectorizedQuery(vector=REPLAY.stand_in(ranking), k_nearest_neighbors=raw["k"], fields=raw["fields"])
            for raw, ranking in rankings
        ]
    return found


def without_captions(hit: dict[str, Any]) -> dict[str, Any]:
    """A hit without the SDK's own caption objects, which the comparer cannot read; a model made them anyway."""
    return {name: value for name, value in hit.items() if name != "@search.captions"}


def split(text: str) -> list[str]:
    """A list of clauses; commas inside brackets do not part them."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
async def test_the_sdk_finds_what_was_recorded(pair: Any) -> None:
    service, world = await serve(pair)
    transport = EmbeddedTransport(service)
    async with SearchClient(ENDPOINT, pair.index, OneToken(), transport=transport, api_version=pair.version) as client:
        page = await client.search(**arguments(pair))
        pages = page.by_page()
        hits = [hit async for hit in await anext(pages)]
        got: dict[str, Any] = {"value": [without_captions(hit) for hit in hits]}
        if "@search.facets" in pair.answer["body"]:
            got["@search.facets"] = await page.get_facets()
        if "@odata.count" in pair.answer["body"]:
            assert await page.get_count() == pair.answer["body"]["@odata.count"]
    _, levels, _ = REPLAY.judge(pair, world, 200, got)
    assert {level: levels[level] for level in LEVELS if levels.get(level)} == {}
