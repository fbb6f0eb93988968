"""Composes a briefing: evidence of all sections, the sections side by side, and the synthesis over what passed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeVar

from shared.answers import (
    AnswerOptions,
    AnswerStatus,
    AnswerWriter,
    ContentFiltered,
    Draft,
    ModelPromptTooLong,
    Task,
    Usage,
    Writer,
)
from shared.answers.answer import Written, write_checked
from shared.retrieval import (
    QUIET,
    Caller,
    CitationProblem,
    Evidence,
    EvidenceSearch,
    RetrievalError,
    Signals,
    Source,
    resolve,
)

from .definitions import Definition, SectionTemplate, fill_text
from .lease import Patience
from .work_limit import WorkLimit

# Numbers of evidence across the sections of a briefing.
#
# Each section is written over its own evidence, numbered from 1; in the briefing each document has one number, whichever
# sections it is evidence of.

Numbers = tuple[int, ...]
"""For the evidence of a section, in order from 1, the number that it has in the briefing."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """All sources of a briefing, numbered from 1, and the numbers of each section's evidence among them."""

    sources: tuple[Source, ...]
    sections: tuple[Numbers, ...]


def number_through(parts: Sequence[Evidence]) -> Numbering:
    """One number for each document; without a key no two are the same document."""
    sources: list[Source] = []
    known: dict[tuple[str | None, str], int] = {}
    sections: list[Numbers] = []
    for part in parts:
        numbers: list[int] = []
        for source in part.sources:
            number = known.get((source.index, source.key), 0) if source.key is not None else 0
            if not number:
                number = len(sources) + 1
                sources.append(replace(source, number=number))
            if source.key is not None:
                known[source.index, source.key] = number
            numbers.append(number)
        sections.append(tuple(numbers))
    return Numbering(tuple(sources), tuple(sections))


def renumbered(text: str, numbers: Numbers) -> str:
    """A section's text with the numbers of the briefing in its markers, read by the parser of all markers."""
    stand_ins = [Source(number=here, name=f"Evidence {there}") for here, there in enumerate(numbers, 1)]
    # A source without a link becomes its name in square brackets: here that is the marker anew.
    return resolve(text, stand_ins, format="text").answer


def sources_of(numbers: Numbers, sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources of a section, numbered as in its text."""
    by_number = {source.number: source for source in sources}
    return tuple(replace(by_number[there], number=here) for here, there in enumerate(numbers, 1))


# What a run found out: the sections with their checked texts, and the sources they may cite. Kept in the record as JSON.

SectionStatus = AnswerStatus | Literal["failed"]
ResultStatus = Literal["completed", "no_evidence", "not_answered", "failed_checks", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionResult:
    """One written part: its text with markers, and what its check found. `text` is empty where there was no evidence.

    The markers count the section's own evidence from 1; `numbers` gives the briefing's number for each of it.
    """

    name: str
    title: str
    status: SectionStatus
    required: bool = True
    text: str = ""
    numbers: Numbers = ()
    problems: tuple[CitationProblem, ...] = ()
    reason: str | None = None
    """Why a section failed that could not be written."""

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        """The section in a record."""
        problems = tuple(
            CitationProblem(code=problem["code"], numbers=tuple(problem["numbers"]), excerpt=problem["excerpt"])
            for problem in members["problems"]
        )
        return cls(**{**members, "problems": problems, "numbers": tuple(members["numbers"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A finished briefing. Sources carry index and key of their document, so that it can be checked again."""

    sections: tuple[SectionResult, ...]
    synthesis: SectionResult | None = None
    sources: tuple[Source, ...] = ()
    writer: Writer
    usage: Usage | None = None

    @property
    def status(self) -> ResultStatus:
        """The worst of failed and failed checks, else the best of completed, not answered and without evidence."""
        parts: Sequence[SectionResult] = (*self.sections, *filter(None, (self.synthesis,)))
        found: tuple[ResultStatus, ...] = ("failed", "failed_checks", "completed", "not_answered")
        return next((status for status in found if any(part.status == status for part in parts)), "no_evidence")

    @property
    def reason(self) -> str | None:
        """Why it failed: the first section's reason that failed."""
        return next((section.reason for section in self.sections if section.reason), None)

    def to_json(self) -> dict[str, Any]:
        """As the record keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        """The result in a record."""
        synthesis, usage = members["synthesis"], members["usage"]
        return cls(
            sections=tuple(SectionResult.from_json(section) for section in members["sections"]),
            synthesis=SectionResult.from_json(synthesis) if synthesis else None,
            sources=tuple(Source(**source) for source in members["sources"]),
            writer=Writer(**members["writer"]),
            usage=Usage(**usage) if usage else None,
        )


# Work side by side: all of it, or the first error and the rest cancelled.

T = TypeVar("T")
S = TypeVar("S")


async def together(works: Sequence[Awaitable[T]]) -> list[T]:
    """The results in order. The first error ends the others before it is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        # Nothing may go on in the background: a later write would come after the caller's reply.
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def for_each(items: Iterable[S], work: Callable[[S], Awaitable[T]], at_once: int) -> list[T]:
    """The results of the work on each item, in order, so many at once."""
    limit = asyncio.Semaphore(at_once)

    async def one(item: S) -> T:
        async with limit:
            return await work(item)

    return await together([one(item) for item in items])


Guard = Callable[[], Awaitable[None]]
"""Awaited before each call of the writer; raises when the run has lost its record."""

# Roles were checked when the briefing was submitted and are again when it is read.
IN_PROCESS = Caller(trusted=True)


class EvidenceFinder(Protocol):
    """The part of `Retrieval` that briefings use."""

    async def evidence_of(
        self, searches: Sequence[EvidenceSearch], *, max_characters: int | None = None, caller: Caller | None = None
    ) -> Evidence:
        """Several searches side by side as one numbered evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run goes by: its definition, the completed parameters, its time and its guard."""

    definition: Definition
    values: Mapping[str, Any]
    patience: Patience
    guard: Guard


class Composer:
    """Writes briefings; sections and writers at work in the process are bounded by `max_concurrency`."""

    def __init__(
        self, retrieval: EvidenceFinder, writer: AnswerWriter, max_concurrency: int, signals: Signals = QUIET
    ) -> None:
        self._retrieval = retrieval
        self._writer = writer
        self._at_work = WorkLimit(max_concurrency)
        self._signals = signals

    async def compose(self, run: Run) -> Result:
        """The briefing. Raises the errors of retrieval and of the writer."""
        sections = run.definition.sections
        parts = await together([self._evidence(run, section) for section in sections])
        numbering = number_through(parts)
        written = await together([self._section(run, place, part) for place, part in enumerate(parts)])
        results = tuple(
            replace(result, numbers=numbers) for (result, _), numbers in zip(written, numbering.sections, strict=True)
        )
        synthesis, usage = await self._synthesis(run, results, numbering.sources)
        for _, used in written:
            usage = used.plus(usage) if used else usage
        return Result(
            sections=results,
            synthesis=synthesis,
            sources=numbering.sources,
            writer=self._writer.identity,
            usage=usage,
        )

    async def _evidence(self, run: Run, section: SectionTemplate) -> Evidence:
        searches = [
            EvidenceSearch(
                index=search.index,
                query=search.fill_query(run.values),
                filter=search.fill_filter(run.values),
                size=search.size,
            )
            for search in section.searches
        ]

        async def find() -> Evidence:
            async with self._at_work.place():
                return await self._retrieval.evidence_of(searches, caller=IN_PROCESS)

        return await run.patience.attempt(find)

    async def _section(self, run: Run, place: int, evidence: Evidence) -> tuple[SectionResult, Usage | None]:
        section = run.definition.sections[place]
        with self._signals.span("section", section=place + 1, definition=run.definition.name) as span:
            span.set(kept=len(evidence.sources), writer=self._writer.identity.kind)
            if not evidence.has_evidence:
                span.set(outcome="no_evidence")
                return _without_evidence(section), None
            task = Task(prompt=fill_text(section.prompt, run.values), evidence=evidence, required=section.required)
            options = AnswerOptions(required=section.required, check_figures=section.check_figures)
            try:
                written = await self._write(run, task, options)
            except (ContentFiltered, ModelPromptTooLong) as error:
                # Nothing cures it, and the other sections can be written all the same.
                span.set(outcome="failed", error_type=error.code)
                return _failed(section, error), None
            result = _result(section.name, section.title, section.required, written)
            span.set(outcome=result.status, valid=written.valid, problems=len(result.problems), attempt=written.tries)
        return result, written.usage

    async def _synthesis(
        self, run: Run, sections: Sequence[SectionResult], sources: tuple[Source, ...]
    ) -> tuple[SectionResult | None, Usage | None]:
        template = run.definition.synthesis
        checked = [section for section in sections if section.status == "completed"]
        # Over unchecked texts nothing is written: they must not come out as checked ones.
        if template is None or not checked or any(section.status in ("failed", "failed_checks") for section in sections):
            return None, None
        with self._signals.span("synthesis", definition=run.definition.name) as span:
            material = "\n\n".join(f"## {part.title}\n{renumbered(part.text, part.numbers)}" for part in checked)
            prompt = fill_text(template.prompt, run.values)
            evidence = Evidence(text=material, sources=sources)
            task = Task(prompt=prompt, evidence=evidence, required=template.required, material=material)
            written = await self._write(run, task, AnswerOptions(required=template.required))
            result = _result("synthesis", template.title, template.required, written)
            result = replace(result, numbers=tuple(source.number for source in sources))
            span.set(outcome=result.status, valid=written.valid, problems=len(result.problems), attempt=written.tries)
        return result, written.usage

    async def _write(self, run: Run, task: Task, options: AnswerOptions) -> Written:
        writer = _GuardedWriter(self._writer, run.guard)

        async def write() -> Written:
            async with self._at_work.place():
                return await write_checked(writer, task, options)

        return await run.patience.attempt(write)


def _without_evidence(section: SectionTemplate) -> SectionResult:
    return SectionResult(name=section.name, title=section.title, status="no_evidence", required=section.required)


def _failed(section: SectionTemplate, error: RetrievalError) -> SectionResult:
    return SectionResult(
        name=section.name, title=section.title, status="failed", required=section.required, reason=error.code
    )


def _result(name: str, title: str, required: bool, written: Written) -> SectionResult:
    return SectionResult(
        name=name,
        title=title,
        status="not_answered" if not written.answered else "completed" if written.valid else "failed_checks",
        required=required,
        text=written.text,
        problems=(*written.check.problems, *written.notes),
    )


class _GuardedWriter:
    """The writer, which is called only while the run still holds its record."""

    def __init__(self, writer: AnswerWriter, guard: Guard) -> None:
        self._writer = writer
        self._guard = guard

    @property
    def identity(self) -> Writer:
        """Who writes."""
        return self._writer.identity

    async def write(self, task: Task) -> Draft:
        """The whole answer."""
        await self._guard()
        return await self._writer.write(task)
