"""The state that travels with the caller: its shape and its 64 KiB."""

from __future__ import annotations

import json

import pytest

from shared.retrieval import InvalidRequest, TooLarge
from shared.retrieval.context.memory import read_texts, write_texts

KEY = "TextSearchProvider"


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        pytest.param(5, f"$.state.{KEY}", id="number"),
        pytest.param("text", f"$.state.{KEY}", id="text"),
        pytest.param(["one"], f"$.state.{KEY}", id="list"),
        pytest.param({"recentMessagesText": "one"}, f"$.state.{KEY}.recentMessagesText", id="text for a list"),
        pytest.param({"recentMessagesText": ["one", 2]}, f"$.state.{KEY}.recentMessagesText[1]", id="number among texts"),
    ],
)
def test_a_malformed_entry_is_named_by_its_path(entry: object, path: str) -> None:
    with pytest.raises(InvalidRequest, match=r"The state is malformed\.") as caught:
        read_texts({KEY: entry}, KEY, 5)
    assert [(problem.path, problem.code) for problem in caught.value.problems] == [(path, "wrong_type")]


def test_the_limit_holds_for_a_state_that_comes_in() -> None:
    assert read_texts({KEY: {"recentMessagesText": ["one", "two", "three"]}}, KEY, 2) == ("two", "three")


@pytest.mark.parametrize("text", ["a" * 1000, "ä" * 500, "😀" * 250, "\x01" * 200])
def test_the_state_stays_within_64_kib_and_the_oldest_go(text: str) -> None:
    texts = tuple(f"{number} {text}" for number in range(500))
    state = write_texts({"Other": {"kept": True}}, KEY, texts)
    kept = state[KEY]["recentMessagesText"]  # type: ignore[index]
    assert len(json.dumps(state, ensure_ascii=False).encode()) <= 65_536
    assert state["Other"] == {"kept": True}
    assert 0 < len(kept) < 500
    assert tuple(kept) == texts[-len(kept) :]
    one_more = {**state, KEY: {"recentMessagesText": list(texts[-len(kept) - 1 :])}}
    assert len(json.dumps(one_more, ensure_ascii=False).encode()) > 65_536


def test_one_text_over_the_size_leaves_nothing_remembered() -> None:
    assert write_texts({}, KEY, ("x" * 70_000,)) == {KEY: {"recentMessagesText": []}}


def test_other_entries_alone_over_the_size_are_refused() -> None:
    with pytest.raises(TooLarge, match="over 65536 bytes"):
        write_texts({"Other": "x" * 70_000}, KEY, ("one",))
