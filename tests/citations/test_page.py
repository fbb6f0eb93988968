"""The examples of docs/citations.md run as they stand and print what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import get_args

from shared.retrieval.citations.results import ProblemCode
from tests.citations.adversarial import ADVERSARIAL

PAGE = (Path(__file__).parents[2] / "docs" / "citations.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n\n```output\n(?P<output>.*?)```", re.DOTALL)


def test_examples_print_what_the_page_shows() -> None:
    names: dict[str, object] = {}
    examples = list(_EXAMPLE.finditer(PAGE))
    for example in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example["code"], "docs/citations.md", "exec"), names)
        assert printed.getvalue() == example["output"]
    assert len(examples) == PAGE.count("```python") == 4


def test_page_lists_every_hostile_answer() -> None:
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\d+) \| 0 \|$", PAGE, re.MULTILINE))

    assert {kind: int(count) for kind, count in rows.items() if kind != "all"} == {k: len(a) for k, a in ADVERSARIAL.items()}
    assert int(rows["all"]) == sum(map(len, ADVERSARIAL.values()))


def test_page_names_every_code() -> None:
    assert set(get_args(ProblemCode)) <= set(re.findall(r"`([a-z_]+)`", PAGE))
