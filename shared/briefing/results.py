"""What a run found out: the sections with their checked texts, and the sources they may cite. Kept in the record as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from shared.answers.answer import AnswerStatus
from shared.answers.writer import Usage, Writer
from shared.retrieval import CitationProblem, Source

from .numbering import Numbers

ResultStatus = Literal["completed", "no_evidence", "failed_checks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionResult:
    """One written part: its text with markers, and what its check found. `text` is empty where there was no evidence.

    The markers count the section's own evidence from 1; `numbers` gives the briefing's number for each of it.
    """

    name: str
    title: str
    status: AnswerStatus
    required: bool = True
    text: str = ""
    numbers: Numbers = ()
    problems: tuple[CitationProblem, ...] = ()

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
        """Failed when any part did, without evidence when no section had any."""
        parts: Sequence[SectionResult] = (*self.sections, *filter(None, (self.synthesis,)))
        if any(part.status == "failed_checks" for part in parts):
            return "failed_checks"
        return "completed" if any(part.status == "completed" for part in parts) else "no_evidence"

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
