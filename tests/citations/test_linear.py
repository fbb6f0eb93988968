"""Time grows with the length of an answer and no faster, whatever the answer is made of."""

from __future__ import annotations

import pytest

from bench.hostile_patterns import PATTERNS, pattern
from shared.retrieval import CitationStream, Format, check, resolve
from tests.citations.support import FORMATS, SOURCES
from tests.support.processor_time import is_linear, seconds

SIZE = 4_000


@pytest.mark.parametrize("shown_as", FORMATS)
@pytest.mark.parametrize("name", PATTERNS)
def test_twice_the_length_takes_about_twice_the_time(name: str, shown_as: Format) -> None:
    """Eight times the length."""
    small, large = pattern(name, SIZE), pattern(name, 8 * SIZE)

    assert is_linear(lambda answer: resolve(answer, SOURCES, format=shown_as), small, large)


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
    assert seconds(lambda: check(answer, SOURCES)) < 1


def test_stream_keeps_little_of_a_long_answer() -> None:
    stream = CitationStream(SOURCES, format="text")
    for _ in range(2_000):
        stream.feed("Rated Good [Evidence 1], with many words around it. ")

    assert len(stream.state) < 2_000
