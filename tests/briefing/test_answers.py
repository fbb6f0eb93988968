"""Answers: written, checked, tried once more, resolved; and the same in pieces and side by side."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from shared.answers import (
    Answer,
    AnswerOptions,
    AnswerTask,
    Draft,
    ExtractiveWriter,
    ModelThrottled,
    Usage,
    Writer,
    answer,
    answer_all,
    stream_answer,
)
from shared.answers.writer import NOT_ANSWERED
from shared.retrieval import Evidence, Format, InvalidRequest, RetrievalError, Source
from tests.briefing.doubles import ScriptedWriter, evidence_from

EVIDENCE = evidence_from(
    [
        {"name": "A School", "number_on_roll": 271, "url": "https://schools.example.org/1"},
        {"name": "B School", "number_on_roll": 12},
    ]
)
EVIDENCE_OF_A_SCHOOL = evidence_from([{"name": "A School", "town": "Bath", "formula": "2*3*4 __init__ ~~~"}])
NOTHING = Evidence(text="No schools information found.")
LINK = '<a href="https://schools.example.org/1" rel="noopener noreferrer">A School</a>'


def scripted(*script: str | Draft | BaseException) -> ScriptedWriter:
    """A writer that follows a script."""
    return ScriptedWriter(list(script))


async def test_a_good_answer_is_resolved() -> None:
    writer = scripted(Draft("271 pupils [Evidence 1].", Usage(5, 6)))
    result = await answer(writer, "How many?", EVIDENCE)
    assert (result.status, result.valid, result.tries) == ("completed", True, 1)
    assert result.answer is not None
    assert f"271 pupils {LINK}." in result.answer
    assert (result.unchecked_answer, result.text) == (None, "271 pupils [Evidence 1].")
    assert [(cited.number, cited.name, cited.count) for cited in result.citations] == [(1, "A School", 1)]
    assert (result.uncited, result.sources, result.problems) == ((2,), EVIDENCE.sources, ())
    assert (result.writer, result.usage) == (Writer("model", "scripted"), Usage(5, 6))


async def test_without_evidence_the_writer_is_not_called() -> None:
    writer = scripted("x")
    result = await answer(writer, "How many?", NOTHING)
    assert (result.status, result.answer, result.valid, writer.tasks) == ("no_evidence", None, None, [])


@pytest.mark.parametrize("text", [NOT_ANSWERED, " the evidence  DOES not tell\n", "The evidence does not tell"])
async def test_the_agreed_sentence_is_no_answer(text: str) -> None:
    result = await answer(scripted(text), "How many?", EVIDENCE)
    assert (result.status, result.answer, result.valid, result.tries) == ("not_answered", None, None, 1)
    assert result.sources == EVIDENCE.sources
    pieces = [piece async for piece in stream_answer(scripted(text), "How many?", EVIDENCE)]
    assert [(piece.text, piece.answer and piece.answer.status) for piece in pieces] == [("", "not_answered")]


@pytest.mark.parametrize("text", ["The evidence does not tell. [Evidence 1]", "The evidence does [Evidence 1]."])
async def test_what_only_begins_as_the_agreed_sentence_is_an_answer(text: str) -> None:
    result = await answer(scripted(text), "How many?", EVIDENCE)
    assert result.status == "completed"
    pieces = [piece async for piece in stream_answer(scripted(text), "How many?", EVIDENCE)]
    assert "".join(piece.text for piece in pieces) == result.answer


async def test_what_is_not_told_is_a_note_beside_the_answer() -> None:
    result = await answer(ExtractiveWriter(), "What are the town and the fax number?", EVIDENCE_OF_A_SCHOOL)
    assert (result.status, result.valid) == ("completed", True)
    assert [(problem.code, problem.excerpt) for problem in result.problems] == [("not_told", "fax number")]


@pytest.mark.parametrize("format_", ["html", "markdown", "text"])
async def test_literal_text_in_each_format(format_: Format) -> None:
    result = await answer(ExtractiveWriter(), "What is the formula?", EVIDENCE_OF_A_SCHOOL, AnswerOptions(format=format_))
    shown = {"html": "2*3*4 __init__ ~~~", "markdown": r"2\*3\*4 \_\_init\_\_ \~\~\~", "text": "2*3*4 __init__ ~~~"}
    assert shown[format_] in (result.answer or "")


async def test_a_failed_answer_is_tried_once_more_with_the_reason() -> None:
    writer = scripted(Draft("271.", Usage(1, 2)), Draft("271 [Evidence 1].", Usage(3, 4)))
    result = await answer(writer, "How many?", EVIDENCE)
    assert (result.status, result.tries, result.usage) == ("completed", 2, Usage(4, 6))
    rejected = writer.tasks[1].rejected
    assert rejected is not None
    assert rejected.text == "271."
    assert "[Evidence n]" in rejected.retry_prompt


async def test_a_second_failure_leaves_the_text_unchecked() -> None:
    writer = scripted("<b>271</b> ![x](https://evil.example/?q=1)")
    result = await answer(writer, "How many?", EVIDENCE)
    assert (result.status, result.valid, result.answer, len(writer.tasks)) == ("failed_checks", False, None, 2)
    assert result.unchecked_answer is not None
    assert "evil.example" not in result.unchecked_answer, "what is shown unchecked is safe all the same"
    assert "no_citation" in {problem.code for problem in result.problems}


@pytest.mark.parametrize(
    ("options", "text", "status"),
    [
        (AnswerOptions(required=False), "271.", "completed"),
        (AnswerOptions(check_figures=True), "271 [Evidence 1].", "completed"),
        (AnswerOptions(check_figures=True), "272 [Evidence 1].", "failed_checks"),
        (AnswerOptions(), "272 [Evidence 1].", "completed"),
        (AnswerOptions(), "272 [Evidence 9].", "failed_checks"),
    ],
)
async def test_options(options: AnswerOptions, text: str, status: str) -> None:
    assert (await answer(scripted(text), "How many?", EVIDENCE, options)).status == status


@pytest.mark.parametrize(
    ("form", "expected"), [("text", "A School (https://schools.example.org/1)"), ("markdown", "[A School](<https://")]
)
async def test_formats(form: Any, expected: str) -> None:
    result = await answer(scripted("271 [Evidence 1]."), "How many?", EVIDENCE, AnswerOptions(format=form))
    assert expected in (result.answer or "")


async def test_an_own_check_comes_after_the_citations_and_sees_markers() -> None:
    seen: list[str] = []

    def not_good(text: str) -> str | None:
        seen.append(text)
        return "Don't say Good." if "Good" in text else None

    writer = scripted("Good.", "Good [Evidence 1].")
    result = await answer(writer, "Summarise.", EVIDENCE, AnswerOptions(checks=(not_good,)))
    assert seen == ["Good [Evidence 1]."]
    assert (result.status, result.own_problems) == ("failed_checks", ("Don't say Good.",))
    assert result.answer is None


async def test_a_long_answer_is_checked_in_a_thread_with_the_same_result() -> None:
    text = "Many words. " * 4000 + "[Evidence 1]"
    result = await answer(scripted(text), "How many?", EVIDENCE, AnswerOptions(format="text"))
    assert (result.status, len(result.citations)) == ("completed", 1)


async def test_several_answers_keep_their_own_evidence_and_errors() -> None:
    other = Evidence(text="x", sources=(Source(number=1, name="Other"),), blocks=("x",))
    tasks = [
        AnswerTask(writer=scripted("One [Evidence 1]."), prompt="a", evidence=EVIDENCE),
        AnswerTask(writer=scripted(ModelThrottled("wait", retry_after=3.0)), prompt="b", evidence=EVIDENCE),
        AnswerTask(writer=scripted("No marker."), prompt="c", evidence=other),
        AnswerTask(writer=scripted("x"), prompt="d", evidence=NOTHING),
        AnswerTask(writer=scripted("Two [Evidence 1]."), prompt="e", evidence=other, options=AnswerOptions(format="text")),
    ]
    results = await answer_all(tasks)
    assert [result.status if isinstance(result, Answer) else result.code for result in results] == [
        "completed",
        "model_throttled",
        "failed_checks",
        "no_evidence",
        "completed",
    ]
    assert isinstance(results[4], Answer)
    assert results[4].answer == "Two [Other]."


async def test_several_answers_are_written_side_by_side() -> None:
    both = asyncio.Event()
    arrived: list[int] = []

    async def wait(_: Any) -> None:
        arrived.append(1)
        if len(arrived) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 5)

    writer = ScriptedWriter(["One [Evidence 1]."], before=wait)
    results = await answer_all([AnswerTask(writer=writer, prompt="a", evidence=EVIDENCE)] * 2)
    assert all(isinstance(result, Answer) for result in results)


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
@pytest.mark.parametrize(
    "text", ["271 pupils [Evidence 1].\n\n- one [Evidence 2]\n- **two**", "No marker", "x [Evidence 7]"]
)
async def test_pieces_join_to_the_whole_answer(form: Any, text: str) -> None:
    options = AnswerOptions(format=form)
    pieces = [piece async for piece in stream_answer(scripted(Draft(text, Usage(1, 2))), "p", EVIDENCE, options)]
    whole = await answer(scripted(text), "p", EVIDENCE, options)
    joined = "".join(piece.text for piece in pieces)
    assert joined == (whole.answer or whole.unchecked_answer)
    last = pieces[-1].answer
    assert last is not None
    assert [piece.answer for piece in pieces[:-1]] == [None] * (len(pieces) - 1)
    assert (last.status, last.answer, last.unchecked_answer) == (whole.status, whole.answer, whole.unchecked_answer)
    assert (last.citations, last.usage) == (whole.citations, Usage(1, 2))


async def test_a_stream_without_evidence_is_its_verdict() -> None:
    writer = scripted("x")
    [piece] = [piece async for piece in stream_answer(writer, "p", NOTHING)]
    assert piece.answer is not None
    assert (piece.text, piece.answer.status, writer.tasks) == ("", "no_evidence", [])


async def test_figures_need_the_whole_answer() -> None:
    with pytest.raises(InvalidRequest, match="cannot be checked for figures"):
        await anext(stream_answer(scripted("x"), "p", EVIDENCE, AnswerOptions(check_figures=True)))


async def test_an_error_of_the_writer_is_the_answers() -> None:
    with pytest.raises(RetrievalError, match="wait"):
        await answer(scripted(ModelThrottled("wait")), "p", EVIDENCE)


async def test_the_extractive_writer_answers_with_its_own_line() -> None:
    result = await answer(
        ExtractiveWriter(), "How many pupils are on roll at B School?", EVIDENCE, AnswerOptions(format="text")
    )
    assert (result.answer, result.writer.kind) == ("number_on_roll: 12 [B School]", "extractive")


async def test_a_bare_text_is_no_evidence() -> None:
    text: Any = EVIDENCE.text
    with pytest.raises(TypeError, match="not from its text"):
        await answer(scripted("x"), "p", text)
    with pytest.raises(TypeError, match="not from its text"):
        await anext(stream_answer(scripted("x"), "p", text))


async def test_evidence_made_by_hand_needs_no_blocks() -> None:
    by_hand = Evidence(text=EVIDENCE.text, sources=EVIDENCE.sources)
    options = AnswerOptions(format="text")
    result = await answer(ExtractiveWriter(), "How many pupils are on roll at B School?", by_hand, options)
    assert result.answer == "number_on_roll: 12 [B School]"
