"""The app over the real data set: 2,000 English schools, against a plain scan of the file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from emulators.azure_search.load import load, read_index
from emulators.azure_search.service import SearchService
from shared.api import EVIDENCE, SEARCH
from tests.support.app import App, app_over, body_of
from tests.truths import school_lines

pytestmark = pytest.mark.asyncio(loop_scope="module")

INDEX = Path(__file__).resolve().parents[2] / "local" / "data" / "schools-index.json"
SETTINGS = {
    "AiAgents__KnowledgeAgents": "",
    "AiAgents__Context__Index": "",
    "AiAgents__Context__Unfiltered": "",
    "AiAgents__AISearch__Indexes": json.dumps(
        [
            {
                "Name": "establishments",
                "ContentFields": ["name", "town", "postcode", "establishment_type", "number_on_roll", "open_date"],
                "NameField": "name",
                "LinkField": "url",
                "KeyField": "urn",
            }
        ]
    ),
}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The file, line by line."""
    return [json.loads(line) for line in school_lines()]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def app(rows: list[Row]) -> AsyncIterator[App]:
    """The app over an index of the whole file."""
    service = SearchService()
    definition = read_index(INDEX) | {"name": "establishments"}
    assert await load(service, definition, rows) == len(rows) == 2_000
    async with app_over(service, SETTINGS) as running:
        yield running


async def keys(app: App, filter_: Any, top: int = 1000) -> set[str]:
    """The keys of every document that the filter lets through."""
    found: set[str] = set()
    skip: int | None = 0
    while skip is not None:
        body = {"index": "establishments", "query": "*", "filter": filter_, "top": top, "skip": skip}
        page = body_of(await app.call(SEARCH, body))
        found |= {hit["key"] for hit in page["hits"]}
        skip = page["nextSkip"]
    return found


async def test_one_school_by_its_number(app: App) -> None:
    search = {"index": "establishments", "query": "pupils on roll", "filter": {"equals": {"urn": "100000"}}}
    evidence = body_of(await app.call(EVIDENCE, {"searches": [search | {"query": "Aldgate"}]}))
    assert [source["name"] for source in evidence["sources"]] == ["The Aldgate School"]
    assert "number_on_roll: 271" in evidence["text"].splitlines()
    link = "https://www.get-information-schools.service.gov.uk/Establishments/Establishment/Details/100000"
    assert evidence["sources"][0]["link"] == link
    assert link not in evidence["text"]


SINCE = {"type": "DateTimeOffset", "value": "2020-01-01T00:00:00Z"}
SCANS: list[tuple[str, Any, Callable[[Row], bool]]] = [
    ("apostrophe", {"equals": {"name": "St Mary's Catholic Primary School"}},
     lambda row: row["name"] == "St Mary's Catholic Primary School"),
    ("look-alikes", {"equals": {"name": ["Holy Trinity CofE Primary School, NW3", "Holy Trinity CofE Primary School, NW1"]}},
     lambda row: row["name"] in ("Holy Trinity CofE Primary School, NW3", "Holy Trinity CofE Primary School, NW1")),
    ("one of them", {"equals": {"name": "Holy Trinity CofE Primary School, NW3"}},
     lambda row: row["name"] == "Holy Trinity CofE Primary School, NW3"),
    ("date", {"template": "open_date ge {since}", "values": {"since": SINCE}},
     lambda row: row["open_date"] is not None and row["open_date"] >= "2020-01-01T00:00:00Z"),
    ("number", {"template": "number_on_roll ge {n}", "values": {"n": 1500}},
     lambda row: row["number_on_roll"] is not None and row["number_on_roll"] >= 1500),
    ("null", {"equals": {"open_date": None, "town": "Bath"}},
     lambda row: row["open_date"] is None and row["town"] == "Bath"),
    ("flag", {"equals": {"is_lead_school": True}}, lambda row: row["is_lead_school"] is True),
    ("list", {"template": "town in {towns} and number_on_roll lt {n}", "values": {"towns": ["Bath", "York"], "n": 100}},
     lambda row: row["town"] in ("Bath", "York") and row["number_on_roll"] is not None and row["number_on_roll"] < 100),
    ("raw", {"raw": "not (town eq 'London') and number_on_roll gt 2000"},
     lambda row: row["town"] != "London" and (row["number_on_roll"] or 0) > 2000),
]  # fmt: skip


@pytest.mark.parametrize(("filter_", "scan"), [row[1:] for row in SCANS], ids=[row[0] for row in SCANS])
async def test_filters_agree_with_a_plain_scan(app: App, rows: list[Row], filter_: Any, scan: Callable[[Row], bool]) -> None:
    expected = {row["urn"] for row in rows if scan(row)}
    assert expected, "a scan that finds nothing proves nothing"
    assert await keys(app, filter_) == expected


async def test_an_injected_value_stays_one_value(app: App) -> None:
    assert await keys(app, {"equals": {"name": "x' or 1 eq 1 or name eq 'y"}}) == set()
