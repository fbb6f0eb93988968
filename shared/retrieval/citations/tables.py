"""Whether a line of text may head a table: what GitHub's tables (GFM 4.10), comrak and markdown-it agree on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .addresses import may_hold_address
from .sentinels import ANCHOR, CODE, SEAMS
from .tokens import Token

MAX_LINE = 1_000
"""Characters of a line that is looked at; a longer one heads no table."""

_LAST_END = re.compile(r"(?:\r\n|\n|\r)\Z")
_WORD = re.compile(rf"[^\s{ANCHOR}{CODE}]++")
_FREE_PIPE = re.compile(r"(?<!\\)\|")
_PLAIN_KINDS = frozenset(("text", "marker", "code", "seam"))


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """The line of a paragraph so far, as it comes out: its text with a sign for each place and each seam.

    `unsure` when renderers would cut it differently whatever its text is; `piped` when a `|` was written anywhere in it;
    `ended` once its line end came.
    """

    line: str = ""
    unsure: bool = False
    piped: bool = False
    ended: bool = False

    def heads(self, columns: int) -> bool:
        """Whether a delimiter row with so many columns makes this line the head of a table for every renderer."""
        bare = self.line.strip(" \t")
        if self.unsure or "|" not in bare or "||" in bare or _has_odd_edge(bare) or bare[0] in SEAMS:
            return False
        if self._is_recut:
            return False
        inner = bare.removeprefix("|").removesuffix("|")
        cells = len(_FREE_PIPE.findall(inner)) + 1
        framed = len(bare) == len(inner) + 2
        return bool(inner) and cells == columns and (cells > 1 or framed)

    @property
    def may_be_a_column(self) -> bool:
        """Whether it and a `--` below it, which underlines a heading, could be a table of one column to some renderer."""
        bare = self.line.strip(f" \t>{SEAMS}")
        framed = not _FREE_PIPE.search(bare.removeprefix("|").removesuffix("|"))
        return self.piped and (self.unsure or framed or self._is_recut)

    @property
    def _is_recut(self) -> bool:
        """Whether it may come out with fewer or more free pipes than it went in with."""
        return any("|" in word and may_hold_address(word) for word in _WORD.findall(self.line))

    def after(self, shown: str, *, unsure: bool, piped: bool) -> HeaderRow:
        """The line after this part of the paragraph has come out; `unsure` and `piped` are about the part's last line."""
        row = HeaderRow() if self.ended else self
        end = _LAST_END.search(shown)
        body = shown[: end.start()] if end else shown
        start = max(body.rfind("\n"), body.rfind("\r")) + 1
        line = body[start:] if start else row.line + body
        unsure = unsure or (row.unsure and not start) or len(line) > MAX_LINE
        return HeaderRow(line[:MAX_LINE], unsure, piped or (row.piped and not start), end is not None)


def is_unsure(tokens: Iterable[Token], source: str) -> bool:
    """Whether on the last line of `source` stands more than text, markers and code without a `|`."""
    start = last_line(source)
    return any(
        token.end > start and (token.kind not in _PLAIN_KINDS or (token.kind == "code" and _is_cut(token.text)))
        for token in tokens
    )


def last_line(source: str) -> int:
    """Where the last line of `source` starts."""
    body = source.rstrip("\r\n")
    return max(body.rfind("\n"), body.rfind("\r")) + 1


def _is_cut(code: str) -> bool:
    return "|" in code or "\n" in code or "\r" in code


def _has_odd_edge(bare: str) -> bool:
    """Whether some renderer trims more than blanks and tabs there."""
    return bare != bare.strip() or "\ufeff" in (bare[0], bare[-1])
