"""The original's searches with a run after them: our search through the real SDK, and an answer to what it found."""

from __future__ import annotations

import pytest

from shared.retrieval import resolve
from tests.citations import golden as citations
from tests.retrieval.golden import Json, Run, expected, golden_cases
from tests.retrieval.golden_deviations import SEARCH_THEN_RUN

CASES = golden_cases("searchThenRun")
HALF_AN_EMOJI = "search_then_run_emoji_cut_name"
"""The original cuts a name inside a character, so ours differs in the name too."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
async def test_search_agrees_or_differs_as_the_table_says(case: Json) -> None:
    run = Run(case)

    result = await run.result()

    deviation = SEARCH_THEN_RUN.get(case["name"])
    measured = {"result": case["result"]}
    if deviation is None:
        assert result == expected(measured)
    else:
        assert result != expected(measured)
        assert run.text == deviation.ours
        assert deviation.problem() is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
async def test_answer_is_resolved_on_what_was_found(case: Json) -> None:
    run = Run(case)
    await run.result()
    assert run.evidence is not None

    found = resolve(
        citations.text_of(case["answer"]), run.evidence.sources, format="text", required=case["requiredCitations"]
    )

    shown = citations.our_form(found.answer, run.evidence.sources) if found.valid else "invalid"
    measured = citations.ours(case)
    if case["name"] == HALF_AN_EMOJI:
        measured = measured.replace("\N{REPLACEMENT CHARACTER}", "🏫")
    assert shown == measured


def test_table_holds_cases_alone() -> None:
    assert SEARCH_THEN_RUN.keys() <= {case["name"] for case in CASES}
