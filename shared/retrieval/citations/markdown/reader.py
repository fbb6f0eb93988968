"""The reader of an answer, whole or in pieces: lines into blocks, the text of blocks into tokens, tokens into one format.

It is one machine for both: a whole answer is a stream of one piece. What it releases never depends on how the text was cut,
since a line is planned and a construct is read only when no further text could change the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..formats.assembly import Assembly, Gaps
from ..formats.output import Sink
from .blocks import (
    CELL,
    HeaderRow,
    Open,
    Plan,
    blank_line,
    cell_count,
    column_count,
    is_unsure,
    last_line,
    mark_end,
    past_tabs,
    plan_line,
)
from .inlines import NeedMore, Scan, ScanOptions, Text, Token

MAX_MISSING_CELLS = 10_000
"""Cells that short rows leave to be filled in; then the table ends, since two characters a row would buy a row of cells."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_LEAVE_NOTHING = ("seam", "alt", "alt_end", "guard", "marker")
_SPACE = " \t\r\n"
_CONTAINER_SIGNS = frozenset(">-+*.):|")


@dataclass(slots=True)
class Position:
    """Where a reader stands: what is open, and whether it is within a line.

    `leads`: only blanks came before on this line; `row`: this line as the head of a table; `missing`: cells that
    the rows of the open table lack; `columns` of that table.
    """

    open: Open = field(default_factory=Open)
    within: bool = False
    leads: bool = True
    row: HeaderRow = field(default_factory=HeaderRow)
    columns: int = 0
    missing: int = 0


class Reader:
    """Reads text into a sink."""

    def __init__(self, sink: Sink, assembly: Assembly, options: ScanOptions, position: Position | None = None) -> None:
        self._sink = sink
        self._assembly = assembly
        self._options = options
        position = position or Position()
        self._open, self._within = position.open, position.within
        self._leads, self._row = position.leads, position.row
        self._columns, self._missing = position.columns, position.missing
        self._leaf = ""
        self._added: list[str] = []
        self._size = 0
        self._gaps = Gaps()
        self._fenced: list[str] = []
        self._pending = ""
        self._more: list[str] = []
        self._more_size = 0
        self._patience = 0
        self._mark(self._within)

    @property
    def position(self) -> Position:
        """Where what is released ends."""
        return Position(*self._stands)

    @property
    def open(self) -> Open:
        """What is open where the next line begins."""
        return self._open

    def feed(self, text: str, *, final: bool) -> None:
        """Reads on. What cannot be decided yet stays held; with `final` nothing does.

        While much is held it is looked at again only once an eighth more has come: else a stream of single characters would
        cost the square of its length.
        """
        self._more.append(text)
        self._more_size += len(text)
        if not final and self._more_size <= self._patience:
            return
        pending = self._pending + "".join(self._more)
        self._more, self._more_size = [], 0
        self._pending = self._read(pending, final)
        if final:
            self._end_leaf()
            self._release_fence()
        elif self._sink.incremental:
            self._scan(whole=False)
        held = len(self._pending) + self._size
        self._patience = held // 8 if held > 512 else 0

    def rest(self) -> bool:
        """Ends what text at the left margin after a blank line ends; False within a line, and where code would go on."""
        leaf = self._open.leaf
        goes_on = leaf in ("paragraph", "table") or (leaf == "fence" and not self._open.containers)
        if self.waiting or self._within or goes_on:
            return False
        self._release_fence()
        self._end_leaf()
        self._stand(Open(), within=False)
        return True

    @property
    def waiting(self) -> str:
        """The source that belongs to no line yet."""
        return self._pending + "".join(self._more)

    @property
    def held(self) -> str:
        """The source of what is not released yet, from `position` on."""
        self._join_leaf()
        return "".join((*self._fenced, self._gaps.source(self._leaf), self.waiting))

    def _read(self, text: str, final: bool) -> str:
        """Takes the lines of `text`; gives what is left of it."""
        at = 0
        while at < len(text):
            end = _LINE_END.search(text, at)
            if end is not None and (final or end.group() != "\r" or end.end() < len(text)):
                self._take_line(text[at : end.start()], end.group())
                at = end.end()
            elif final:
                self._take_line(text[at:], "")
                at = len(text)
            else:
                stop = end.start() if end else len(text)
                return text[stop:] if self._take_part(text[at:stop]) else text[at:]
        return ""

    def _take_line(self, line: str, end: str) -> None:
        if self._within:
            self._end_line(line, end)
            return
        plan = plan_line(line, self._open, whole=True)
        self._end_before(plan)
        if plan.part:
            self._sink.part(blank_line(plan.after.containers[: plan.kept], "\n"))
        if plan.kind == "underline" and "-" in line and self._row.may_be_a_column:
            plan = plan._replace(kind="continuation", after=self._open, escape=True)
        self._sink.line(plan, self._open, line + end)
        self._take(plan, line, end)
        self._sink.line_done(plan)

    def _take_part(self, part: str) -> bool:
        """Takes a line whose end has not come, if it is certain to be text."""
        if self._within:
            self._grow_leaf(part)
            return True
        if not part or not self._sink.incremental:
            return False
        try:
            plan = plan_line(part, self._open, whole=False)
        except NeedMore:
            return False
        if plan.kind not in ("paragraph", "continuation", "heading") or plan.escape or plan.part or plan.lead is not None:
            return False
        self._end_before(plan)
        self._take(plan, part, None)
        return True

    def _take(self, plan: Plan, line: str, end: str | None) -> None:
        """Takes a planned line; `end` is None while its end has not come."""
        if _goes_on(plan):
            self._gaps.add(self._size, line[: plan.offset], self._before_text(plan, line))
            self._add_text(line[plan.offset :], end)
        elif plan.kind in ("paragraph", "continuation", "delimiter", "heading"):
            self._take_text(plan, line, end)
        elif plan.kind == "row":
            self._take_row(plan, line, end or "")
        else:
            self._take_markup(plan, line + (end or ""))

    def _end_before(self, plan: Plan) -> None:
        """Ends what a line that does not go on with it ends."""
        if self._in_fence(plan):
            return
        self._release_fence()
        if not _goes_on(plan):
            self._end_leaf()

    def _in_fence(self, plan: Plan) -> bool:
        return self._open.leaf == "fence" and plan.kept == len(self._open.containers)

    def _take_markup(self, plan: Plan, source: str) -> None:
        if self._in_fence(plan):
            self._fenced.append(source)
        elif plan.after.leaf == "fence":
            self._fenced = [self._sink.fence(source)]
            self._open = plan.after
            return
        else:
            empty_item = plan.kind == "blank" and self._open.containers and self._open.containers[-1].empty
            self._sink.raw(self._sink.blank(source) if empty_item else source)
        self._open = plan.after
        if plan.after.leaf == "fence":
            return
        self._release_fence()
        self._stand(plan.after, within=False)

    def _take_text(self, plan: Plan, line: str, end: str | None) -> None:
        """The first line of a paragraph or heading; or one of a table, or too deep inside others, made text."""
        escaped = plan.escape
        if plan.kind == "delimiter":
            if self._row.heads(column_count(line[plan.offset :].strip(_SPACE))):
                self._sink.raw(line + (end or ""))
                self._columns, self._missing = column_count(line[plan.offset :].strip(_SPACE)), 0
                self._stand(plan.after, within=False)
                return
            escaped = True
        start = plan.offset
        if escaped:
            start = mark_end(line, start)
        elif plan.kind == "paragraph":
            start = past_tabs(line, start)
        self._sink.raw(self._before_text(plan, line) + line[plan.offset : start])
        if escaped and line[start : start + 1] in _CONTAINER_SIGNS:
            self._sink.backslash()
        after = self._open if plan.kind in ("continuation", "delimiter") else plan.after
        self._stand(after, within=True, leads=not escaped)
        self._add_text(line[start:], end)

    def _before_text(self, plan: Plan, line: str) -> str:
        """What stands before the text of a line, with nothing in it that is code to some renderer."""
        if plan.lead is None:
            return line[: plan.offset]
        return self._sink.blanks(line[: plan.lead], line[plan.lead : plan.offset])

    def _add_text(self, text: str, end: str | None) -> None:
        self._within = True
        if end is None:
            self._grow_leaf(text)
        else:
            self._end_line(text, end)

    def _end_line(self, text: str, end: str) -> None:
        """The rest of a line of text, up to its end."""
        self._within = False
        if self._open.leaf == "paragraph":
            self._grow_leaf(text + end)
            return
        self._grow_leaf(text)
        self._end_leaf()
        self._sink.raw(end)
        if end and self._row.piped:
            self._sink.part(blank_line(self._open.containers, end))
        self._stand(self._open, within=False)

    def _take_row(self, plan: Plan, line: str, end: str) -> None:
        """A table's row: each cell is a text by itself, since a renderer cuts them apart before anything else."""
        row = line[plan.offset :]
        if plan.escape or self._missing > MAX_MISSING_CELLS or self._may_show_nothing(row):
            self._sink.break_table()
            self._take_text(plan._replace(kind="paragraph", after=plan.after._replace(leaf="paragraph")), line, end)
            return
        self._sink.raw(self._before_text(plan, line))
        self._leads = True
        for cell in CELL.finditer(row):
            if cell.group() == "|":
                self._sink.raw("|")
            else:
                self._grow_leaf(cell.group())
                self._scan(whole=True)
        self._sink.raw(end)
        self._missing += max(0, self._columns - cell_count(row))
        self._stand(plan.after, within=False)

    def _may_show_nothing(self, row: str) -> bool:
        """Whether a row may come out without a cell, or with brackets alone: some renderer ends the table there."""
        if row.count("|") > 1:
            return False
        tokens = (
            token for cell in row.split("|") for token in Scan(Text(cell, True), self._options, leads_line=True).tokens
        )
        return all(token.kind in _LEAVE_NOTHING or not token.text.strip("[]<> \t") for token in tokens)

    def _stand(self, now: Open, *, within: bool, leads: bool = True) -> None:
        """Everything up to here is released."""
        self._open, self._within, self._leads = now, within, leads
        self._row = HeaderRow()
        self._mark(within)

    def _mark(self, within: bool) -> None:
        self._stands = (self._open, within, self._leads, self._row, self._columns, self._missing)

    def _release_fence(self) -> None:
        if self._fenced:
            self._sink.raw("".join(self._fenced))
            self._fenced = []
            self._stand(self._open, within=False)

    def _grow_leaf(self, text: str) -> None:
        """More text of the leaf block; joined only when it is looked at: a paragraph may have a line for every sign."""
        self._added.append(text)
        self._size += len(text)

    def _join_leaf(self) -> None:
        if self._added:
            self._leaf += "".join(self._added)
            self._added.clear()

    def _end_leaf(self) -> None:
        self._scan(whole=True)
        self._gaps = Gaps()
        self._leads = True
        self._mark(within=False)

    def _scan(self, *, whole: bool) -> None:
        """Reads the text of the leaf block as far as it is certain, and releases that."""
        self._join_leaf()
        if not self._leaf:
            return
        scan = Scan(Text(self._leaf, whole), self._options, leads_line=self._leads)
        cut = len(self._leaf) if whole else self._cut(scan)
        if not cut:
            return
        tokens = [token for token in scan.tokens if token.start < cut or token.end <= cut]
        self._complete(tokens, cut)
        self._sink.text(self._assembly.text(tokens, starts_line=self._leads))
        source = self._leaf[:cut]
        self._row = self._row.after(
            self._assembly.places, unsure=is_unsure(tokens, source), piped="|" in source[last_line(source) :]
        )
        self._leaf = self._leaf[cut:]
        self._size = len(self._leaf)
        self._gaps.drop_before(cut)
        self._leads = False
        self._mark(within=True)

    def _complete(self, tokens: list[Token], cut: int) -> None:
        """Cuts the last token at `cut`, and puts what stood before each line into the tokens that go over lines."""
        if tokens and tokens[-1].kind == "text" and tokens[-1].end > cut:
            tokens[-1].text = self._leaf[tokens[-1].start : cut]
        if self._gaps.places:
            for token in tokens:
                if token.kind in ("text", "code", "marker"):
                    token.text = self._gaps.shown(self._leaf, token.start, token.start + len(token.text))

    def _cut(self, scan: Scan) -> int:
        """Up to where the text can go out: before the blanks that a removed marker would take along; by words if asked.

        Never within a link, and never while nothing stands on a line yet but what leaves nothing.
        """
        following = ""
        for token in reversed(scan.tokens):
            if token.start >= scan.decided or token.kind in ("seam", "alt", "alt_end"):
                continue
            place = self._place_in(token, scan.decided, following)
            if place is not None and not scan.inside_link(place) and not token.leads_after(place - token.start):
                return place
            following = token.kind
        return 0

    def _place_in(self, token: Token, decided: int, following: str) -> int | None:
        """Where the text may be cut in or after a token: after something that shows. `following`: the kind of the next."""
        if token.kind != "text":
            return None if self._sink.words else min(decided, token.end)
        text = self._leaf[token.start : min(token.end, decided)]
        kept = text.rstrip(_SPACE)
        if self._sink.words and not (len(kept) < len(text) and _stays_apart(text[len(kept) :], following)):
            kept = _before_last_space(kept)
        return token.start + len(kept) if kept else None


def _stays_apart(space: str, following: str) -> bool:
    """Whether blanks at the end of a text part its last word from what follows: a removed marker would take them along."""
    return following not in ("", "marker") or "\n" in space or "\r" in space


def _before_last_space(text: str) -> str:
    place = max(text.rfind(space) for space in _SPACE)
    return text[: place + 1].rstrip(_SPACE)


def _goes_on(plan: Plan) -> bool:
    return plan.kind == "continuation" and not plan.escape
