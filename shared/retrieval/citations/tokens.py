"""Pieces of a leaf block's text, in order, as the scanner reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .markers import Marker
from .values import CitationProblem, ProblemCode

TokenKind = Literal["text", "literal", "code", "marker", "address", "open", "close", "seam", "guard", "alt", "alt_end"]


@dataclass(slots=True)
class Token:
    """One piece, from `start` to `end` of the leaf's text.

    `text` is as written (markup included); for `literal` it is shown as it is, for `address`, `open` and `close` it is the
    target. `notes` are reported once the piece is released. Between `alt` and `alt_end` stands the text of an image.
    """

    kind: TokenKind
    start: int
    end: int
    text: str = ""
    marker: Marker | None = None
    notes: list[CitationProblem] = field(default_factory=list)


def note(code: ProblemCode, excerpt: str) -> CitationProblem:
    """A note on something that was changed."""
    return CitationProblem(code=code, excerpt=excerpt)
