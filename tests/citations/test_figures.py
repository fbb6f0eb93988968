"""Figures of cited sentences against their evidence: precision and recall over the table, and how they are reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.retrieval import Evidence, InvalidRequest, Source, check, resolve
from shared.retrieval.citations.figures import evidence_blocks, unsupported_figures
from shared.retrieval.citations.figures.numbers import figures_in, fold
from shared.retrieval.citations.links import LinkPolicy
from shared.retrieval.citations.markdown.inlines import ScanOptions
from tests.citations.figure_sentences import AFTER, BEFORE, LATER, Row
from tests.support.processor_time import is_linear


def _unseen() -> Iterator[Row]:
    """Sentences by people who had not seen the code, with what a careful reader would have reported."""
    lines = Path(__file__).with_name("figure_sentences_unseen.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        yield Row(row["answer"], tuple(row["evidence"]), tuple(row["unsupported"]))


UNSEEN = tuple(_unseen())


def _reported(row: Row) -> list[str]:
    """The excerpts of the figures that are reported for a row."""
    blocks = dict(enumerate(row.evidence, 1))
    sources = [Source(number=number, name="Source") for number in blocks]
    return [p.excerpt for p in unsupported_figures(row.answer, sources, ScanOptions(LinkPolicy((), ())), blocks)]


def _hits(row: Row) -> int:
    """How many of the wanted figures are reported: each report begins shortly before its figure."""
    left = list(row.unsupported)
    for excerpt in _reported(row):
        found = next((figure for figure in left if figure in excerpt), None)
        if found is not None:
            left.remove(found)
    return len(row.unsupported) - len(left)


@pytest.mark.parametrize("row", [*BEFORE, *AFTER, *LATER, *UNSEEN], ids=lambda row: row.answer[:40])
def test_number_of_reports(row: Row) -> None:
    assert len(_reported(row)) == len(row.unsupported)
    assert _hits(row) == len(row.unsupported)


@pytest.mark.parametrize("table", [BEFORE, AFTER, LATER, UNSEEN], ids=["before", "after", "later", "unseen"])
def test_precision_and_recall(table: tuple[Row, ...], capsys: pytest.CaptureFixture[str]) -> None:
    reported = sum(len(_reported(row)) for row in table)
    wanted = sum(len(row.unsupported) for row in table)
    right = sum(_hits(row) for row in table)
    with capsys.disabled():
        print(f"\n{len(table)} sentences: precision {right / reported:.3f}, recall {right / wanted:.3f}")

    assert right / reported >= 0.95
    assert right / wanted >= 0.9


def test_table_is_large_and_half_of_it_came_first() -> None:
    assert len(BEFORE) >= 60
    assert len(BEFORE) + len(AFTER) >= 120


EVIDENCE = Evidence(
    text="--- s Evidence 1 ---\nnumber_on_roll: 271\n\n--- s Evidence 2 ---\nstaff: 40",
    sources=(Source(number=1, name="Roll"), Source(number=2, name="Staff")),
    blocks=("number_on_roll: 271", "staff: 40"),
)


def test_report_tells_sentence_and_numbers() -> None:
    result = check("A long sentence that says there are 272 pupils and 40 staff [Evidence 1, 2].", EVIDENCE, figures=True)

    assert result.valid is False
    assert [(p.code, p.numbers) for p in result.problems] == [("unsupported_figure", (1, 2))]
    assert result.problems[0].excerpt == "that says there are 272 pupils and 40 staff [Evidence 1, 2]."
    assert result.retry_prompt == "Some figures are not in the evidence cited beside them; use its figures."


@pytest.mark.parametrize("evidence", [EVIDENCE, EVIDENCE.text, Evidence(text=EVIDENCE.text, sources=EVIDENCE.sources)])
def test_evidence_as_value_or_as_text(evidence: Evidence | str) -> None:
    answer = "There are 271 pupils [Evidence 1] and 41 staff [Evidence 2]."

    result = resolve(answer, EVIDENCE.sources, format="text", figures=True, evidence=evidence)

    assert [p.code for p in result.problems] == ["unsupported_figure"]
    assert "41" in result.problems[0].excerpt


def test_evidence_text_is_read_by_its_headings() -> None:
    assert evidence_blocks(EVIDENCE.text) == {1: "\nnumber_on_roll: 271\n\n", 2: "\nstaff: 40"}
    assert evidence_blocks(EVIDENCE.text.replace("\n", "\r\n")).keys() == {1, 2}
    assert evidence_blocks("none here") == {}


@pytest.mark.parametrize("evidence", ["", "No headings here: 5", "--- x Evidence 2 ---\nn: 5"])
def test_a_cited_number_without_evidence_supports_no_figure(evidence: str) -> None:
    sources = [Source(number=1, name="A"), Source(number=2, name="B")]
    found = check("It has 5 pupils [Evidence 1].", sources, figures=True, evidence=evidence)
    assert [(problem.code, problem.numbers) for problem in found.problems] == [("unsupported_figure", (1,))]


def test_place_is_reported_as_written() -> None:
    found = check("Ｌｅｓｓｏｎｓ ｌａｓｔ ２½&nbsp;hours [Evidence 1].", EVIDENCE, figures=True)

    assert [problem.excerpt for problem in found.problems] == ["Ｌｅｓｓｏｎｓ ｌａｓｔ ２½&nbsp;hours [Evidence 1]."]


def test_entities_cite_nothing() -> None:
    """Not even when they stand for the signs that stand for a citation here."""
    found = check("It has 5 pupils &#64982;1&#xFDD6;. Good [Evidence 1].", EVIDENCE, figures=True)

    assert found.valid


@pytest.mark.parametrize(
    "piece",
    [
        "1, ",
        "1 and ",
        "one hundred ",
        "one thousand ",
        "5 to the ",
        "1-1-1-",
        "1/2/3/",
        "½ ",
        "2½",
        "£1-2-",
        "May 5, ",
        "&#49;",
    ],
)
def test_hostile_numbers_take_linear_time(piece: str) -> None:
    def read(text: str) -> None:
        figures_in(fold(text).text)

    assert is_linear(read, piece * 2_000, piece * 16_000)


def test_figures_need_evidence() -> None:
    with pytest.raises(InvalidRequest, match="only with the evidence") as error:
        check("x", EVIDENCE.sources, figures=True)

    assert error.value.code == "evidence_required"


def test_figures_are_not_checked_where_nothing_is() -> None:
    assert check("There are 5 [Evidence 1].", EVIDENCE, figures=True, required=False).valid
    assert check("There are 5 [Evidence 1].", (), figures=True, evidence=EVIDENCE).valid
