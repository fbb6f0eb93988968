"""Every measured citation case of the original agrees, or stands in the table of deviations with reason and result."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.citations.golden import Json, expected, golden_cases, ours, shortened, streamed, whole
from tests.citations.golden_deviations import DEVIATIONS, MOST_SPEC

GROUPS = ("citations", "streaming", "searchThenRun")
BY_NAME = {name: (deviation, result) for deviation in DEVIATIONS for name, result in deviation.ours.items()}


def _cases(*groups: str) -> list[Any]:
    return [pytest.param(case, id=f"{group}-{case['name']}") for group in groups for case in golden_cases(group)]


@pytest.mark.parametrize("case", _cases(*GROUPS))
def test_measured_case(case: Json) -> None:
    result, wanted = ours(case), expected(case)

    if result != wanted:
        assert case["name"] in BY_NAME, f"{result!r} is not {wanted!r}"
        assert shortened(result) == BY_NAME[case["name"]][1]


def test_table_lists_only_what_differs() -> None:
    differing = {case["name"] for group in GROUPS for case in golden_cases(group) if ours(case) != expected(case)}

    assert set(BY_NAME) == differing
    assert len(BY_NAME) == sum(len(deviation.ours) for deviation in DEVIATIONS)


@pytest.mark.parametrize("group", GROUPS)
def test_counts_of_a_group(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    differ = [case["name"] for case in golden_cases(group) if ours(case) != expected(case)]
    counts = Counter(BY_NAME[name][0].reason for name in differ)
    with capsys.disabled():
        agree = len(golden_cases(group)) - len(differ)
        print(f"\n{group}: agree {agree}, rule {counts['rule']}, safer {counts['safer']}, platform {counts['platform']}")

    assert counts["rule"] <= MOST_SPEC[group]


@pytest.mark.parametrize("case", _cases("streaming"))
def test_measured_answer_in_pieces(case: Json) -> None:
    """The original differs from itself in seven answers; ours in none."""
    assert {size: streamed(case, size) for size in (1, 2, 3, 5, 7, 11)} == dict.fromkeys((1, 2, 3, 5, 7, 11), whole(case))
