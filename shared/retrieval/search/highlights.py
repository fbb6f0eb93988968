"""Highlights and captions as safe HTML: the document's own markup escaped, only the emphasis of the hit live."""

from __future__ import annotations

import html
import secrets
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmphasisMarks:
    """What the service puts around the words of a hit: new for each search, so that no document holds them."""

    start: str
    end: str

    @classmethod
    def new(cls) -> EmphasisMarks:
        """Marks that nobody can guess."""
        token = secrets.token_hex(8)
        return cls(f"[{token}]", f"[/{token}]")

    def to_html(self, text: str) -> str:
        """`text` escaped, with `<em>` where the marks stand."""
        return html.escape(text).replace(self.start, "<em>").replace(self.end, "</em>")


def safe_html(text: str, marks: EmphasisMarks | None) -> str:
    """A text of the service as HTML that is safe to show; without `marks` nothing in it is emphasised."""
    return html.escape(text) if marks is None else marks.to_html(text)
