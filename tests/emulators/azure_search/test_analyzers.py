"""Words and terms, by analyzer."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulators.azure_search.analysis.analyzers import ANALYZERS, analyzer, words


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        (None, "St Mary's C++ (wi-fi)", ["st", "mary's", "c", "wi", "fi"]),
        (None, "24/7 support, 3.5 stars, 1,000 rooms", ["24", "7", "support", "3.5", "stars", "1,000", "rooms"]),
        (None, "学校の先生", ["学", "校", "の", "先", "生"]),
        (None, "ホテル hotel", ["ホテル", "hotel"]),
        (None, "서울 학교", ["서울", "학교"]),
        (None, "naïve café", ["naïve", "café"]),
        (None, "snake_case and _ alone", ["snake_case", "and", "alone"]),
        (None, "example.org:80", ["example.org", "80"]),
        ("en.lucene", "The hotels' rivers and Mary's concerns", ["hotel", "river", "mari", "concern"]),
        ("fr.lucene", "L'hôtel des écoles", ["hotel", "ecole"]),
        ("keyword", "St Mary's", ["St Mary's"]),
        ("whitespace", "A-b c", ["A-b", "c"]),
        ("simple", "B2B Rooms", ["b", "b", "rooms"]),
        ("stop", "the rooms", ["rooms"]),
        ("standardasciifolding.lucene", "Café", ["cafe"]),
        ("de.lucene", "Schulen", ["schul"]),
        ("ja.lucene", "学校", ["学", "校"]),
    ],
)
def test_terms(name: str | None, text: str, terms: list[str]) -> None:
    assert [token.term for token in analyzer(name)(text)] == terms


def test_overlong_words_are_cut() -> None:
    assert [len(token.term) for token in analyzer(None)("x" * 600)] == [255, 255, 90]


def test_stop_words_leave_gaps() -> None:
    assert [token.position for token in analyzer("en.lucene")("inn by the river")] == [0, 3]


@pytest.mark.parametrize("name", sorted(ANALYZERS))
@given(text=st.text(max_size=80))
def test_offsets_and_positions(name: str, text: str) -> None:
    tokens = ANALYZERS[name](text)
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)
    assert [token.position for token in tokens] == sorted(token.position for token in tokens)


@given(text=st.text(max_size=80))
def test_words_do_not_overlap(text: str) -> None:
    spans = [(start, end) for _, start, end in words(text)]
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
