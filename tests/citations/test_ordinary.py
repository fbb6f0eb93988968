"""Ordinary stretches come out as the reader puts them out, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.retrieval import resolve
from shared.retrieval.citations.markdown.fast_path import MAX_PIECE
from shared.retrieval.citations.resolve import Account, Asked
from shared.retrieval.citations.sentinels import MAX_NODE_SIGNS
from tests.citations.hostile import LINES, WORDS
from tests.citations.support import ANCHOR, FORMATS, LINK, SOURCES, difference


def stretches(answer: str, *, required: bool = True) -> list[str]:
    """The ordinary stretches of an answer with the sources 1 to 3."""
    ordinary = Account(Asked(SOURCES, "html", required)).ordinary
    return [answer[start:end] for start, end in ordinary.stretches(answer)]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Rated Good [Evidence 1].", id="a line"),
        pytest.param("Good [Evidence 1][evidence 2], poor [Evidence 1, 3] and [Evidence 1-3].\n", id="groups"),
        pytest.param("## Head *x*\n\nText with `code` and **bold**\nin two lines.\n\n---\n\nMore.\n", id="blocks"),
        pytest.param("Head [Evidence 1]\n===\n\nText\n   --- \nMore\n- item\n=\nyet\n", id="underlines"),
        pytest.param("- one [Evidence 1]\n- two\n  - three\n     goes on\n\n   text of it\n\n- five\n", id="bullets"),
        pytest.param("- one\n  - two\n    - three\n      - four\n- five\n     1. six\n        goes on\n", id="in bullets"),
        pytest.param("Points:\n1. one\n2. two\n\n10) ten\n\nEnd [Evidence 2].\n", id="numbers"),
        pytest.param("1. one\n2. two\n    - three\n      - four\n   - five\n      * six\n3. seven\n", id="in numbers"),
        pytest.param("As it says:\n\n> Rated Good [Evidence 1]\n> and well.\n>\n> More.\n\nYes.\n", id="quotes"),
        pytest.param("Known [sic] as [1], 5 < 6, R&D! Is it^2? [Evidence of harm]\n", id="signs"),
        pytest.param("See gov.uk, a@b.com and https://evil.example/x [Evidence 1].\n", id="addresses"),
        pytest.param("Windows [Evidence 1].\r\n\r\nLines.\r\n", id="CRLF"),
        pytest.param("Old [Evidence 1].\rMac.\r\rLines.", id="CR"),
        pytest.param("\n \n\nLate [Evidence 1].\n\n\n", id="blank lines"),
        pytest.param("\n\n", id="nothing else"),
    ],
)
def test_whole_answer_is_one_stretch(answer: str) -> None:
    assert stretches(answer) == [answer]


@pytest.mark.parametrize(
    "odd",
    [
        "Text [a](b).",
        "Text ![Evidence 1].",
        "Text [[Evidence 1]].",
        "[a]: b",
        "[Evidence 1]: b",
        "Text [^1]",
        "Text ^[a]",
        "Text \\[Evidence 1].",
        "Text <b>.",
        "Text ``code``.",
        "Text `code.",
        "Text `[Evidence 1]`.",
        "===",
        "| a |\n|---|",
        "```\n[Evidence 1]\n```",
        "    [Evidence 1]",
        "# Head\n    [Evidence 1]",
        "-     [Evidence 1]",
        "- # Head\n      [Evidence 1]",
        "1.      [Evidence 1]",
        ">     [Evidence 1]",
        "- 2)\n      [Evidence 1]",
        "- 2)      [Evidence 1]",
        ">gov.uk [Evidence 1]",
        "- a\n\n      [Evidence 1]",
        "Text\n    - [Evidence 1]",
        "Text\n2. text\n    - [Evidence 1]",
        "-   a\n      1. b\n            - [Evidence 1]",
        "   - a\n    - [Evidence 1]",
        "> - a\n    - [Evidence 1]",
        "Text \u202e [Evidence 1]",
        "Text \ue200cite\ue201 [Evidence 1]",
        "Text 【Evidence 1】",
        "\t[Evidence 1]",
        "Text\x0b[Evidence 1]",
    ],
)
def test_what_needs_care_is_in_no_stretch(odd: str) -> None:
    """Nor is the block before it when it could go on with that; what stands around them is."""
    before, between, after = "Before [Evidence 1].\n\n", "Between.\n\n", "After [Evidence 2].\n"

    assert stretches(f"{before}{between}{odd}\n\n{after}") in ([before, after], [before + between, after])


@pytest.mark.parametrize("marker", ["[Evidence 9]", "[Evidence 1.5]", "[4:0†source]", "[Evidence 1-999]", "[evidence 0]"])
def test_sections_with_problems_are_in_no_stretch(marker: str) -> None:
    answer = f"One [Evidence 1].\n\nPoints:\n\n- two {marker}\n\n- three\n\nFour.\n\nFive {marker}\n\nSix [Evidence 2]."

    assert stretches(answer) == ["One [Evidence 1].\n\n", "Four.\n\n", "Six [Evidence 2]."]


def test_no_marker_is_ordinary_when_none_is_asked_for() -> None:
    assert stretches("One [Evidence 1].\n\nTwo.\n", required=False) == ["Two.\n"]


def test_code_that_is_open_goes_on() -> None:
    answer = "```\nA [Evidence 1].\n\nB [Evidence 1].\n\n```\n\nC [Evidence 1].\n"

    shown = resolve(answer, SOURCES, format="text")

    assert shown.answer == answer.replace("C [Evidence 1]", f"C Ofsted report ({LINK})")
    assert [citation.count for citation in shown.citations] == [1]


def test_code_in_an_item_ends_with_it() -> None:
    shown = resolve("- ```\n  A [Evidence 1].\n\nB [Evidence 1].\n", SOURCES)

    assert shown.answer == f"<ul>\n<li>\n<pre><code>A [Evidence 1].\n\n</code></pre>\n</li>\n</ul>\n<p>B {ANCHOR}.</p>\n"


_PIECES = r"""
word¦Good¦x¦[Evidence 1]¦[Evidence 2]¦[Evidence 1, 3]¦[Evidence 1-3]¦[Evidence 1][Evidence 2]¦[sic]¦[1]¦[Evidence of harm]
`code`¦`a b`¦**bold**¦*em*¦_u_¦~~d~~¦e.g.¦gov.uk¦http://a.b/c¦a@b.com¦R&D¦&amp;¦5 < 6¦!¦^¦(see)¦“q”¦1.¦2)¦-¦*¦#¦>¦=¦:¦[x]:
"""
_LEADS = "¦¦¦- ¦* ¦1. ¦2. ¦10) ¦# ¦## ¦> ¦>¦> - ¦   ¦  - ¦    - ¦      - ¦   1. ¦    ¦-  ¦-     ¦---¦```"
_WORD = st.sampled_from([piece for line in _PIECES.strip().split("\n") for piece in line.split("¦")])
_REST = st.lists(_WORD, max_size=4).map(" ".join)
_LINE = st.tuples(st.sampled_from(_LEADS.split("¦")), _REST).map("".join)
_ITEM_LEADS = "- ¦1. ¦2. ¦10. ¦  - ¦   1. ¦    - ¦    2) ¦     * ¦      1. ¦        - ¦         - ¦    word ¦> - ¦==="
_ITEMS = st.lists(st.tuples(st.sampled_from(_ITEM_LEADS.split("¦")), _REST).map("".join), max_size=8).map("\n".join)
_BREAK = st.sampled_from(["\n", "\n\n", "\n\n", "\r\n\r\n", "\n \n", "\r", "\r\r"])
_ORDINARY = st.lists(st.tuples(_LINE, _BREAK).map("".join), min_size=1, max_size=10).map("".join)
_MIXED = st.lists(_ORDINARY | LINES | WORDS, min_size=2, max_size=4).map("\n\n".join)


@given(_ORDINARY | _ITEMS | _MIXED, st.sampled_from(FORMATS), st.booleans())
@settings(max_examples=1_500, deadline=None)
def test_reader_puts_out_the_same(answer: str, shown_as: str, required: bool) -> None:
    """A stream reads every line."""
    assert difference(answer, [], shown_as, by_state=False, required=required) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("before", ["", "> ", "- item\n- "])
def test_emphasis_in_a_crowd_is_text(before: str) -> None:
    """In one block only; escaped signs lose their backslash as ever, those of code stay code."""
    crowd = before + r"*a* \*b\* **c** ~~d~~ \\ `*e*` [Evidence 1] " * 500 + "\n\n*f*\n"

    shown = resolve(crowd, SOURCES).answer

    assert shown.count(r"*a* *b* **c** ~~d~~ \ <code>*e*</code> " + ANCHOR) == 500
    assert shown.count("<em>") == shown.count("<em>f</em>") == 1
    for cut in (7, len(crowd) // 2):
        assert difference(crowd, [cut], "html", by_state=True) is None


def test_emphasis_of_many_blocks_is_no_crowd() -> None:
    answer = "- *a* [Evidence 1]\n" * (MAX_NODE_SIGNS + 1)

    assert stretches(answer) == [answer]
    assert resolve(answer, SOURCES).answer.count(f"<em>a</em> {ANCHOR}") == MAX_NODE_SIGNS + 1


def test_long_answer_is_cut_between_sections() -> None:
    """So that what is rendered at once stays small; the last section of a piece is never cut."""
    answer = "Text *a* [Evidence 1].\n\n- one\n\n- two\n\n" * (3 * MAX_PIECE // 40)

    pieces = stretches(answer)

    assert "".join(pieces) == answer
    assert len(pieces) > 2
    assert all(piece.startswith("Text") and len(piece) < MAX_PIECE + 50 for piece in pieces)
