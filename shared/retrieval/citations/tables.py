"""Whether a line of text may head a table: what GitHub's tables (GFM 4.10) and markdown-it agree on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .tokens import Token

_LINE_END = re.compile(r"\r\n|\n|\r")

_LAST_END = re.compile(r"(?:\r\n|\n|\r)\Z")
_SIGN = re.compile(r"\\.|(?P<blank>[ \t]++)|\||[^ \t|\\]++|\\")
_UNSURE = re.compile(r"(?<!\\)(?:\\\\)++\|")


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """The line of a paragraph so far: its free `|`, its first and last sign (`|`, or `x` for anything else).

    `unsure` when renderers would cut it differently: a code span with a `|` or from an earlier line, or `\\\\|`.
    """

    pipes: int = 0
    first: str = ""
    last: str = ""
    unsure: bool = False
    ended: bool = False

    def heads(self, columns: int) -> bool:
        """Whether a delimiter row with so many columns makes this line the head of a table."""
        cells = self.pipes + 1 - (self.first == "|") - (self.last == "|" and self.pipes > 1)
        return not self.unsure and self.pipes > 0 and cells == columns

    def after(self, tokens: Iterable[Token], source: str) -> HeaderRow:
        """The line after what these tokens, read from `source`, show."""
        if "|" not in source and "`" not in source and not (self.pipes or self.unsure):
            return _ENDED if source[-1:] in ("\n", "\r") else _UNENDED
        row = self
        for token in tokens:
            if token.kind == "code":
                row = row._with("x", "|" in token.text or _LINE_END.search(token.text) is not None)
            elif token.kind == "text":
                row = row._after_text(token.text)
            elif token.kind not in ("seam", "guard", "alt", "alt_end", "close"):
                row = row._with("x", False)
        return row

    def _with(self, signs: str, unsure: bool) -> HeaderRow:
        if not signs:
            return self
        row = HeaderRow() if self.ended else self
        return HeaderRow(row.pipes + signs.count("|"), row.first or signs[0], signs[-1], row.unsure or unsure)

    def _after_text(self, text: str) -> HeaderRow:
        end = _LAST_END.search(text)
        body = text[: end.start()] if end else text
        start = max(body.rfind("\n"), body.rfind("\r")) + 1
        row = replace(self, ended=True) if start else self
        if body.find("|", start) < 0:
            row = row._with("x" if body[start:].strip(" \t") else "", False)
        else:
            row = row._with(_SIGN.sub(_sign, body[start:]), _UNSURE.search(body, start) is not None)
        return replace(row, ended=True) if end else row


_UNENDED = HeaderRow(0, "x", "x")
_ENDED = HeaderRow(0, "x", "x", ended=True)


def _sign(match: re.Match[str]) -> str:
    return "" if match["blank"] else "|" if match.group() == "|" else "x"
