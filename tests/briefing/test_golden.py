"""The sixteen writer cases of the original: each agrees, or stands in the table with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.briefing.golden import cases, expected, normal, run, run_all
from tests.truths.rules import Reason, Rule, Why


@dataclass(frozen=True)
class Deviation:
    """A case that differs: the reason, and our outcome."""

    reason: Reason
    why: str
    ours: str


NO_EVIDENCE = Rule.NO_EVIDENCE.value
DEVIATIONS = {
    "prompt_unnumbered": Deviation("rule", NO_EVIDENCE, "no_evidence"),
    "prompt_no_evidence": Deviation("rule", NO_EVIDENCE, "no_evidence"),
    "parallel_each_answer": Deviation("rule", NO_EVIDENCE, "no_evidence"),
    "parallel_one_fails": Deviation("rule", Rule.FAILED_TWICE.value, "failed_checks"),
    "sequential_text_evidence": Deviation(
        "rule",
        Rule.EVIDENCE_ALONE.value,
        "Evidence only",
    ),
}
# The original tells of two or more agents by name; those of ours that agree all the same.
AGREE_WITHIN = {"parallel_each_answer": ("with_sources", "not_required"), "parallel_one_fails": ()}


def _names(prefix: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases() if case["name"].startswith(prefix)]


@pytest.mark.parametrize("case", _names("prompt_"))
async def test_prompt_cases(case: Any) -> None:
    ours = await run(case)
    deviation = DEVIATIONS.get(case["name"])
    if deviation is not None:
        assert (ours.error, ours.calls) == (deviation.ours, 0)
        assert ours != expected(case)
    else:
        assert ours == expected(case)


@pytest.mark.parametrize("case", _names("parallel_"))
async def test_parallel_cases(case: Any) -> None:
    ours = await run_all(case)
    theirs = {entry["agent"]: normal(entry["output"]) for entry in case["outputs"]}
    agreeing = AGREE_WITHIN[case["name"]]
    assert {agent: ours[agent] for agent in agreeing} == {agent: theirs[agent] for agent in agreeing}
    assert DEVIATIONS[case["name"]].ours in ours.values()


def test_each_deviation_has_a_reason_and_is_a_case() -> None:
    names = {case["name"] for case in cases()}
    assert len(names) == 16
    assert DEVIATIONS.keys() <= names
    for deviation in DEVIATIONS.values():
        assert Why(deviation.reason, deviation.why).problem() is None


def test_the_tally() -> None:
    total, differ = len(cases()), len(DEVIATIONS)
    print(f"writer cases: agree {total - differ}, rule {differ}, safer 0, platform 0")
    assert differ <= 5
