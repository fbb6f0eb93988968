"""Time grows with the length of an answer and no faster, whatever the answer is made of."""

from __future__ import annotations

import time

import pytest

from bench.hostile_patterns import PATTERNS, pattern
from shared.retrieval import CitationStream, Format, check, resolve
from tests.citations.support import FORMATS, SOURCES

SIZE = 16_000
MOST_RATIO = 2.3
ENOUGH_SECONDS = 0.02
"""Less is noise of the clock."""


def _seconds(answer: str, shown_as: Format) -> float:
    start = time.process_time()
    resolve(answer, SOURCES, format=shown_as)
    return time.process_time() - start


@pytest.mark.parametrize("name", PATTERNS)
def test_twice_the_length_takes_about_twice_the_time(name: str) -> None:
    """Eight times the length, so that a square would show as 64; a busy machine gets more tries."""
    for shown_as in FORMATS:
        small, large = pattern(name, SIZE // 4), pattern(name, 2 * SIZE)
        for _ in range(4):
            half = min(_seconds(small, shown_as) for _ in range(3))
            ratio = _seconds(large, shown_as) / max(half, ENOUGH_SECONDS / 8)
            if ratio <= MOST_RATIO**3:
                break
        assert ratio <= MOST_RATIO**3


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("[Evidence " + "1, " * 50_000, id="open group"),
        pytest.param("[" * 200_000, id="brackets"),
        pytest.param("`" * 100_000, id="backticks"),
        pytest.param("[Evidence 1" + " " * 100_000, id="blanks"),
        pytest.param("[Evidence " + "1, " * 50_000 + "2]", id="closed group"),
    ],
)
def test_hostile_answers_of_real_people(answer: str) -> None:
    """CITE-11: under a second each."""
    start = time.process_time()
    check(answer, SOURCES)

    assert time.process_time() - start < 1


def test_stream_keeps_little_of_a_long_answer() -> None:
    stream = CitationStream(SOURCES, format="text")
    for _ in range(2_000):
        stream.feed("Rated Good [Evidence 1], with many words around it. ")

    assert len(stream.state) < 2_000
