"""Ordinary stretches of a whole answer: runs of blocks in which nothing but markers needs any care.

Headings, lists, rules and paragraphs of words, emphasis, code spans and markers that cite: what most of most answers is made
of. Such a stretch comes out as the reader would put it out, for the cost of a few searches instead of one reading a line.
The pattern says only what is safe to leave alone; what is less certain is no part of one, and the reader reads it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from ..formats.assembly import Dialect
from ..markers import Marker, read_marker
from ..sentinels import ANCHOR, CODE
from ..tally import Ledger

MAX_PIECE = 32_000
"""Characters of a stretch, but for the rest of its last section: the tree of one rendering stays small."""

_SIGN = r"[^\x00-\x1f\x7f-\x9f!&\[\\\]\^`<|\u2028-\u202e\u2066-\u2069\u3010\u3011\uff3b\uff3d\ue000-\uf8ff]"
_WORDS = rf"(?:{_SIGN}++|[!^](?!\[)|&(?!#)|<(?=[ ]|=?[0-9.]{{1,9}}[ ),;]))"
_BRACKETED = rf"\[{_SIGN}{{1,100}}+\](?!\()"
_BRACKETS = rf"{_BRACKETED}(?!:)|(?:(?<=[^\W\d_][ ])|(?<=[^\W\d_][.,;)][ ])){_BRACKETED}"
"""A colon after brackets at the start of a line would make a link reference definition of them."""
_CODE = r"`[^`\x00-\x1f\\\[\]<|]++`(?!`)"
_LINE_END = r"(?:\n|\r\n?+|\Z)"
_REST = rf"(?:{_WORDS}|{_BRACKETS}|{_CODE})*+{_LINE_END}"
_START = r"(?![0-9]++[.)](?:\s|\Z))(?=[^\W_]|\*{1,3}[^\s*]|_{1,3}[^\s_]|[\"'(\u2018-\u201d\u00a3$\u20ac\[]|`[^`])"
_TEXT = rf"{_START}{_REST}"
_ITEM = rf"(?:[-+*]|[0-9]++[.)])[ ]{{1,3}}+{_TEXT}"
_HEADING_OR_RULE = rf"(?:\#{{1,6}}[ ](?=[^\s:~>]){_REST}|(?:-{{3,}}+|\*{{3,}}+|_{{3,}}+)[ ]*+{_LINE_END})"
_QUOTED = rf">(?:[ ]{_HEADING_OR_RULE}|[ ]*+{_LINE_END})"
_UNDERLINE = rf"[ ]{{0,3}}=++[ ]*+{_LINE_END}"
_DEEP_WORDS = rf"[ ]{{4,12}}+(?=[^\W\d_]){_REST}"
"""Only after a line that leaves a paragraph open: elsewhere they could be code."""
_INNER = rf"(?=[ ]{{4}})(?P=lead)%s{_ITEM}"
"""An item with so many blanks more than the one above that it is in that one for certain."""
_IN_BULLET = rf"(?:{_DEEP_WORDS}|{_INNER % '[ ]{2,5}'})*+"
_IN_NUMBER = rf"(?:{_DEEP_WORDS}|{_INNER % '[ ]{3,6}'})*+"
_BULLET = rf"[-+*][ ]{_TEXT}{_IN_BULLET}"
_NUMBERS = rf"1[.)][ ]{_TEXT}{_IN_NUMBER}(?:(?P=lead)[0-9][.)][ ]{_TEXT}{_IN_NUMBER})*+"
"""From 1, since other numbers begin no list after words."""
_QUOTED_ITEM = rf">[ ](?:[-+*]|1[.)])[ ]{{1,3}}+{_TEXT}"
_WORDED = rf"(?:{_BULLET}|{_NUMBERS}|(?:{_ITEM}|(?:>[ ])?+{_TEXT}|{_QUOTED_ITEM})(?:{_DEEP_WORDS})*+)(?:{_UNDERLINE})?+"
_LINES = rf"(?P<lead>[ ]{{0,3}}+)(?:{_HEADING_OR_RULE}|{_QUOTED}|{_WORDED})"
_BLANK_LINE = r"[ ]*+(?:\n|\r\n?+)"
_MARGIN = r"(?:[^-+*>0-9\s]|\*\*)"
"""How a line begins that, after a blank one, goes on with no list and no quote."""
_STRETCH = re.compile(rf"(?:{_BLANK_LINE})*+(?:(?>(?:{_LINES})++(?:(?:{_BLANK_LINE})++|\Z))+(?={_MARGIN}|\Z)|\Z)")
_AT_MARGIN = re.compile(_MARGIN)
_GAP = re.compile(rf"\n{_BLANK_LINE}")
_SECTION_END = re.compile(rf"\n{_BLANK_LINE}(?={_MARGIN})")
_IN_BRACKETS = re.compile(r"(\[[^\]]++\])")
_PLACE = re.compile(r"[\[`][^\]`]++[\]`]")
"""In an ordinary stretch brackets hold no others, and backticks are those of code without brackets."""


class StretchDialect(Dialect, Protocol):
    """How one format shows whole stretches."""

    def takes(self, ordinary: str) -> bool:
        """Whether this ordinary text can be written without a look at each of its blocks."""

    def leaves(self, ordinary: str) -> bool:
        """Whether `finish` would change nothing in this ordinary text but put the citations in."""


class OrdinaryText:
    """Finds the ordinary stretches of an answer and writes their text in one dialect."""

    def __init__(self, dialect: StretchDialect, ledger: Ledger, *, references: bool) -> None:
        self._dialect = dialect
        self._ledger = ledger
        self._references = references
        self._markers: dict[str, Marker | None] = {}
        self._shown: dict[str, str] = {}

    def stretches(self, answer: str) -> Iterator[tuple[int, int]]:
        """Where they start and end, in order.

        Each begins at the start of the answer, or after a blank line with a line that goes on with no list; such a line or
        the end of the answer follows it. Linear: what was searched in vain holds no place where a stretch may begin.
        """
        at = 0
        while at < len(answer):
            found = _STRETCH.match(answer, at) if at == 0 or _AT_MARGIN.match(answer, at) else None
            while found is not None and at < found.end():
                piece = _SECTION_END.search(answer, min(at + MAX_PIECE, found.end()), found.end())
                start, at = at, piece.end() if piece else found.end()
                yield from self._without_problems(answer, start, at)
            gap = _GAP.search(answer, at)
            at = gap.end() if gap else len(answer)

    def text(self, stretch: str) -> str:
        """The stretch with its citations, counted in the ledger."""
        for written, times in Counter(_IN_BRACKETS.findall(stretch)).items():
            marker = self._markers[written]
            if marker is not None:
                self._ledger.count(marker.numbers, times)
                if written not in self._shown:
                    self._shown[written] = self._dialect.cite(self._ledger.sources(marker.numbers))
        if self._dialect.leaves(stretch):
            parts = _IN_BRACKETS.split(stretch)
            parts[1::2] = [self._shown.get(written, written) for written in parts[1::2]]
            return "".join(parts)
        inserts: list[str] = []

        def hold_out(place: re.Match[str]) -> str:
            code = place[0].startswith("`")
            if not code and place[0] not in self._shown:
                return place[0]
            inserts.append(place[0] if code else self._shown[place[0]])
            return CODE if code else ANCHOR

        return self._dialect.finish(_PLACE.sub(hold_out, stretch), inserts, starts_line=True)

    def _without_problems(self, answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The stretch without the sections for the reader: not all markers stand, or the dialect does not take them."""
        others = {written for written in set(_IN_BRACKETS.findall(answer, start, end)) if not self._is_ordinary(written)}
        if others or not self._dialect.takes(answer[start:end]):
            edges = (start, *(section.end() for section in _SECTION_END.finditer(answer, start, end)), end)
            for low, high in pairwise(edges):
                section = answer[low:high]
                if not self._dialect.takes(section) or not others.isdisjoint(_IN_BRACKETS.findall(section)):
                    if start < low:
                        yield start, low
                    start = high
        if start < end:
            yield start, end

    def _is_ordinary(self, written: str) -> bool:
        """Whether these brackets are a marker that citations stand for, or just brackets."""
        if written not in self._markers:
            marker = _read(written, self._references)
            if marker is not None and not self._ledger.stands(marker):
                return False
            self._markers[written] = marker
        return True


@lru_cache(maxsize=4096)
def _read(written: str, references: bool) -> Marker | None:
    """The marker that these brackets are. The same few stand in answer after answer, and the pattern keeps them short."""
    return read_marker(written, written[1:-1], wide=False, references=references)
