"""The page of deviations says what the tables say."""

from __future__ import annotations

from tests.retrieval.original_page import PAGE, page


def test_page_is_written_from_the_tables() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.retrieval.original_page"
