"""What to tell a model whose answer failed its check: numbers only, never a piece of what it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
"""Of a retrieve reply, whose references count from 0 (spec 6)."""


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
