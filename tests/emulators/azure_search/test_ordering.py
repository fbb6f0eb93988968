"""The order of hits."""

from __future__ import annotations

import pytest

from .hotels import Caller


@pytest.mark.parametrize(
    ("orderby", "keys"),
    [
        ("rating", ["3", "2", "4", "1"]),
        ("rating asc", ["3", "2", "4", "1"]),
        ("rating desc", ["1", "2", "4", "3"]),
        ("rating desc, price desc", ["1", "4", "2", "3"]),
        ("name", ["4", "2", "1", "3"]),
        ("built", ["3", "1", "2", "4"]),
        ("open desc, id desc", ["4", "1", "2", "3"]),
        ("address/city, id", ["3", "2", "4", "1"]),
        ("geo.distance(at, geography'POINT(-1.5 52)') asc", ["3", "1", "4", "2"]),
        ("geo.distance(geography'POINT(-0.1 51.5)', at) desc", ["1", "4", "2", "3"]),
        ("search.score() desc, id", ["1", "2", "3", "4"]),
    ],
)
async def test_orderby(inns: Caller, orderby: str, keys: list[str]) -> None:
    assert await inns.keys({"search": "*", "orderby": orderby}, version="2020-06-30") == keys


async def test_without_orderby_the_best_come_first(inns: Caller) -> None:
    scores = [hit["@search.score"] for hit in (await inns.search({"search": "river hotel garden"}))["value"]]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 3


async def test_more_than_32_clauses_are_refused(inns: Caller) -> None:
    status, _, message = await inns.refusal({"orderby": ",".join(["rating"] * 33)})
    assert (status, "At most 32 clauses" in message) == (400, True)
