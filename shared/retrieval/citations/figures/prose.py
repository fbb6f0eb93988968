"""The running text of an answer, block by block, with its citations marked: what sentences are looked for in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...evidence.sources import Source
from ..markdown.blocks import Open, Plan
from ..sentinels import CODE, GUARD, PLACES, SEAMS, TICKET

_PLACE = re.compile(f"[{PLACES}]")
_DROPPED = dict.fromkeys(map(ord, SEAMS + GUARD))


class Prose:
    """A dialect in which a citation is its numbers, and code is nothing."""

    def cite(self, sources: Sequence[Source]) -> str:
        """The numbers between tickets."""
        return TICKET + ",".join(str(source.number) for source in sources) + TICKET

    def literal(self, text: str) -> str:
        """An address states no figure."""
        return " "

    def address(self, link: str) -> str:
        """An address states no figure."""
        return " "

    def opening(self, link: str) -> str:
        """Links are their text."""
        return ""

    def closing(self, link: str) -> str:
        """Links are their text."""
        return ""

    def finish(self, text: str, inserts: Iterable[str], *, starts_line: bool) -> str:
        """The text with its citations."""
        following = iter(inserts)

        def put(place: re.Match[str]) -> str:
            shown = next(following)
            return " " if place.group() == CODE else shown

        return _PLACE.sub(put, text.translate(_DROPPED))


class ProseSink:
    """Collects the text of each block; a table's row is one, a list item another."""

    incremental = False
    words = False

    def __init__(self) -> None:
        self.blocks: list[list[str]] = [[]]

    def line(self, plan: Plan, before: Open, source: str) -> None:
        """A line that does not go on with a paragraph begins a block."""
        if plan.kind != "continuation":
            self.blocks.append([])

    def line_done(self, plan: Plan) -> None:
        """Blocks end where the next begins."""

    def raw(self, text: str) -> None:
        """Markup is no prose, but it keeps cells apart."""
        self.blocks[-1].append(" ")

    def text(self, text: str) -> None:
        """The text of a block."""
        self.blocks[-1].append(text)

    def backslash(self) -> None:
        """Nothing is escaped here."""

    def break_table(self) -> None:
        """Rows are blocks anyway."""

    def part(self, blank_line: str) -> None:
        """Nobody renders this."""

    def blank(self, line: str) -> str:
        """It says nothing."""
        return line

    def fence(self, line: str) -> str:
        """Code is no prose."""
        return line

    def blanks(self, before: str, blanks: str) -> str:
        """They do not matter here."""
        return before + blanks
