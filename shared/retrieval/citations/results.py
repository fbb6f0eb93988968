"""What a check and a resolution give: citations, problems and the text with its markers resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

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
]

PROBLEM_CODES: frozenset[str] = frozenset(get_args(ProblemCode))
FAILURES: frozenset[ProblemCode] = frozenset(
    ("no_citation", "unknown_number", "malformed_marker", "ambiguous_number", "unsupported_figure")
)
"""The problems that make an answer invalid; the others are notes (spec 5)."""

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
