"""The sixteen writer cases of the original: each agrees, or stands in the table with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from tests.briefing.golden import cases, expected, normal, run, run_all
from tests.truth import SHARED


@dataclass(frozen=True)
class Deviation:
    """A case that differs: the sentence of the contract, and our outcome."""

    reason: Literal["spec", "safer", "platform"]
    why: str
    ours: str


NO_EVIDENCE = "No evidence: `no_evidence`, the writer is not called."
DEVIATIONS = {
    "prompt_unnumbered": Deviation("spec", NO_EVIDENCE, "no_evidence"),
    "prompt_no_evidence": Deviation("spec", NO_EVIDENCE, "no_evidence"),
    "parallel_each_answer": Deviation("spec", NO_EVIDENCE, "no_evidence"),
    "parallel_one_fails": Deviation(
        "spec", "Second failed check: `failed_checks`, `answer` null and the text only in `uncheckedAnswer`", "failed_checks"
    ),
    "sequential_text_evidence": Deviation(
        "spec",
        "in the briefing package `answer`, `stream_answer`, `answer_all` (§8.1), which take `Evidence`",
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


def test_each_deviation_quotes_the_contract_and_is_a_case() -> None:
    spec = " ".join((SHARED / "spec.md").read_text(encoding="utf-8").split())
    names = {case["name"] for case in cases()}
    assert len(names) == 16
    assert DEVIATIONS.keys() <= names
    for deviation in DEVIATIONS.values():
        assert " ".join(deviation.why.split()) in spec


def test_the_tally() -> None:
    total, differ = len(cases()), len(DEVIATIONS)
    print(f"writer cases: agree {total - differ}, spec {differ}, safer 0, platform 0")
    assert differ <= 5
