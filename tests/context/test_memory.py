"""Memory and search text: limits, resent histories, the order in which texts are lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval.context.memory import holds_remembered, remember, search_text
from tests.support.counted_work import is_linear

texts = st.lists(st.sampled_from(["one", "two", "three"]), max_size=6)


@pytest.mark.parametrize(
    ("remembered", "new", "limit", "expected"),
    [
        pytest.param((), ["a", "b"], 5, ("a", "b"), id="first turn"),
        pytest.param(("a",), ["b"], 5, ("a", "b"), id="next turn"),
        pytest.param(("a", "b"), ["c"], 2, ("b", "c"), id="oldest go"),
        pytest.param(("a", "b"), ["a", "b", "c"], 5, ("a", "b", "c"), id="whole history resent"),
        pytest.param(("b", "c"), ["a", "b", "c", "d"], 2, ("c", "d"), id="history resent after the limit cut it"),
        pytest.param(("a",), ["a"], 5, ("a",), id="the same turn told twice"),
        pytest.param(("a", "b"), ["a", "c"], 5, ("a", "b", "a", "c"), id="only the first text is the same"),
        pytest.param(("", None, "a"), ["a", "b"], 5, ("", None, "a", "b"), id="blank texts of a given state play no part"),
        pytest.param((), ["a", "b", "c"], 2, ("b", "c"), id="one turn over the limit"),
    ],
)
def test_remember(remembered: tuple[str | None, ...], new: list[str], limit: int, expected: tuple[str | None, ...]) -> None:
    assert remember(remembered, new, limit) == expected


@given(history=texts, new=texts, limit=st.integers(1, 5))
def test_a_resent_history_is_remembered_as_if_only_its_end_had_been_sent(
    history: list[str], new: list[str], limit: int
) -> None:
    remembered = remember((), history, limit)
    resent = remember(remembered, [*history, *new], limit)
    assert len(resent) <= limit
    if len(history) + len(new) >= limit or len(history) < limit:
        assert resent == tuple([*history, *new][-limit:])


@pytest.mark.parametrize(
    ("remembered", "current", "limit", "expected"),
    [
        pytest.param((), ["a"], 5, False, id="nothing remembered"),
        pytest.param(("a",), ["a", "b"], 5, True, id="begins with the memory"),
        pytest.param(("b",), ["a", "b", "c"], 1, True, id="full memory further on"),
        pytest.param(("b",), ["a", "b", "c"], 5, False, id="a memory with room was never cut"),
        pytest.param(("a", "b"), ["b"], 2, False, id="shorter than the memory"),
    ],
)
def test_holds_remembered(remembered: tuple[str, ...], current: list[str], limit: int, expected: bool) -> None:
    assert holds_remembered(remembered, current, limit) is expected


def test_remembered_texts_are_lost_before_current_ones_and_oldest_first() -> None:
    text = search_text(("old" * 2000, "newer" * 1000, "newest"), ["x" * 4000])
    assert text == "\n".join(["newest", "x" * 4000]) or text == "\n".join(["newer" * 1000, "newest", "x" * 4000])
    assert "old" not in text
    assert text.startswith("newer")


def test_a_current_text_over_the_limit_loses_its_start_and_all_memory() -> None:
    assert search_text(("remembered",), ["a" + "b" * 9_999, "c"]) == "b" * 9_998 + "\nc"


@pytest.mark.parametrize("length", [9_999, 10_000, 10_001, 25_000])
def test_a_search_text_has_at_most_ten_thousand_code_points(length: int) -> None:
    assert len(search_text(("ä" * 50,), ["😀" * length])) <= 10_000


def test_many_thousand_remembered_texts_take_linear_time() -> None:
    few, many = ("a",) * 4_000, ("a",) * 32_000
    text = search_text(many, ["question"])
    assert (len(text), text[-8:]) == (10_000, "question")
    assert is_linear(lambda remembered: search_text(remembered, ["question"]), few, many)
