"""Answers over numbered evidence: written, checked, tried once more when they fail, and resolved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from shared.retrieval import (
    Check,
    Citation,
    CitationProblem,
    CitationStream,
    Evidence,
    Format,
    InvalidRequest,
    Problem,
    Resolution,
    RetrievalError,
    Source,
    check,
    resolve,
)
from shared.retrieval.concurrency import LONG_ANSWER_CHARACTERS, run_in_thread_if

from .literal import unescape_markdown
from .writer import (
    AnswerWriter,
    Draft,
    Rejected,
    Task,
    Usage,
    WholeWriter,
    Writer,
    may_become_not_answered,
    says_not_answered,
)

AnswerStatus = Literal["completed", "no_evidence", "not_answered", "failed_checks"]
OwnCheck = Callable[[str], str | None]
"""A check of the caller's own: what is wrong with a text that still has its markers, or None."""

MAX_TRIES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """How an answer is checked and shown. `checks` run after the check of citations, on the text with its markers."""

    required: bool = True
    format: Format = "html"
    check_figures: bool = False
    allowed_hosts: tuple[str, ...] = ()
    checks: tuple[OwnCheck, ...] = ()


DEFAULT_OPTIONS = AnswerOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a prompt. `answer` is None unless it passed its checks; then the text is in `unchecked_answer` only.

    `not_answered`: the evidence does not tell what was asked. What it does not tell besides an answer is a note `not_told`.

    Both are resolved and safe in the format asked for; `text` is as written, with its markers.
    """

    status: AnswerStatus
    writer: Writer
    answer: str | None = None
    unchecked_answer: str | None = None
    text: str | None = None
    citations: tuple[Citation, ...] = ()
    sources: tuple[Source, ...] = ()
    uncited: tuple[int, ...] = ()
    problems: tuple[CitationProblem, ...] = ()
    more_problems: int = 0
    own_problems: tuple[str, ...] = ()
    usage: Usage | None = None
    tries: int = 0

    @property
    def valid(self) -> bool | None:
        """Whether it passed its checks; None where nothing was written that could be checked."""
        return None if self.status in ("no_evidence", "not_answered") else self.status == "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTask:
    """One of several answers: a prompt over its own evidence, with its own writer and options."""

    writer: AnswerWriter
    prompt: str
    evidence: Evidence
    options: AnswerOptions = DEFAULT_OPTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPiece:
    """A piece of a streamed answer, safe to show. The last one carries the whole `answer`, whose verdict may be negative."""

    text: str
    answer: Answer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text with its check: the last one of at most two tries. Without `answered` there is nothing to check."""

    text: str
    check: Check
    answered: bool = True
    notes: tuple[CitationProblem, ...] = ()
    own_problems: tuple[str, ...] = ()
    usage: Usage | None = None
    tries: int = 1

    @property
    def valid(self) -> bool:
        """Whether it passed its checks."""
        return self.check.valid and not self.own_problems


async def answer(writer: AnswerWriter, prompt: str, evidence: Evidence, options: AnswerOptions = DEFAULT_OPTIONS) -> Answer:
    """An answer to the prompt from the evidence. Without evidence the writer is not called (`no_evidence`).

    Raises the model errors of this package and `TooLarge` for an answer over the limit.
    """
    _require_evidence(evidence)
    if not evidence.has_evidence:
        return Answer(status="no_evidence", writer=writer.identity)
    written = await write_checked(writer, Task(prompt=prompt, evidence=evidence, required=options.required), options)
    if not written.answered:
        return _not_answered(writer, evidence, written)
    resolution = await resolved(written.text, evidence, options, writer.identity)
    return _answer(writer, evidence, written, resolution)


async def answer_all(tasks: Sequence[AnswerTask]) -> tuple[Answer | RetrievalError, ...]:
    """The answers of several tasks at once, in their order; one that fails gives its error and leaves the others alone."""
    return tuple(await asyncio.gather(*(_answer_or_error(task) for task in tasks)))


async def _answer_or_error(task: AnswerTask) -> Answer | RetrievalError:
    try:
        return await answer(task.writer, task.prompt, task.evidence, task.options)
    except RetrievalError as error:
        return error


async def stream_answer(
    writer: AnswerWriter, prompt: str, evidence: Evidence, options: AnswerOptions = DEFAULT_OPTIONS
) -> AsyncIterator[AnswerPiece]:
    """The answer in pieces, each safe to show; there is no second try. The last piece carries the verdict.

    Raises as `answer`, and `InvalidRequest` for figures or own checks, which need the whole text.
    """
    _require_evidence(evidence)
    if options.check_figures or options.checks:
        problem = Problem("$.checkFigures", "not_in_stream", "needs the whole answer, so it cannot be streamed")
        raise InvalidRequest("a streamed answer cannot be checked for figures", problems=(problem,))
    if not evidence.has_evidence:
        yield AnswerPiece(text="", answer=Answer(status="no_evidence", writer=writer.identity))
        return
    stream = CitationStream(
        evidence.sources, format=options.format, required=options.required, allowed_hosts=options.allowed_hosts
    )
    show = _shown_as(options.format, writer.identity)
    released: list[str] = []
    drafts: list[Draft] = []
    held = ""
    async for draft in writer.stream(Task(prompt=prompt, evidence=evidence, required=options.required)):
        drafts.append(draft)
        held += draft.text
        if not draft.answered or may_become_not_answered(held):
            continue
        released.append(show(stream.feed(held)))
        held = ""
        if released[-1]:
            yield AnswerPiece(text=released[-1])
    usage = next((draft.usage for draft in reversed(drafts) if draft.usage), None)
    if not released and not (drafts and drafts[-1].answered and not says_not_answered(held)):
        written = Written(text="", check=Check(valid=True), answered=False, usage=usage)
        yield AnswerPiece(text="", answer=_not_answered(writer, evidence, written))
        return
    rest = show(stream.feed(held, final=True))
    whole = replace(_finished(stream), answer="".join((*released, rest)))
    yield AnswerPiece(text=rest, answer=_streamed(writer, evidence, whole, drafts))


def _require_evidence(evidence: object) -> None:
    """A bare text has no sources, so nothing in it could be cited: taken for evidence it would come out unchecked."""
    if not isinstance(evidence, Evidence):
        raise TypeError("answers are written from Evidence, not from its text")


def _finished(stream: CitationStream) -> Resolution:
    if stream.resolution is None:
        raise RuntimeError("a finished citation stream has a resolution")
    return stream.resolution


def _streamed(writer: AnswerWriter, evidence: Evidence, whole: Resolution, drafts: Sequence[Draft]) -> Answer:
    verdict = Check(valid=whole.valid, problems=whole.problems, more_problems=whole.more_problems)
    usage = next((draft.usage for draft in reversed(drafts) if draft.usage), None)
    notes = tuple(note for draft in drafts for note in _notes(draft))
    written = Written(text="".join(draft.text for draft in drafts), check=verdict, notes=notes, usage=usage)
    return _answer(writer, evidence, written, whole)


async def write_checked(writer: WholeWriter, task: Task, options: AnswerOptions) -> Written:
    """The writer's text with its check; a first text that fails is written once more, told why."""
    usage: Usage | None = None
    for tries in range(1, MAX_TRIES + 1):
        draft = await writer.write(task)
        usage = draft.usage.plus(usage) if draft.usage else usage
        if not draft.answered or says_not_answered(draft.text):
            return Written(text="", check=Check(valid=True), answered=False, usage=usage, tries=tries)
        checked = await _checked(draft.text, task, options)
        written = replace(checked, notes=_notes(draft), usage=usage, tries=tries)
        if written.valid or tries == MAX_TRIES:
            break
        reasons = " ".join(filter(None, (written.check.retry_prompt, *written.own_problems)))
        task = replace(task, rejected=Rejected(draft.text, reasons))
    return written


async def _checked(text: str, task: Task, options: AnswerOptions) -> Written:
    verdict = await run_in_thread_if(len(text) > LONG_ANSWER_CHARACTERS, lambda: _check(text, task.evidence, options))
    # The caller's own checks come second: they may rely on markers that are right.
    own = tuple(problem for test in options.checks if (problem := test(text))) if verdict.valid else ()
    return Written(text=text, check=verdict, own_problems=own)


def _check(text: str, evidence: Evidence, options: AnswerOptions) -> Check:
    figures = evidence if options.check_figures else None
    return check(text, evidence.sources, required=options.required, figures=options.check_figures, evidence=figures)


def _notes(draft: Draft) -> tuple[CitationProblem, ...]:
    return tuple(CitationProblem(code="not_told", excerpt=asked) for asked in draft.not_told)


async def resolved(text: str, evidence: Evidence, options: AnswerOptions, writer: Writer) -> Resolution:
    """The text with its markers resolved, safe in the format of the options."""
    found = await run_in_thread_if(len(text) > LONG_ANSWER_CHARACTERS, lambda: _resolve(text, evidence, options))
    return replace(found, answer=_shown_as(options.format, writer)(found.answer))


def _shown_as(format: Format, writer: Writer) -> Callable[[str], str]:  # noqa: A002 - the word of the contract
    """How a resolved text is shown: of one that is literal, plain text loses the escapes that Markdown needs."""
    return unescape_markdown if format == "text" and writer.literal else str


def _resolve(text: str, evidence: Evidence, options: AnswerOptions) -> Resolution:
    return resolve(
        text,
        evidence.sources,
        format=options.format,
        required=options.required,
        allowed_hosts=options.allowed_hosts,
        figures=options.check_figures,
        evidence=evidence if options.check_figures else None,
    )


def _not_answered(writer: AnswerWriter, evidence: Evidence, written: Written) -> Answer:
    return Answer(
        status="not_answered",
        writer=writer.identity,
        sources=evidence.sources,
        uncited=tuple(source.number for source in evidence.sources),
        usage=written.usage,
        tries=written.tries,
    )


def _answer(writer: AnswerWriter, evidence: Evidence, written: Written, resolution: Resolution) -> Answer:
    return Answer(
        status="completed" if written.valid else "failed_checks",
        writer=writer.identity,
        answer=resolution.answer if written.valid else None,
        unchecked_answer=None if written.valid else resolution.answer,
        text=written.text,
        citations=resolution.citations,
        sources=evidence.sources,
        uncited=resolution.uncited,
        problems=(*resolution.problems, *written.notes),
        more_problems=resolution.more_problems,
        own_problems=written.own_problems,
        usage=written.usage,
        tries=written.tries,
    )
