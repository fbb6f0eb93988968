"""Every measured filter: the same text from Python's values, or a row in the table."""

from __future__ import annotations

import pytest

from tests.retrieval.golden import Json, golden_cases
from tests.retrieval.golden_deviations import Deviation
from tests.retrieval.golden_filters import FILTERS, MOST_FILTERS, our_filter
from tests.truths.rules import REASONS

CASES = [case for case in golden_cases("filter") if "template" in case or "raw" in case]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_measured_filter(case: Json) -> None:
    original = "error" if "error" in case else _utf16(case["filter"])

    ours = our_filter(case)

    deviation = FILTERS.get(case["name"])
    if deviation is None:
        assert ours == original
    else:
        assert ours == deviation.ours != original


def _utf16(value: Json) -> Json:
    return value if isinstance(value, str) else "half a character"


@pytest.mark.parametrize(("name", "row"), FILTERS.items())
def test_deviation_has_a_case_and_a_reason_that_can_be_read(name: str, row: Deviation) -> None:
    assert name in {case["name"] for case in CASES}
    assert row.problem() is None


def test_deviations_are_capped() -> None:
    reasons = [row.reason for row in FILTERS.values()]
    counts = " / ".join(f"{reason} {reasons.count(reason)}" for reason in REASONS)
    print(f"filter: agree {len(CASES) - len(FILTERS)} / {counts}")

    assert len(FILTERS) <= MOST_FILTERS
