"""What holds for any answer: nothing live in any renderer, text outside markers unchanged, one verdict for all formats."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.retrieval import Source, check, resolve
from tests.citations.hostile import HOSTILE_ANSWERS, LINES, WORDS
from tests.citations.renderers import RENDERERS
from tests.citations.support import FORMATS, SOURCES, live_parts


@given(HOSTILE_ANSWERS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_html_is_never_live(answer: str, required: bool) -> None:
    assert live_parts(resolve(answer, SOURCES, required=required).answer, ours=True) == []


@pytest.mark.parametrize("renderer", RENDERERS)
@given(WORDS | LINES, st.booleans())
@settings(max_examples=200, deadline=None)
def test_markdown_is_never_live(renderer: str, answer: str, required: bool) -> None:
    markdown = resolve(answer, SOURCES, format="markdown", required=required).answer

    assert live_parts(RENDERERS[renderer](markdown), ours=False) == [], markdown


PLAIN_WORDS = st.text(st.sampled_from("abcdefghij äß漢字, ;)'\"%&+=/"), min_size=1, max_size=12)


@given(st.lists(PLAIN_WORDS, min_size=1, max_size=8), st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_text_outside_markers_is_unchanged(words: list[str], number: int) -> None:
    """Each marker stands for one sign, so that the text around it can be compared byte for byte."""
    sources = [Source(number=n, name="§") for n in (1, 2, 3)]
    answer = f"[Evidence {number}]".join(["a", *words, "z"])

    for shown_as, sign in (("text", "[§]"), ("markdown", r"\[§\]")):
        shown = resolve(answer, sources, format=shown_as).answer  # type: ignore[arg-type]
        assert shown.split(sign) == re.split(r"\[Evidence \d\]", answer)


@given(HOSTILE_ANSWERS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_verdict_is_the_same_in_every_format(answer: str, required: bool) -> None:
    results = [resolve(answer, SOURCES, format=shown_as, required=required) for shown_as in FORMATS]
    checked = check(answer, SOURCES, required=required)

    assert len({(r.valid, r.citations, r.uncited, r.retry_prompt) for r in results}) == 1
    assert (checked.valid, checked.retry_prompt) == (results[0].valid, results[0].retry_prompt)
    assert checked.problems == results[0].problems


@given(HOSTILE_ANSWERS)
@settings(max_examples=150, deadline=None)
def test_retry_prompt_repeats_nothing_of_the_answer(answer: str) -> None:
    prompt = check(answer, SOURCES).retry_prompt or ""

    assert not re.search(r"[<>@`*\\]|://|www|evil|script", prompt)
    assert len(prompt) < 600
