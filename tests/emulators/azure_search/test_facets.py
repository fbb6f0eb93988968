"""Facets: buckets by value, range, interval and metric."""

from __future__ import annotations

from typing import Any

import pytest

from .hotels import Caller

BUCKETS: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("rating", "rating", [{"count": 2, "value": 3}, {"count": 1, "value": 5}]),
    ("rating,sort:value", "rating", [{"count": 2, "value": 3}, {"count": 1, "value": 5}]),
    ("rating,sort:-value", "rating", [{"count": 1, "value": 5}, {"count": 2, "value": 3}]),
    ("rating,sort:-count", "rating", [{"count": 1, "value": 5}, {"count": 2, "value": 3}]),
    ("rating,count:1", "rating", [{"count": 2, "value": 3}]),
    ("open", "open", [{"count": 2, "value": True}, {"count": 1, "value": False}]),
    ("tags,count:2", "tags", [{"count": 2, "value": "river"}, {"count": 1, "value": "bar"}]),
    (
        "rooms/kind",
        "rooms/kind",
        [{"count": 2, "value": "double"}, {"count": 1, "value": "single"}, {"count": 1, "value": "suite"}],
    ),
    ("rooms/tags", "rooms/tags", [{"count": 2, "value": "bath"}, {"count": 2, "value": "view"}]),
    ("address/city", "address/city", [{"count": 2, "value": "London"}, {"count": 1, "value": "Oxford"}]),
    (
        "rooms/rate,values:60|100",
        "rooms/rate",
        [{"count": 2, "to": 60.0}, {"count": 1, "from": 60.0, "to": 100.0}, {"count": 1, "from": 100.0}],
    ),
    (
        "built,values:1900-01-01T00:00:00Z",
        "built",
        [{"count": 1, "to": "1900-01-01T00:00:00.000+0000"}, {"count": 2, "from": "1900-01-01T00:00:00.000+0000"}],
    ),
    ("rating,interval:2", "rating", [{"count": 2, "value": 2}, {"count": 1, "value": 4}]),
    ("price,interval:50", "price", [{"count": 1, "value": 0.0}, {"count": 1, "value": 50.0}, {"count": 1, "value": 100.0}]),
    (
        "built,interval:year",
        "built",
        [
            {"count": 1, "value": "1850-01-01T00:00:00Z"},
            {"count": 1, "value": "1990-01-01T00:00:00Z"},
            {"count": 1, "value": "2001-01-01T00:00:00Z"},
        ],
    ),
    ("rooms/rate,metric:sum", "rooms/rate", [{"sum": 375.5}]),
    ("rooms/rate,metric:avg", "rooms/rate", [{"avg": 93.875}]),
    ("rooms/rate,metric:min", "rooms/rate", [{"min": 45.5}]),
    ("rooms/rate,metric:max,default:0", "rooms/rate", [{"max": 200.0}]),
    ("rooms/kind,metric:cardinality,precisionThreshold:10", "rooms/kind", [{"cardinality": 3}]),
]


@pytest.mark.parametrize(("facet", "path", "buckets"), BUCKETS)
async def test_buckets(inns: Caller, facet: str, path: str, buckets: list[dict[str, Any]]) -> None:
    assert (await inns.search({"search": "*", "facets": [facet]}))["@search.facets"] == {path: buckets}


@pytest.mark.parametrize(
    ("period", "start"),
    [
        ("minute", "1990-01-01T12:30:00Z"),
        ("hour", "1990-01-01T12:00:00Z"),
        ("day", "1990-01-01T00:00:00Z"),
        ("week", "1989-12-31T00:00:00Z"),
        ("month", "1990-01-01T00:00:00Z"),
        ("quarter", "1990-01-01T00:00:00Z"),
        ("day,timeoffset:-13:00", "1989-12-31T13:00:00Z"),
        ("day,timeoffset:+02:00", "1989-12-31T22:00:00Z"),
    ],
)
async def test_periods(inns: Caller, period: str, start: str) -> None:
    answer = await inns.search({"filter": "id eq '2'", "facets": [f"built,interval:{period}"]})
    assert answer["@search.facets"]["built"] == [{"count": 1, "value": start}]


async def test_facets_count_all_matches(inns: Caller) -> None:
    answer = await inns.search({"search": "hotel", "top": 1, "facets": ["rating"], "filter": "rating eq 3"})
    assert answer["@search.facets"] == {"rating": [{"count": 2, "value": 3}]}


async def test_metrics_without_values(inns: Caller) -> None:
    body = {"filter": "id eq '3'", "facets": ["price,metric:sum", "price,metric:max,default:7"]}
    assert (await inns.search(body))["@search.facets"] == {"price": [{"sum": None}, {"max": 7.0}]}
