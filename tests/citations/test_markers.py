"""What stands between brackets: markers in every shape that models write, malformed ones, other tools' and ordinary text."""

from __future__ import annotations

import pytest

from shared.retrieval import Source, check, resolve
from tests.citations.support import codes, numbers

TWELVE = tuple(Source(number=n, name=f"Source {n}") for n in range(1, 13))

READ = [
    pytest.param("[Evidence 1]", [1], id="plain"),
    pytest.param("[evidence 1]", [1], id="lower case"),
    pytest.param("[EVIDENCE 1]", [1], id="upper case"),
    pytest.param("[Evidence1]", [1], id="no blank"),
    pytest.param("[Evidence   1]", [1], id="several blanks"),
    pytest.param("[Evidence\u00a01]", [1], id="no-break blank"),
    pytest.param("[Evidence\n1]", [1], id="line break"),
    pytest.param("[Evidence\r\n1]", [1], id="CRLF"),
    pytest.param("[ Evidence 1 ]", [1], id="blanks inside the brackets"),
    pytest.param("[Evidence: 1]", [1], id="colon"),
    pytest.param("[Evidence #1]", [1], id="hash"),
    pytest.param("[Evidence １２]", [12], id="full-width digits"),
    pytest.param("[Evidence 007]", [7], id="leading zeros"),
    pytest.param("[Evidence 1, 3]", [1, 3], id="comma"),
    pytest.param("[Evidence 3,1]", [3, 1], id="order of use"),
    pytest.param("[Evidence 1; 3]", [1, 3], id="semicolon"),
    pytest.param("[Evidence 1 and 3]", [1, 3], id="and"),
    pytest.param("[Evidence 1, 2 and 3]", [1, 2, 3], id="comma and and"),
    pytest.param("[Evidence 1, and 3]", [1, 3], id="comma before and"),
    pytest.param("[Evidence 1; Evidence 2]", [1, 2], id="word repeated"),
    pytest.param("[Evidence 1-3]", [1, 2, 3], id="range"),
    pytest.param("[Evidence 1–3]", [1, 2, 3], id="range with an en dash"),
    pytest.param("[Evidence 1-3, 7]", [1, 2, 3, 7], id="range in a group"),
    pytest.param("[Evidence 2-2]", [2], id="range of one"),
    pytest.param("[Evidence 1, 1, 1]", [1], id="repeats"),
    pytest.param("[[Evidence 2]]", [2], id="doubled"),
    pytest.param("【Evidence 1】", [1], id="lenticular"),
    pytest.param("［Evidence 1］", [1], id="full-width brackets"),
    pytest.param("[Evidence 1][Evidence 2]", [1, 2], id="chain"),
]


@pytest.mark.parametrize(("marker", "cited"), READ)
def test_marker_is_read(marker: str, cited: list[int]) -> None:
    result = resolve(f"A {marker}.", TWELVE, format="text")

    assert [citation.number for citation in result.citations] == cited
    assert result.valid
    assert "vidence" not in result.answer


@pytest.mark.parametrize(
    "marker",
    [
        "[Evidence 1.5]",
        "[Evidence -1]",
        "[Evidence +1]",
        "[Evidence 0000001]",
        f"[Evidence {'9' * 5000}]",
        "[Evidence ١]",
        "[Evidence १२]",
        "[Evidence 3-1]",
        "[Evidence 1-51]",
        "[Evidence 1-2-3]",
        "[Evidence 1, 2.5]",
        "[Evidence 1, , 2]",
        "[Evidence 1 2]",
        "[[Evidence 1.5]]",
        "[Evidence 1&#44; 2]",
        "[Evidence 1\u20153]",
        "[Evidence 1~3]",
        "[Evidence ±1]",
        "[Evidence *1*]",
    ],
)
def test_malformed_marker_goes_and_is_reported(marker: str) -> None:
    result = resolve(f"A {marker} b [Evidence 1].", TWELVE, format="text")

    assert result.answer == "A b [Source 1]."
    assert codes(result) == ["malformed_marker"]
    assert not result.valid
    assert len(result.problems[0].excerpt) <= 80


def test_range_of_fifty_is_read_and_of_one_more_is_not() -> None:
    sources = tuple(Source(number=n, name=f"S{n}") for n in range(1, 61))

    assert len(resolve("[Evidence 1-50]", sources, format="text").citations) == 50
    assert codes(resolve("[Evidence 1] [Evidence 1-51]", sources, format="text")) == ["malformed_marker"]


@pytest.mark.parametrize(
    "text",
    [
        "[Evidence]",
        "[Evidence of harm]",
        "[Evidence n]",
        "[Evidences 1]",
        "[Evidence 1a]",
        "[Evidence 1 to 3]",
        "[Evidence ...]",
        "[mg / l]",
        "[doc1]",
        "[Overview of 8f]",
        "(Evidence 1)",
        "Evidence 1",
        "[Evidence 1",
        "Evidence 1]",
        r"\[Evidence 1\]",
        r"\[Evidence 1]",
        r"[Evidence 1\]",
        "[^Evidence 1]",
        "&#91;Evidence 1&#93;",
        "⟦Evidence 1⟧",
        "〔Evidence 1〕",
        "【Evidence 1]",
        "[Evi\u200bdence 1]",
        "[ref_id:0]",
    ],
)
def test_ordinary_text_is_untouched(text: str) -> None:
    result = resolve(f"A {text} b [Evidence 1]", TWELVE, format="text")

    assert result.answer == f"A {text} b [Source 1]"
    assert codes(result) == []


@pytest.mark.parametrize(
    "marker",
    [
        "【4:0†source】",
        "[4:2†source]",
        "【12†L1-L5】",
        "【report.pdf†L3】",
        "【1†Report†gov.uk】",
        "\ue200cite\ue202turn0search1\ue201",
    ],
)
def test_marker_of_another_tool_goes_and_is_noted(marker: str) -> None:
    result = resolve(f"A {marker} b [Evidence 1].", TWELVE, format="text")

    assert result.answer == "A b [Source 1]."
    assert codes(result) == ["foreign_marker"]
    assert result.valid


@pytest.mark.parametrize(
    ("marker", "cited"),
    [("[ref_id:0]", [1]), ("[ref_id: 2]", [3]), ("[ref_id:0, ref_id:2]", [1, 3]), ("[REF_ID:1][Evidence 1]", [2, 1])],
)
def test_references_count_from_zero(marker: str, cited: list[int]) -> None:
    result = resolve(f"A {marker}.", TWELVE, format="text", references=True)

    assert [citation.number for citation in result.citations] == cited


def test_numbers_are_checked_one_by_one() -> None:
    """CITE-02: made-up numbers go, the others stay, and the list agrees with the text."""
    sources = TWELVE[:3]
    answer = "a [Evidence 3] b [Evidence 4] c [Evidence 0] d [Evidence 007] e [Evidence 1, 12] f [Evidence 3]"

    result = resolve(answer, sources, format="text")

    assert result.answer == "a [Source 3] b c d e [Source 1] f [Source 3]"
    assert numbers(result.citations) == [(3, 2), (1, 1)]
    assert result.uncited == (2,)
    assert [problem.numbers for problem in result.problems] == [(4,), (0,), (7,), (12,)]
    assert result.retry_prompt == (
        "[Evidence 0], [Evidence 4], [Evidence 7], [Evidence 12] do not exist; cite only [Evidence 1] to [Evidence 3]."
    )


def test_group_is_shown_joined_by_commas() -> None:
    assert resolve("A [Evidence 1, 2].", TWELVE, format="text").answer == "A [Source 1], [Source 2]."


def test_marker_over_the_lines_of_a_quote() -> None:
    assert resolve("> A [Evidence\n> 1] b", TWELVE, format="markdown").answer == r"> A \[Source 1\] b"


@pytest.mark.parametrize(
    ("answer", "valid", "found"),
    [
        ("Good [Evidence 1].", True, []),
        ("Good.", False, ["no_citation"]),
        ("", False, ["no_citation"]),
        ("Good [Evidence 99].", False, ["unknown_number"]),
        ("Good [Evidence 1.5].", False, ["malformed_marker", "no_citation"]),
        ("Good `[Evidence 1]`.", False, ["no_citation"]),
        ("![Evidence 1](x.png)", False, ["image_removed", "no_citation"]),
    ],
)
def test_check(answer: str, valid: bool, found: list[str]) -> None:
    result = check(answer, TWELVE)

    assert result.valid is valid
    assert [problem.code for problem in result.problems] == found
    assert (result.retry_prompt is None) is valid
