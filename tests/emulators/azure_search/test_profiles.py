"""Scoring profiles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .hotels import Caller, point

FIELDS: list[dict[str, Any]] = [
    {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
    {"name": "name", "type": "Edm.String"},
    {"name": "about", "type": "Edm.String"},
    {"name": "stars", "type": "Edm.Int32"},
    {"name": "made", "type": "Edm.DateTimeOffset"},
    {"name": "at", "type": "Edm.GeographyPoint"},
    {"name": "tags", "type": "Collection(Edm.String)"},
]


def function(kind: str, field: str, options: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, "fieldName": field, "boost": 3, kind: options, **more}


def stars(**more: Any) -> dict[str, Any]:
    return function("magnitude", "stars", {"boostingRangeStart": 0, "boostingRangeEnd": 10, **more})


async def score(profile: dict[str, Any], document: dict[str, Any], *parameters: str, search: str = "*") -> float:
    """The score of one document by a profile, 1 without any boost for `*`."""
    caller = Caller()
    await caller.make(
        {"name": "inns", "fields": FIELDS, "scoringProfiles": [{"name": "p", **profile}]}, [{"id": "1", **document}]
    )
    answer = await caller.search({"search": search, "scoringProfile": "p", "scoringParameters": list(parameters)})
    return float(answer["value"][0]["@search.score"])


@pytest.mark.parametrize(
    ("functions", "document", "parameters", "expected"),
    [
        ([stars()], {"stars": 5}, [], 2.0),
        ([stars()], {"stars": 11}, [], 1.0),
        ([stars(constantBoostBeyondRange=True)], {"stars": 11}, [], 3.0),
        ([stars()], {"stars": -1}, [], 1.0),
        ([stars()], {"stars": None}, [], 1.0),
        ([{**stars(), "interpolation": "constant"}], {"stars": 1}, [], 3.0),
        ([{**stars(), "interpolation": "quadratic"}], {"stars": 5}, [], 2.5),
        ([{**stars(), "interpolation": "logarithmic"}], {"stars": 10}, [], 3.0),
        (
            [function("distance", "at", {"referencePointParameter": "me", "boostingDistance": 10})],
            {"at": point(0, 0)},
            ["me-0,0"],
            3.0,
        ),
        (
            [function("distance", "at", {"referencePointParameter": "me", "boostingDistance": 10})],
            {"at": point(0, 9)},
            ["me--1,0"],
            1.0,
        ),
        ([function("tag", "tags", {"tagsParameter": "mine"})], {"tags": ["bar", "spa"]}, ["mine-spa,pool"], 3.0),
        ([function("tag", "tags", {"tagsParameter": "mine"})], {"tags": ["bar"]}, ["mine-spa"], 1.0),
        ([stars(), stars()], {"stars": 5}, [], 3.0),
    ],
)
async def test_functions(functions: list[Any], document: dict[str, Any], parameters: list[str], expected: float) -> None:
    assert await score({"functions": functions}, document, *parameters) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("aggregation", "expected"), [("sum", 3.0), ("average", 2.0), ("minimum", 1.4), ("maximum", 2.6), ("firstMatching", 1.4)]
)
async def test_aggregations(aggregation: str, expected: float) -> None:
    first = function("magnitude", "stars", {"boostingRangeStart": 0, "boostingRangeEnd": 25})
    second = function("magnitude", "stars", {"boostingRangeStart": -3, "boostingRangeEnd": 7})
    profile = {"functions": [first, second], "functionAggregation": aggregation}
    assert await score(profile, {"stars": 5}) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("days", "duration", "expected"), [(5, "P10D", 2.0), (20, "P10D", 1.0), (-5, "-P10D", 2.0), (-5, "P10D", 1.0)]
)
async def test_freshness(days: int, duration: str, expected: float) -> None:
    made = (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    profile = {"functions": [function("freshness", "made", {"boostingDuration": duration})]}
    assert await score(profile, {"made": made}) == pytest.approx(expected, abs=1e-3)


async def test_weights_multiply_the_score_of_their_field() -> None:
    document = {"name": "river", "about": "river inn"}
    plain = await score({}, document, search="river")
    weighed = await score({"text": {"weights": {"name": 3, "about": 3}}}, document, search="river")
    assert weighed == pytest.approx(3 * plain, rel=1e-6)


async def test_default_profile() -> None:
    caller = Caller()
    definition = {
        "name": "inns",
        "fields": FIELDS,
        "scoringProfiles": [{"name": "p", "functions": [stars()]}],
        "defaultScoringProfile": "p",
    }
    await caller.make(definition, [{"id": "1", "stars": 2}, {"id": "2", "stars": 8}])
    assert await caller.keys({"search": "*"}) == ["2", "1"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ([], "Expected the scoring parameter 'me'"),
        (["me"], "must have the form name-value"),
        (["me-x,y"], "a longitude and a latitude"),
    ],
)
async def test_parameters_that_are_missing_or_wrong(parameters: list[str], message: str) -> None:
    caller = Caller()
    near = function("distance", "at", {"referencePointParameter": "me", "boostingDistance": 10})
    await caller.make(
        {"name": "inns", "fields": FIELDS, "scoringProfiles": [{"name": "p", "functions": [near]}]}, [{"id": "1"}]
    )
    status, _, said = await caller.refusal({"search": "*", "scoringProfile": "p", "scoringParameters": parameters})
    assert (status, message in said) == (400, True)
