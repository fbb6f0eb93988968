"""The extractive writer on judged questions: what it has to reach, and how often it says that the evidence does not tell."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from shared.answers import Task
from shared.answers.extractive import extract
from shared.answers.literal import unescape_markdown
from tests.answers import judged
from tests.answers.judged import Judged

SETS = [
    ("one field", judged.one_field(1), 195),
    ("one field, held apart", judged.one_field(3, judged.ONE_FIELD_HELD), 195),
    ("one field, fresh", judged.one_field(5, judged.ONE_FIELD_FRESH), 195),
    ("several fields", judged.several_fields(1), 95),
    ("running text", judged.running_text(), 27),
    ("not told by fields", judged.not_told(1), 95),
    ("not told by fields, held apart", judged.not_told(2, judged.NOT_TOLD_HELD), 95),
    ("not told by fields, fresh", judged.not_told(6, judged.NOT_TOLD_FRESH), 95),
    ("not told by running text", judged.text_not_told(), 95),
]


@pytest.mark.parametrize(("name", "questions", "least"), SETS, ids=[row[0] for row in SETS])
def test_judged_questions(name: str, questions: Iterable[Judged], least: int) -> None:
    asked = list(questions)
    wrong = [one.prompt for one in asked if not one.is_right(_answer(one))]
    print(f"{name}: right {len(asked) - len(wrong)} of {len(asked)}; wrong: {wrong[:5]}")
    assert len(asked) - len(wrong) >= least


def _answer(one: Judged) -> str:
    return unescape_markdown(extract(Task(prompt=one.prompt, evidence=one.evidence)).text)
