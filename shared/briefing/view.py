"""A briefing as its readers see it: texts resolved, cited sources marked, nothing of how it is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from shared.answers import Usage, Writer
from shared.answers.literal import unescape_markdown
from shared.retrieval import Citation, CitationProblem, Format, Problem, Source, resolve

from .composer import Result, SectionResult, SectionStatus, sources_of
from .headings import heading, lower_headings
from .records import Record, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionView:
    """One part. `answer` is None unless it passed its checks; then its text is in `unchecked_answer` only."""

    name: str
    title: str
    status: SectionStatus
    answer: str | None = None
    unchecked_answer: str | None = None
    citations: tuple[Citation, ...] = ()
    problems: tuple[CitationProblem, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingView:
    """A briefing in one format. `answer` is its synthesis, or else its sections under their titles."""

    id: str
    batch_id: str
    briefing: str
    definition_version: int
    status: Status
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    attempts: int = 0
    reason: str | None = None
    retry_at: datetime | None = None
    retry_of: str | None = None
    parameters: Mapping[str, Any]
    format: Format = "html"
    answer: str | None = None
    unchecked_answer: str | None = None
    sections: tuple[SectionView, ...] = ()
    synthesis: SectionView | None = None
    citations: tuple[Citation, ...] = ()
    sources: tuple[Source, ...] = ()
    problems: tuple[Problem | CitationProblem, ...] = ()
    writer: Writer | None = None
    usage: Usage | None = None

    @property
    def cited(self) -> frozenset[int]:
        """The numbers of the sources that its texts cite."""
        return frozenset(citation.number for citation in self.citations)


def view_of(record: Record, form: Format = "html", allowed_hosts: Iterable[str] = ()) -> BriefingView:
    """The view of a record. Texts of a long briefing take a while: call it in a thread."""
    standing = record.standing
    view = BriefingView(
        id=record.key.id,
        batch_id=record.key.batch_id,
        briefing=standing.briefing,
        definition_version=standing.version,
        status=standing.status,
        created_at=standing.created_at,
        started_at=standing.started_at,
        finished_at=standing.finished_at,
        attempts=standing.attempts,
        reason=standing.reason,
        retry_at=standing.retry_at,
        retry_of=standing.retry_of,
        parameters=record.parameters,
        format=form,
        problems=record.problems,
    )
    if record.result is None:
        return view
    return _with_result(view, Result.from_json(record.result), tuple(allowed_hosts))


# Citations of a page are numbers: `[1]`, the place of the source in the page's own list. In HTML they lead to that list by
# an anchor made from the number alone; the address that stands in for it while a text is resolved belongs to nobody
# (https://www.rfc-editor.org/rfc/rfc2606).
_STAND_IN = "https://citation.invalid/"
_STAND_IN_LINK = re.compile(rf'<a href="{re.escape(_STAND_IN)}(\d+)" rel="noopener noreferrer">')


def page_view_of(record: Record, form: Format = "html", allowed_hosts: Iterable[str] = ()) -> BriefingView:
    """The view for a page: citations as numbers, `sources` only the cited ones, numbered in order of first use.

    Texts of a long briefing take a while: call it in a thread.
    """
    hosts = tuple(allowed_hosts)
    view = view_of(record, form, hosts)
    if record.result is None:
        return view
    result = Result.from_json(record.result)
    shown = (*((view.synthesis,) if view.synthesis else ()), *view.sections)
    cited = _merged([part for part in shown if part.answer is not None])
    places = {citation.number: place for place, citation in enumerate(cited, 1)}
    by_number = {source.number: source for source in result.sources}
    sources = tuple(replace(by_number[number], number=place) for number, place in places.items())

    def numbered(part: SectionView, section: SectionResult) -> SectionView:
        if part.answer is None:
            return part
        own = _numbered_sources(section, places, by_number, form)
        text = resolve(section.text, own, format=form, required=section.required, allowed_hosts=hosts).answer
        if form == "text" and result.writer.literal:
            text = unescape_markdown(text)
        anchored = _STAND_IN_LINK.sub(lambda match: f'<a href="#source-{match[1]}">', text)
        return replace(part, answer=lower_headings(anchored, form))

    sections = tuple(numbered(part, section) for part, section in zip(view.sections, result.sections, strict=True))
    synthesis = numbered(view.synthesis, result.synthesis) if view.synthesis and result.synthesis else None
    return replace(view, sections=sections, synthesis=synthesis, citations=cited, sources=sources)


def _numbered_sources(
    section: SectionResult, places: Mapping[int, int], sources: Mapping[int, Source], form: Format
) -> tuple[Source, ...]:
    def marked(here: int, there: int) -> Source:
        place = places.get(there, 0)
        link = f"{_STAND_IN}{place}" if form == "html" else sources[there].link if form == "markdown" else None
        # What has no link is put in brackets by the resolution.
        return Source(number=here, name=f"[{place}]" if link else str(place), link=link)

    return tuple(marked(here, there) for here, there in enumerate(section.numbers, 1))


def _with_result(view: BriefingView, result: Result, hosts: tuple[str, ...]) -> BriefingView:
    def shown(section: SectionResult) -> SectionView:
        return _section(section, result, view.format, hosts)

    sections = tuple(shown(section) for section in result.sections)
    synthesis = shown(result.synthesis) if result.synthesis else None
    parts = (synthesis, *sections) if synthesis else sections
    text = _answer_text(synthesis, sections, view.format)
    return replace(
        view,
        answer=text if view.status == "completed" else None,
        unchecked_answer=text if view.status == "failed_checks" else None,
        sections=sections,
        synthesis=synthesis,
        citations=_merged(parts),
        sources=result.sources,
        problems=(*view.problems, *(problem for part in parts for problem in part.problems)),
        writer=result.writer,
        usage=result.usage,
    )


def _section(section: SectionResult, result: Result, form: Format, hosts: tuple[str, ...]) -> SectionView:
    view = SectionView(
        name=section.name, title=section.title, status=section.status, problems=section.problems, reason=section.reason
    )
    if section.status in ("no_evidence", "not_answered", "failed"):
        return view
    own = sources_of(section.numbers, result.sources)
    resolution = resolve(section.text, own, format=form, required=section.required, allowed_hosts=hosts)
    if form == "text" and result.writer.literal:
        resolution = replace(resolution, answer=unescape_markdown(resolution.answer))
    citations = tuple(replace(cited, number=section.numbers[cited.number - 1]) for cited in resolution.citations)
    if section.status == "failed_checks":
        return replace(view, unchecked_answer=resolution.answer, citations=citations)
    return replace(view, answer=resolution.answer, citations=citations)


def _answer_text(synthesis: SectionView | None, sections: Sequence[SectionView], form: Format) -> str | None:
    if synthesis is not None:
        return synthesis.answer or synthesis.unchecked_answer
    texts = [(section.title, section.answer or section.unchecked_answer) for section in sections]
    written = [(title, text) for title, text in texts if text]
    if len(sections) == 1:
        return written[0][1] if written else None
    return "\n\n".join(f"{heading(title, form)}\n\n{text}" for title, text in written) or None


def _merged(parts: Sequence[SectionView]) -> tuple[Citation, ...]:
    """The citations of all parts: each source once, in order of first use."""
    merged: dict[int, Citation] = {}
    for citation in (citation for part in parts for citation in part.citations):
        before = merged.get(citation.number)
        merged[citation.number] = replace(citation, count=citation.count + before.count) if before else citation
    return tuple(merged.values())
