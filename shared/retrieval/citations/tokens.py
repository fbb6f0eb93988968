"""Pieces of a leaf block's text, in order, as the scanner reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .markers import Marker
from .results import CitationProblem, ProblemCode

_LEAVES_NOTHING = " \t[!>-+*.)0123456789"
_OF_TASK_MARK = re.compile(r"[ \t]*+\[?+[ xX]?+\]?+[ \t]*+")
"""A piece of `[x] `, which GitHub's renderer takes off an item before it looks for definitions."""
TokenKind = Literal["text", "literal", "code", "marker", "address", "open", "close", "seam", "guard", "alt", "alt_end"]


@dataclass(slots=True)
class Token:
    """One piece, from `start` to `end` of the leaf's text.

    `text` is as written (markup included); for `literal` it is shown as it is, for `address`, `open` and `close` it is the
    target. `leads_line`: before it on its line stands only what leaves nothing. `notes` are reported once it goes out.
    Between `alt` and `alt_end` stands the text of an image.
    """

    kind: TokenKind
    start: int
    end: int
    text: str = ""
    leads_line: bool = True
    marker: Marker | None = None
    notes: tuple[CitationProblem, ...] = ()

    def leads_after(self, size: int) -> bool:
        """Whether, after `size` characters of its text, only blanks and what leaves nothing stand on the line.

        Brackets count as nothing: they go when they turn out to be those of a link. So do the marks of quotes, lists and
        tasks, which stand in a paragraph where another renderer may see a block begin.
        """
        if self.kind in ("seam", "marker", "guard", "alt", "alt_end"):
            return self.leads_line
        if self.kind != "text":
            return False
        if _OF_TASK_MARK.fullmatch(self.text, 0, size):
            return self.leads_line
        shown = self.text[:size].rstrip(_LEAVES_NOTHING)
        return shown[-1] in "\r\n" if shown else self.leads_line


def note(code: ProblemCode, excerpt: str) -> CitationProblem:
    """A note on something that was changed."""
    return CitationProblem(code=code, excerpt=excerpt)
