"""Tokens into the text of one format: what stands for a construct, and what keeps the text around it from becoming one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ...evidence.sources import Source
from ..markdown.inlines import Token
from ..sentinels import ANCHOR, CLOSE, CODE, EAT, GUARD, PLACES, SEAM, SEAMS
from ..tally import Ledger

_EATEN = re.compile(f"(?<![ \t{SEAM}])[ \t{SEAM}]++(?={EAT})")
_PLACE = re.compile(f"[{PLACES}]")
_SIGNS = re.compile(f"[{SEAMS}{GUARD}]")


class Gap(NamedTuple):
    """What stood before the character at `at`, a line's first, and what stands there when it comes out."""

    at: int
    source: str
    shown: str


class Gaps:
    """Where the lines of a leaf block were cut out of the source: what stood before each line's content."""

    def __init__(self) -> None:
        self.places: list[Gap] = []

    def add(self, at: int, source: str, shown: str) -> None:
        """Remembers what stood and will stand before the character at `at`."""
        if source:
            self.places.append(Gap(at, source, shown))

    def source(self, text: str) -> str:
        """The whole `text` with what stood before its lines."""
        return _filled(text, 0, len(text), [(gap.at, gap.source) for gap in self.places])

    def shown(self, text: str, start: int, end: int) -> str:
        """`text[start:end]` with what comes out before the lines in it."""
        within = self.places[bisect_right(self.places, start, key=_place) : bisect_right(self.places, end, key=_place)]
        return _filled(text, start, end, [(gap.at, gap.shown) for gap in within])

    def drop_before(self, start: int) -> None:
        """Forgets what is released and counts from `start`."""
        self.places = [Gap(gap.at - start, gap.source, gap.shown) for gap in self.places if gap.at > start]


def _filled(text: str, start: int, end: int, prefixes: Iterable[tuple[int, str]]) -> str:
    parts: list[str] = []
    position = start
    for at, prefix in prefixes:
        parts += (text[position:at], prefix)
        position = at
    return "".join((*parts, text[position:end]))


def _place(gap: Gap) -> int:
    return gap.at


class Dialect(Protocol):
    """How one format shows things."""

    def cite(self, sources: Sequence[Source]) -> str:
        """The citations of one marker."""

    def literal(self, text: str) -> str:
        """Text that is shown as it is."""

    def address(self, link: str) -> str:
        """An allowed address in angle brackets."""

    def opening(self, link: str) -> str:
        """The start of an allowed link."""

    def closing(self, link: str) -> str:
        """The end of an allowed link."""

    def finish(self, text: str, inserts: Iterable[str], *, starts_line: bool) -> str:
        """The text with its `inserts` put in, in order, where it has ANCHOR, CODE and CLOSE."""


class Assembly:
    """Builds the text of tokens, reporting to the ledger what it leaves out."""

    def __init__(self, dialect: Dialect, ledger: Ledger) -> None:
        self._dialect = dialect
        self._ledger = ledger
        self.places = ""
        """The last text before it was finished: with a sign for whatever is put in or was taken out."""

    def text(self, tokens: Sequence[Token], *, starts_line: bool) -> str:
        """What the tokens show."""
        parts: list[str] = []
        inserts: list[str] = []
        images = 0
        for token in tokens:
            for problem in token.notes:
                self._ledger.note(problem)
            images += (token.kind == "alt") - (token.kind == "alt_end")
            if images:
                parts.append(self._alternative(token))
            else:
                self._show(token, parts, inserts)
        text = "".join(parts)
        self.places = _EATEN.sub(_eat, text) if EAT in text else text
        return self._dialect.finish(self.places, inserts, starts_line=starts_line)

    def _alternative(self, token: Token) -> str:
        """What a token inside an image's text leaves: markers stay text, links are only their text."""
        if token.kind in ("text", "code"):
            return token.text
        if token.kind == "marker":
            return SEAM + token.text + SEAM
        return self._dialect.literal(token.text) if token.kind in ("literal", "address") else SEAM

    def _show(self, token: Token, parts: list[str], inserts: list[str]) -> None:
        match token.kind:
            case "text":
                parts.append(token.text)
            case "literal":
                parts.append(self._dialect.literal(token.text))
            case "guard":
                parts.append(GUARD)
            case "marker":
                self._marker(token, parts, inserts)
            case "code":
                parts.append(CODE)
                inserts.append(token.text)
            case "open" | "address":
                parts.append(ANCHOR)
                inserts.append(
                    self._dialect.opening(token.text) if token.kind == "open" else self._dialect.address(token.text)
                )
            case "close":
                parts.append(CLOSE)
                inserts.append(self._dialect.closing(token.text))
            case _:
                parts.append(SEAM)

    def _marker(self, token: Token, parts: list[str], inserts: list[str]) -> None:
        cited = self._ledger.marker(token.marker) if token.marker else None
        if cited is None:
            parts += (SEAM, token.text, SEAM)
        elif cited:
            parts.append(ANCHOR)
            inserts.append(self._dialect.cite(cited))
        else:
            parts.append(EAT)


def _eat(blanks: re.Match[str]) -> str:
    return SEAM if SEAM in blanks.group() else ""


def put_in(text: str, inserts: Iterable[str]) -> str:
    """`text` without seams and with its inserts."""
    if not _SIGNS.search(text):
        return fill(text, inserts)
    return fill(_SIGNS.sub("", text), inserts)


def fill(text: str, inserts: Iterable[str]) -> str:
    """`text` with its inserts, its seams as they are."""
    following = iter(inserts)
    return _PLACE.sub(lambda _: next(following), text)
