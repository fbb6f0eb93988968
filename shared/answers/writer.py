"""What a writer is given and gives back. Two kinds exist: the extractive one and the model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

from shared.retrieval import Evidence

WriterKind = Literal["extractive", "model"]


@dataclass(frozen=True, slots=True)
class Writer:
    """Who wrote: the kind, and the model's deployment name when it was one."""

    kind: WriterKind
    model: str | None = None

    @property
    def literal(self) -> bool:
        """Whether its texts are evidence word for word, escaped as Markdown."""
        return self.kind == "extractive"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the model counted them. Nothing is guessed: without figures there is no usage."""

    input_tokens: int
    output_tokens: int

    def plus(self, other: Usage | None) -> Usage:
        """Both together."""
        if other is None:
            return self
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True, slots=True)
class Rejected:
    """An answer that failed its checks, and what to tell the writer about it."""

    text: str
    retry_prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to write: a prompt over evidence. `rejected` holds a first try that failed.

    `material` is what the writer reads, unless it is the evidence itself: for a synthesis the checked sections.
    """

    prompt: str
    evidence: Evidence
    required: bool = True
    material: str | None = None
    rejected: Rejected | None = None

    @property
    def text(self) -> str:
        """What the writer reads."""
        return self.evidence.text if self.material is None else self.material


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with markers, not yet checked. Without `answered` the evidence does not tell what was asked.

    `not_told` names what was asked for besides and the evidence does not tell.
    """

    text: str
    usage: Usage | None = None
    answered: bool = True
    not_told: tuple[str, ...] = ()


NOT_ANSWERED = "The evidence does not tell."
"""What a model is told to say, and nothing else, when the evidence does not tell what was asked."""


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def says_not_answered(text: str) -> bool:
    """Whether a whole text is the agreed sentence; white space, a last full stop and letter case apart."""
    return _plain(text).removesuffix(".") == _plain(NOT_ANSWERED).removesuffix(".")


def may_become_not_answered(text: str) -> bool:
    """Whether the beginning of a text may still become the agreed sentence."""
    return _plain(NOT_ANSWERED).startswith(_plain(text))


class WholeWriter(Protocol):
    """Writes whole answers. Raises the model errors of `errors.py`; the extractive one raises nothing."""

    @property
    def identity(self) -> Writer:
        """Who writes."""

    async def write(self, task: Task) -> Draft:
        """The whole answer."""


class AnswerWriter(WholeWriter, Protocol):
    """Writes answers whole or in pieces."""

    def stream(self, task: Task) -> AsyncIterator[Draft]:
        """The answer in pieces; the last one may carry the usage."""

    async def close(self) -> None:
        """Ends its connections."""


class TokenBudget(Protocol):
    """The model tokens that may still be used today."""

    async def require(self) -> None:
        """Returns while tokens are left. Raises `DailyLimit`, and the errors of where the count is kept."""

    async def add(self, tokens: int) -> None:
        """Counts tokens that were used."""
