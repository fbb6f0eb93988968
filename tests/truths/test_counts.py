"""docs/truth.md shows the counts that the tables give."""

from __future__ import annotations

from pathlib import Path

from tests.truths.counts import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "truth.md"


def test_page_shows_the_counts() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), "run make truth, and put the table into docs/truth.md"
