"""Filters: the documents that they let through, and the texts that they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .hotels import DOCUMENTS, Caller

PASSED = [
    ("id eq '2'", "2"),
    ("id ne '2'", "134"),
    ("'2' eq id", "2"),
    ("rating eq 3", "24"),
    ("rating ne 3", "13"),
    ("rating gt 3", "1"),
    ("rating ge 3", "124"),
    ("rating lt 5", "24"),
    ("3 lt rating", "1"),
    ("rating le 3.5", "24"),
    ("rating eq null", "3"),
    ("rating ne null", "124"),
    ("rating gt null", ""),
    ("not (rating gt 3)", "234"),
    ("price gt 45", "124"),
    ("price lt 45.6", "2"),
    ("open", "14"),
    ("not open", "23"),
    ("open eq false", "2"),
    ("open ne true", "23"),
    ("true", "1234"),
    ("rating eq 3 and open", "4"),
    ("rating eq 5 or open eq false", "12"),
    ("rating eq 5 or rating eq 3 and open", "14"),
    ("(rating eq 5 or rating eq 3) and open", "14"),
    ("name eq 'The Bell''s Inn'", "1"),
    ("name eq '学校ホテル'", "3"),
    ("name lt 'S'", "4"),
    ("built lt 1900-01-01T00:00:00Z", "1"),
    ("built ge 1990-01-01T12:30:00Z", "24"),
    ("built gt 1990-01-01T12:30:00.5Z", "4"),
    ("built eq 2001-09-08T22:00:00Z", "4"),
    ("address/city eq 'London'", "24"),
    ("address/city ne 'London'", "13"),
    ("address eq null", "3"),
    ("search.in(id, '1,4')", "14"),
    ("search.in(id, '1 4')", "14"),
    ("search.in(name, 'Station Hotel|River Hotel', '|')", "24"),
    ("search.in(address/city, 'London', '|') and open", "4"),
    ("tags/any(t: t eq 'river')", "14"),
    ("tags/any(t: search.in(t, 'bar,garden'))", "12"),
    ("tags/all(t: t ne 'river')", "23"),
    ("tags/any()", "124"),
    ("not tags/any()", "3"),
    ("rooms/any(r: r/rate gt 100)", "4"),
    ("rooms/all(r: r/rate lt 100)", "123"),
    ("rooms/any(r: r/kind eq 'double' and r/tags/any(t: t eq 'view'))", "2"),
    ("rooms/any(r: r/kind eq 'single' and r/rate gt 60)", ""),
    ("rooms/any(r: r/tags/all(t: t eq 'bath'))", "1"),
    ("geo.distance(at, geography'POINT(-0.1 51.5)') lt 5", "24"),
    ("geo.distance(geography'POINT(-0.1 51.5)', at) ge 5", "1"),
    ("5 ge geo.distance(at, geography'POINT(-0.1 51.5)')", "24"),
    ("geo.intersects(at, geography'POLYGON((-1 51, 0 51, 0 52, -1 52, -1 51))')", "24"),
    ("search.ismatch('river')", "14"),
    ("search.ismatch('garden', 'tags')", "1"),
    ("search.ismatch('riv*', 'about', 'simple', 'any') and rating eq 5", "1"),
    ("search.ismatch('hotel AND garden', 'about', 'full', 'all')", "2"),
    ("not search.ismatch('river')", "23"),
    ("secret eq 'alpha'", "14"),
]


@pytest.mark.parametrize(("text", "expected"), PASSED)
async def test_passes(inns: Caller, text: str, expected: str) -> None:
    assert sorted(await inns.keys({"search": "*", "filter": text})) == list(expected)


REFUSED = [
    ("This is not a valid filter.", "Syntax error at position 7 in 'This is not a valid filter.'"),
    ("stars eq 3", "Could not find a property named 'stars' on type 'search.document'."),
    ("address/town eq 'x'", "Could not find a property named 'town'"),
    ("about eq 'x'", "'about' is not a filterable field."),
    ("rating eq 'three'", "'Edm.Int32' and 'Edm.String' for operator kind 'Equal'"),
    ("name gt 3", "'Edm.String' and 'Edm.Int32' for operator kind 'GreaterThan'"),
    ("built gt '2020'", "'Edm.DateTimeOffset' and 'Edm.String'"),
    ("open gt true", "The operator 'gt' cannot be applied to 'open'"),
    ("name", "needs 'name' to be of the type 'Edm.Boolean'"),
    ("tags eq 'river'", "The collection 'tags' can only be used with 'any' or 'all'"),
    ("rooms/rate gt 5", "The collection 'rooms' can only be used with 'any' or 'all'"),
    ("rating/any(r: r eq 3)", "'any' needs a collection; 'rating'"),
    ("rooms/any(r: r/price gt 5)", "Could not find a property named 'price'"),
    ("rooms/any(r: r/tags eq 'x')", "The collection 'rooms/tags'"),
    ("rooms/any(r: search.ismatch('x'))", "Syntax error at position"),
    ("search.in(rating, '3')", "to be of the type 'Edm.String'"),
    ("search.ismatch('river', 'rating')", "The field 'rating' in the search field list is not searchable."),
    ("search.ismatch('/x', 'name', 'full', 'any')", "Failed to parse query string"),
    ("geo.distance(name, geography'POINT(0 0)') lt 5", "to be of the type 'Edm.GeographyPoint'"),
    ("geo.distance(at, geography'POINT(0 0)') lt 'x'", "geo.distance can only be compared with a number."),
    ("at eq 'x'", "cannot be compared with a constant"),
    ("rating eq 3 and", "Syntax error at position"),
    ("rating eq 'open", "Syntax error at position"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
async def test_refused_never_dropped(inns: Caller, text: str, message: str) -> None:
    status, _, said = await inns.refusal({"search": "*", "filter": text})
    assert status == 400
    assert message in said


async def test_ismatchscoring_adds_to_the_score(inns: Caller) -> None:
    plain = await inns.search({"search": "*", "filter": "search.ismatch('river')"})
    scored = await inns.search({"search": "*", "filter": "search.ismatchscoring('river')"})
    assert {hit["@search.score"] for hit in plain["value"]} == {1.0}
    assert all(hit["@search.score"] > 1 for hit in scored["value"])
    assert scored["value"][0]["id"] == "4"


async def test_a_filter_changes_no_score(inns: Caller) -> None:
    whole = {hit["id"]: hit["@search.score"] for hit in (await inns.search({"search": "river hotel"}))["value"]}
    part = await inns.search({"search": "river hotel", "filter": "open"})
    assert [(hit["id"], hit["@search.score"]) for hit in part["value"]] == [("4", whole["4"]), ("1", whole["1"])]


def scanned(operator: str, field: str, value: Any) -> list[str]:
    tests: dict[str, Callable[[Any], bool]] = {
        "eq": lambda held: held == value,
        "ne": lambda held: held != value,
        "gt": lambda held: held is not None and held > value,
        "ge": lambda held: held is not None and held >= value,
        "lt": lambda held: held is not None and held < value,
        "le": lambda held: held is not None and held <= value,
    }
    return [each["id"] for each in DOCUMENTS if tests[operator](each[field])]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    operator=st.sampled_from(["eq", "ne", "gt", "ge", "lt", "le"]),
    field=st.sampled_from(["rating", "price"]),
    value=st.one_of(st.integers(-5, 130), st.sampled_from([45.5, 80.0, 120.0, 3.0])),
)
async def test_comparisons_agree_with_a_plain_scan(inns: Caller, operator: str, field: str, value: float) -> None:
    found = await inns.keys({"search": "*", "filter": f"{field} {operator} {value}"})
    assert sorted(found) == scanned(operator, field, value)
