"""What an answer cites and what is wrong with it, counted while it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import TooLarge
from ..evidence.sources import Source
from ..limits import MAX_ANSWER_CHARACTERS, MAX_CITED_CHARACTERS
from .markers import Marker
from .results import (
    EVIDENCE,
    FAILURES,
    MAX_EXCERPT_CHARACTERS,
    MAX_PROBLEM_NUMBERS,
    MAX_PROBLEMS,
    PROBLEM_CODES,
    REFERENCES,
    Citation,
    CitationProblem,
    Format,
    Numbers,
    ProblemCode,
    retry_prompt,
)
from .sentinels import clean_text, excerpt_of


class Ledger:
    """The account of one answer against its sources."""

    def __init__(self, sources: Sequence[Source], *, required: bool, shown_as: Format, references: bool = False) -> None:
        self._by_number: dict[int, list[Source]] = {}
        for source in sources:
            self._by_number.setdefault(source.number, []).append(source)
        self._unshared = {number: shared[0] for number, shared in self._by_number.items() if len(shared) == 1}
        self._sizes = {number: len(source.name) + len(source.link or "") for number, source in self._unshared.items()}
        self._required = required
        self._shown_as = shown_as
        self._references = references
        self.counts: dict[int, int] = {}
        self.problems: list[CitationProblem] = []
        self.more = 0
        self.failures: dict[str, None] = {}
        self.unknown: dict[int, None] = {}
        self.shared: dict[int, None] = {}
        self.has_marker = False
        self.cited_characters = 0

    @property
    def checks(self) -> bool:
        """Whether citations are asked for and there is something to cite."""
        return self._required and bool(self._by_number)

    def note(self, problem: CitationProblem) -> None:
        """Reports a problem. HTML in plain text is no problem: nothing there shows it as anything else."""
        if problem.code == "html_escaped" and self._shown_as == "text":
            return
        if problem.code in FAILURES:
            self.failures.setdefault(problem.code)
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)
        else:
            self.more += 1

    def stands(self, marker: Marker) -> bool:
        """Whether citations stand for the marker, and nothing is to be said about it."""
        return self.checks and marker.kind == "cites" and self._unshared.keys() >= set(marker.numbers)

    def count(self, numbers: Sequence[int], times: int) -> None:
        """Counts a marker with these numbers, each of one source, as written so many times.

        Raises TooLarge when the citations grow over their limit: a marker of a dozen characters may stand for fifty names.
        """
        self.has_marker = True
        for number in numbers:
            self.counts[number] = self.counts.get(number, 0) + times
            self.cited_characters += times * self._sizes[number]
        if self.cited_characters > MAX_CITED_CHARACTERS:
            raise TooLarge(f"The citations of the answer are over the limit of {MAX_CITED_CHARACTERS} characters.")

    def sources(self, numbers: Sequence[int]) -> tuple[Source, ...]:
        """The sources of these numbers, each of one source."""
        return tuple(self._unshared[number] for number in numbers)

    def marker(self, marker: Marker) -> tuple[Source, ...] | None:
        """The sources that stand for the marker: none of them when it is removed; None when it stays as written."""
        if marker.kind == "foreign":
            self._report("foreign_marker", (), marker)
            return ()
        if not self._required:
            return ()
        if not self._by_number:
            return None
        if marker.kind == "malformed":
            self._report("malformed_marker", (), marker)
            return ()
        return self._cited(marker)

    def _cited(self, marker: Marker) -> tuple[Source, ...] | None:
        self.has_marker = True
        unknown = [n for n in marker.numbers if n not in self._by_number]
        shared = [n for n in marker.numbers if len(self._by_number.get(n, ())) > 1]
        if unknown:
            self.unknown.update(dict.fromkeys(unknown[: MAX_PROBLEM_NUMBERS - len(self.unknown)]))
            self._report("unknown_number", unknown, marker)
        if shared:
            self.shared.update(dict.fromkeys(shared[: MAX_PROBLEM_NUMBERS - len(self.shared)]))
            self._report("ambiguous_number", shared, marker)
            return None
        known = [n for n in marker.numbers if n in self._by_number]
        self.count(known, 1)
        return self.sources(known)

    def _report(self, code: ProblemCode, numbers: Sequence[int], marker: Marker) -> None:
        excerpt = excerpt_of(marker.text, MAX_EXCERPT_CHARACTERS)
        self.note(CitationProblem(code=code, numbers=tuple(numbers[:MAX_PROBLEM_NUMBERS]), excerpt=excerpt))

    def close(self) -> None:
        """The checks that need the whole answer."""
        if self.checks and not self.has_marker:
            self.note(CitationProblem(code="no_citation"))
        if self._required and not self._by_number:
            self.note(CitationProblem(code="no_sources"))

    @property
    def valid(self) -> bool:
        """Whether nothing reported so far makes the answer invalid."""
        return not self.failures

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The cited sources in order of first use."""
        pairs = ((self._by_number[number][0], count) for number, count in self.counts.items() if number in self._by_number)
        return tuple(Citation(number=s.number, name=s.name, link=s.link, count=count) for s, count in pairs)

    @property
    def uncited(self) -> tuple[int, ...]:
        """The numbers of the other sources, each once."""
        return tuple(number for number in self._by_number if number not in self.counts)

    @property
    def prompt(self) -> str | None:
        """What to tell the model; None when the answer is valid."""
        if not self.failures:
            return None
        numbers = Numbers(tuple(self.unknown), tuple(self.shared), tuple(self._unshared))
        return retry_prompt(tuple(self.failures), numbers, REFERENCES if self._references else EVIDENCE)

    def saved(self) -> dict[str, Any]:
        """The account as JSON values, without any source."""
        return {
            "counts": list(self.counts.items()),
            "problems": [[p.code, list(p.numbers), p.excerpt] for p in self.problems],
            "more": self.more,
            "failures": list(self.failures),
            "unknown": list(self.unknown),
            "shared": list(self.shared),
            "marker": self.has_marker,
            "cited": self.cited_characters,
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Takes up an account that was saved. Raises ValueError, TypeError or LookupError for anything else."""
        self.counts = {
            bounded_count(number, MAX_NUMBER): bounded_count(count, MAX_ANSWER_CHARACTERS)
            for number, count in saved["counts"]
        }
        self.problems = [_problem(*problem) for problem in saved["problems"][:MAX_PROBLEMS]]
        self.more = bounded_count(saved["more"], MAX_ANSWER_CHARACTERS)
        self.failures = dict.fromkeys(code for code in saved["failures"] if code in FAILURES)
        self.unknown = dict.fromkeys(bounded_count(number, MAX_NUMBER) for number in saved["unknown"])
        self.shared = dict.fromkeys(bounded_count(number, MAX_NUMBER) for number in saved["shared"])
        self.has_marker = bool(saved["marker"])
        self.cited_characters = bounded_count(saved["cited"], MAX_CITED_CHARACTERS)


MAX_NUMBER = 999_999
"""No marker and no source has a number above it."""


def bounded_count(value: object, most: int) -> int:
    """A number of a state that came from a caller. Raises ValueError unless it is an integer from 0 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError
    return value


def _problem(code: ProblemCode, numbers: Sequence[int], excerpt: str) -> CitationProblem:
    """A problem that was saved, if it could be one."""
    if code not in PROBLEM_CODES or len(numbers) > MAX_PROBLEM_NUMBERS:
        raise ValueError
    return CitationProblem(
        code=code,
        numbers=tuple(bounded_count(number, MAX_NUMBER) for number in numbers),
        excerpt=excerpt_of(clean_text(str(excerpt)), MAX_EXCERPT_CHARACTERS),
    )
