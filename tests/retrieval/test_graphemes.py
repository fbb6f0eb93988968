"""Cuts fall between characters as people see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval.evidence.rendering import cut, is_boundary
from tests.support.counted_work import is_linear

WHOLE = [
    "e\u0301",
    "\r\n",
    "👩\u200d👩\u200d👧",
    "👍🏽",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "🇬🇧",
    "❤\ufe0f",
    "각",
    "\u1100\u1161\u11a8",
    "क्षि",
    "นำ",
    "กำ",
    "\u0600١",
    "ｶﾞ",
]


@pytest.mark.parametrize("whole", WHOLE, ids=ascii)
def test_one_character_is_never_split(whole: str) -> None:
    for place in range(1, len(whole)):
        assert not is_boundary(whole, place)
        assert cut("ab" + whole, 2 + place) == "ab"
    assert cut("ab" + whole, 2 + len(whole)) == "ab" + whole


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("abc", 2, "ab"),
        ("abc", 0, ""),
        ("abc", -5, ""),
        ("abc", 3, "abc"),
        ("🇬🇧🇫🇷", 3, "🇬🇧"),
        ("🇬🇧🇫🇷", 2, "🇬🇧"),
        ("e\u0301e\u0301", 3, "e\u0301"),
        ("a\n\u0301", 2, "a\n"),
        ("橡树小学", 2, "橡树"),
        ("한국어", 2, "한국"),
    ],
    ids=ascii,
)
def test_cut_keeps_the_longest_start(text: str, limit: int, kept: str) -> None:
    assert cut(text, limit) == kept


@given(st.text("ae\u0301\u200d👍🏽🇬\r\n각क्ष", max_size=30), st.integers(0, 30))
def test_cut_is_a_start_within_the_limit(text: str, limit: int) -> None:
    kept = cut(text, limit)

    assert text.startswith(kept)
    assert len(kept) <= limit
    assert is_boundary(text, len(kept))


@pytest.mark.parametrize("character", ["\u0301", "🇬", "\u200d"], ids=ascii)
def test_hostile_run_takes_linear_work(character: str) -> None:
    assert is_linear(lambda text: cut(text, len(text) // 2), "a" + character * 1_000, "a" + character * 8_000)
