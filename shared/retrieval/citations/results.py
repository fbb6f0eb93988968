"""What a check and a resolution give: citations, problems and the text with its markers resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

Format = Literal["html", "markdown", "text"]

ProblemCode = Literal[
    "no_citation",
    "unknown_number",
    "malformed_marker",
    "ambiguous_number",
    "unsupported_figure",
    "foreign_marker",
    "no_sources",
    "image_removed",
    "link_removed",
    "html_escaped",
    "not_told",
]

PROBLEM_CODES: frozenset[str] = frozenset(get_args(ProblemCode))
FAILURES: frozenset[ProblemCode] = frozenset(
    ("no_citation", "unknown_number", "malformed_marker", "ambiguous_number", "unsupported_figure")
)
"""The problems that make an answer invalid; the others are notes."""

MAX_PROBLEMS = 100
MAX_EXCERPT_CHARACTERS = 80
MAX_PROBLEM_NUMBERS = 20
"""Numbers listed with one problem: a marker may hold thousands, and a stream's state carries its problems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source that the answer cites: `count` is how often, in all its markers."""

    number: int
    name: str
    link: str | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationProblem:
    """Something wrong with an answer. `excerpt` is the place as written, on one line, at most 80 characters."""

    code: ProblemCode
    numbers: tuple[int, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Whether an answer cites as asked. `problems` are the first 100, `more_problems` says how many follow.

    `retry_prompt` tells a model what to mend, without repeating its links or HTML; None when nothing has to change.
    """

    valid: bool
    problems: tuple[CitationProblem, ...] = ()
    more_problems: int = 0
    retry_prompt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """An answer with its markers resolved. `citations` in order of first use, `uncited` the other sources' numbers.

    After a stream `answer` is the piece that its last call released: the pieces before it went out already.
    """

    valid: bool
    answer: str
    citations: tuple[Citation, ...] = ()
    uncited: tuple[int, ...] = ()
    problems: tuple[CitationProblem, ...] = ()
    more_problems: int = 0
    retry_prompt: str | None = None


# What to tell a model whose answer failed its check: numbers only, never a piece of what it wrote.

MAX_NAMED = 8
"""Numbers spelled out in one sentence."""


class Numbers(NamedTuple):
    """Numbers of an answer's markers that stand for no source and for several, and all those that stand for one."""

    unknown: Sequence[int]
    shared: Sequence[int]
    citable: Sequence[int]


class Notation(NamedTuple):
    """How the model was told to cite: the word, and what to take from a source's number."""

    word: str
    shift: int

    def marker(self, number: int) -> str:
        """The marker of a source; of 0, which can only have been written so, as it was written."""
        return f"[{self.word}{number - self.shift}]" if number >= self.shift else f"[Evidence {number}]"

    def markers(self, numbers: Sequence[int]) -> str:
        """The markers of the first few sources."""
        ordered = sorted(numbers)
        named = ", ".join(map(self.marker, ordered[:MAX_NAMED]))
        return named + (" and others" if len(ordered) > MAX_NAMED else "")

    def only(self, numbers: Sequence[int]) -> str:
        """What may be cited, as the end of a sentence."""
        if not numbers:
            return "."
        low, high = min(numbers), max(numbers)
        if low < high == low + len(numbers) - 1:
            return f"; cite only {self.marker(low)} to {self.marker(high)}."
        return f"; cite only {self.markers(numbers)}."


EVIDENCE = Notation("Evidence ", 0)
REFERENCES = Notation("ref_id:", 1)
"""Of a retrieve reply, whose references count from 0."""


def retry_prompt(failures: Sequence[str], numbers: Numbers, notation: Notation) -> str:
    """The sentences for these failures, in a fixed order."""
    word, only = notation.word, notation.only(numbers.citable)
    does, does_shared = ("do" if len(which) > 1 else "does" for which in (numbers.unknown, numbers.shared))
    sentences = {
        "unknown_number": f"{notation.markers(numbers.unknown)} {does} not exist{only}",
        "malformed_marker": f"Write each citation as [{word}n] with one whole number, or as [{word}1, 2].",
        "ambiguous_number": f"{notation.markers(numbers.shared)} {does_shared} not stand for one source{only}",
        "no_citation": f"Cite the evidence each point relies on as [{word}n].",
        "unsupported_figure": "Some figures are not in the evidence cited beside them; use its figures.",
    }
    return " ".join(text for code, text in sentences.items() if code in failures)
