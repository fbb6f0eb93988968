"""Composes a briefing: evidence of all sections, the sections side by side, and the synthesis over what passed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from shared.answers.answer import AnswerOptions, Written, write_checked
from shared.answers.writer import AnswerWriter, Draft, Task, Usage, Writer
from shared.retrieval import QUIET, Caller, Evidence, EvidenceSearch, Signals, Source

from .definitions import Definition, SectionTemplate, fill_text
from .numbering import number_through, renumbered
from .patience import Patience
from .results import Result, SectionResult
from .together import together

Guard = Callable[[], Awaitable[None]]
"""Awaited before each call of the writer; raises when the run has lost its record."""

# Roles were checked when the briefing was submitted and are again when it is read (spec 9.1).
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
        self._at_work = asyncio.Semaphore(max_concurrency)
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
            async with self._at_work:
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
            written = await self._write(run, task, options)
            result = _result(section.name, section.title, section.required, written)
            span.set(outcome=result.status, valid=written.valid, problems=len(result.problems), attempt=written.tries)
        return result, written.usage

    async def _synthesis(
        self, run: Run, sections: Sequence[SectionResult], sources: tuple[Source, ...]
    ) -> tuple[SectionResult | None, Usage | None]:
        template = run.definition.synthesis
        checked = [section for section in sections if section.status == "completed"]
        # Over unchecked texts nothing is written: they must not come out as checked ones.
        if template is None or not checked or any(section.status == "failed_checks" for section in sections):
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
            async with self._at_work:
                return await write_checked(writer, task, options)

        return await run.patience.attempt(write)


def _without_evidence(section: SectionTemplate) -> SectionResult:
    return SectionResult(name=section.name, title=section.title, status="no_evidence", required=section.required)


def _result(name: str, title: str, required: bool, written: Written) -> SectionResult:
    return SectionResult(
        name=name,
        title=title,
        status="completed" if written.valid else "failed_checks",
        required=required,
        text=written.text,
        problems=written.check.problems,
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
