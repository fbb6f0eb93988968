"""Lines into blocks, as CommonMark 0.31 reads them (chapters 4 and 5) with GitHub's tables; HTML never opens a block.

`plan_line` says what a line is, given what is open; it changes nothing. A line may be read before its end has arrived: what
it is shows in its first characters more often than not, else `NeedMore` is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..links import may_hold_address
from ..sentinels import ANCHOR, CODE, SEAMS
from .inlines import NeedMore, Token

MAX_DEPTH = 32
"""Containers inside each other; what would open one more is shown as text, so that no line costs more than this."""
MAX_FENCE = 255
"""Marks of a fence that count: GitHub's renderer counts no further."""
MAX_COLUMNS = 64
"""Columns of a table; a row is filled up to them, which a hostile answer could use to grow without bound."""

LeafKind = Literal["none", "paragraph", "fence", "indented", "table"]
LineKind = Literal["blank", "paragraph", "continuation", "heading", "rule", "underline", "fence", "code", "delimiter", "row"]

_RULE = re.compile(r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+$")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_FENCE = re.compile(r"(?P<marks>`{3,}+(?=[^`]*+$)|~{3,}+)")
_BULLET = re.compile(r"[-+*](?=[ \t]|$)")
_ORDERED = re.compile(r"(?P<number>[0-9]{1,9}+)(?P<delimiter>[.)])(?=[ \t]|$)")
_OTHER_SPACE = re.compile(r"[\x0b\x0c]")
"""In a delimiter row, space to GitHub's tables and not to markdown-it's."""
_GAP = r"[ \t\x0b\x0c]*+"
_DELIMITER_ROW = re.compile(rf"\|?+{_GAP}:?+-++:?+{_GAP}(?:\|{_GAP}:?+-++:?+{_GAP})*+\|?+{_GAP}$")
ITEM_MARKS = frozenset("-+*.)")
"""How the mark of a list item ends."""
_CONTAINER_START = re.compile(r"[->+*]|[0-9]{1,9}+[.)]")
_OPEN_ENDED = re.compile(
    r"(?:#{1,7}+|[-+*=_]|[0-9]{1,9}+[.)]?+|`{1,2}+|`{3,}+[^`]*+|~{1,2}+"
    r"|=++[ \t]*+|(?:-[ \t]*+)++|(?:\*[ \t]*+)++|(?:_[ \t]*+)++|[|:\- \t\x0b\x0c]++)$"
)


class Container(NamedTuple):
    """A block quote (`marker` `>`), or a list item: `marker` tells lists apart, the content begins at column `indent`."""

    marker: str
    indent: int = 0
    empty: bool = False


class Fence(NamedTuple):
    """An open code fence."""

    mark: str
    length: int


class Open(NamedTuple):
    """What is open before a line: the containers, and the leaf block in the innermost."""

    containers: tuple[Container, ...] = ()
    leaf: LeafKind = "none"
    fence: Fence | None = None


class Plan(NamedTuple):
    """What a line is. `offset`: where its content begins; `after`: what is open once it is taken.

    `kept` containers of those before go on, `opens_item` says whether a list item begins. `escape` asks for a backslash at
    `offset`: a container too deep would open there, or a table that is none to some renderer. Some renderer takes the
    blanks between `lead` and `offset`, if there is a `lead`, for those before code. `part` asks for a blank line before it:
    without one some renderer goes on with what was open.
    """

    kind: LineKind
    offset: int
    after: Open
    kept: int
    opens_item: bool = False
    escape: bool = False
    lead: int | None = None
    part: bool = False


class _Line:
    """A line's text, read from the left with tabs as columns of four; a tab may be passed in part."""

    def __init__(self, text: str, whole: bool) -> None:
        self.text = text
        self.whole = whole
        self.offset = 0
        self.column = 0

    def blanks(self) -> tuple[int, int]:
        """The offset of the first character that is no blank, and how many columns lie before it."""
        offset, column = self.offset, self.column
        while offset < len(self.text) and self.text[offset] in " \t":
            column += 4 - column % 4 if self.text[offset] == "\t" else 1
            offset += 1
        if offset == len(self.text) and not self.whole:
            raise NeedMore
        return offset, column - self.column

    def take_columns(self, columns: int) -> None:
        """Goes past so many columns of blanks."""
        while columns and self.offset < len(self.text):
            width = 4 - self.column % 4 if self.text[self.offset] == "\t" else 1
            self.column += min(width, columns)
            self.offset += width <= columns
            columns -= min(width, columns)

    def take_mark(self, offset: int, indent: int, length: int) -> None:
        """Goes past the blanks up to `offset` and `length` characters there."""
        self.offset = offset + length
        self.column += indent + length


class _Planner:
    """The reading of one line."""

    def __init__(self, text: str, before: Open, whole: bool) -> None:
        self.line = _Line(text, whole)
        self.before = before
        self.kept = self._match_containers()
        self.containers = list(before.containers[: self.kept])
        self.all_kept = self.kept == len(before.containers)
        self.fresh = True
        self.opens_item = False
        self.part = False
        self.escape = False

    def _match_containers(self) -> int:
        for count, container in enumerate(self.before.containers):
            if not self._continues(container):
                return count
        return len(self.before.containers)

    def _continues(self, container: Container) -> bool:
        offset, indent = self.line.blanks()
        text = self.line.text
        if container.marker == ">":
            if indent > 3 or not text.startswith(">", offset):
                return False
            self._take_quote(offset, indent)
            return True
        if offset == len(text) and container.empty:
            return False
        if indent >= container.indent:
            self.line.take_columns(container.indent)
            return True
        if offset == len(text):
            self.line.take_columns(indent)
            return True
        return False

    def _take_quote(self, offset: int, indent: int) -> None:
        self.line.take_mark(offset, indent, 1)
        if self.line.offset == len(self.line.text) and not self.line.whole:
            raise NeedMore
        if self.line.text[self.line.offset : self.line.offset + 1] in (" ", "\t"):
            self.line.take_columns(1)

    @property
    def in_paragraph(self) -> bool:
        """Whether the line stands directly in the paragraph that is open."""
        return self.fresh and self.all_kept and self.before.leaf == "paragraph"

    def plan(self) -> Plan:
        """Opens what the line opens and says what it is."""
        if self.before.leaf == "fence" and self.all_kept:
            return self._in_fence()
        while True:
            offset, indent = self.line.blanks()
            if offset == len(self.line.text):
                return self._blank()
            if indent > 3:
                return self._indented(offset)
            if not self.line.whole and _OPEN_ENDED.match(self.line.text, offset):
                raise NeedMore
            leaf = self._leaf(offset)
            if leaf is not None:
                return leaf
            if not self._open_container(offset, indent):
                return self._text(offset)

    def _indented(self, offset: int) -> Plan:
        """An indented line: text in a paragraph, else code."""
        if self.fresh and self.before.leaf == "paragraph":
            return self._text(offset)
        if self._may_be_text(offset):
            return self._text(offset)._replace(offset=offset, lead=self.line.offset)
        return self._plan("code", self.line.offset, "indented")

    def _may_be_text(self, offset: int) -> bool:
        """Whether markdown-it reads this line otherwise than CommonMark, which sees code: then it has to come out inert.

        So it does after a table, with a `>` after a quote, and with a tab in a quote.
        """
        if self.fresh and self.before.leaf == "table":
            return True
        if "\t" in self.line.text[:offset] and any(container.marker == ">" for container in self.containers):
            return True
        left = self.before.containers[self.kept :] if self.fresh else ()
        return self.line.text[offset] == ">" and any(container.marker == ">" for container in left)

    def _in_fence(self) -> Plan:
        if not self.line.whole:
            raise NeedMore
        offset, indent = self.line.blanks()
        fence = self.before.fence
        rest = self.line.text[offset:].rstrip(" \t")
        closes = fence is not None and indent < 4 and len(rest) >= fence.length and not rest.strip(fence.mark)
        return Plan(
            "fence" if closes else "code",
            offset,
            self.before._replace(leaf="none", fence=None) if closes else self.before,
            self.kept,
        )

    def _leaf(self, offset: int) -> Plan | None:
        text = self.line.text
        heading = _HEADING.match(text, offset)
        if heading:
            return self._plan("heading", min(heading.end() + 1, len(text)), "none")
        fence = _FENCE.match(text, offset)
        if fence:
            if not self.line.whole:
                raise NeedMore
            return self._plan("fence", offset, "fence", Fence(fence["marks"][0], min(len(fence["marks"]), MAX_FENCE)))
        if self.in_paragraph and _UNDERLINE.match(text, offset):
            return self._plan("underline", offset, "none")
        if not _RULE.match(text, offset):
            return None
        self._part_from_code(offset)
        return self._plan("rule", offset, "none")

    def _part_from_code(self, offset: int) -> None:
        """After code in an item markdown-it, which looks for a table first, could take this line for its delimiter row."""
        self.part |= self.before.leaf == "indented" and column_count(self.line.text[offset:]) > 0

    def _open_container(self, offset: int, indent: int) -> bool:
        if len(self.containers) >= MAX_DEPTH:
            return False
        if self.line.text[offset] == ">":
            self._take_quote(offset, indent)
            self.containers.append(Container(">"))
        elif not self._open_item(offset, indent):
            return False
        self.fresh = False
        return True

    def _open_item(self, offset: int, indent: int) -> bool:
        text = self.line.text
        marker = _BULLET.match(text, offset) or _ORDERED.match(text, offset)
        if marker is None:
            return False
        ordered = marker.re is _ORDERED
        leaf = self.before.leaf
        if leaf in ("paragraph", "indented", "table") and (
            self._is_empty(marker) or (ordered and int(marker["number"]) != 1)
        ):
            # It begins no list in a paragraph, nor, to some renderer, in what comes right after one or a table.
            self.escape = leaf == "indented"
            if self.in_paragraph or self.escape:
                return False
            self.part |= leaf == "table" or not self.fresh
        length = marker.end() - offset
        self.line.take_mark(offset, indent, length)
        content, gap = self.line.blanks()
        empty = content == len(text)
        gap = 1 if empty or gap > 4 else gap
        self.line.take_columns(gap)
        name = marker["delimiter"] if ordered else marker.group()
        self.containers.append(Container(name, indent + length + gap, empty))
        self.opens_item = True
        return True

    def _is_empty(self, marker: re.Match[str]) -> bool:
        empty = not self.line.text[marker.end() :].strip(" \t")
        if empty and not self.line.whole:
            raise NeedMore
        return empty

    def _blank(self) -> Plan:
        keeps_code = self.before.leaf == "indented" and self.all_kept and self.fresh
        return Plan(
            "blank",
            len(self.line.text),
            Open(tuple(self.containers), "indented" if keeps_code else "none"),
            self.kept,
            self.opens_item,
            part=self.part,
        )

    def _text(self, offset: int) -> Plan:
        """A line of text: in a paragraph, in a table, or the first of a paragraph."""
        if self.fresh and self.before.leaf == "paragraph":
            return self._continuation(offset)
        if self.fresh and self.all_kept and self.before.leaf == "table":
            if not self.line.whole:
                raise NeedMore
            return self._plan("row", self.line.offset, "table")
        self._part_from_code(offset)
        # To a renderer without tables this line would go on with one.
        self.part |= self.before.leaf == "table"
        return self._plan("paragraph", self.line.offset, "paragraph")

    def _continuation(self, offset: int) -> Plan:
        row = self.line.text[offset:]
        columns = column_count(row)
        deep = self.line.blanks()[1] > 3
        if deep and not self.line.whole:
            raise NeedMore
        if self.all_kept and 0 < columns <= MAX_COLUMNS and not deep and self._heads_for_all(row):
            return self._plan("delimiter", self.line.offset, "table")
        # Some renderer takes an indented line for more than text without its containers, and for less with a `|`.
        lead = self.line.offset if deep and ("|" in row or not (self.all_kept or row[0].isalpha())) else None
        return Plan(
            "continuation", offset, self.before, self.kept, escape=columns > 0 or self._is_too_deep(offset), lead=lead
        )

    def _is_too_deep(self, offset: int) -> bool:
        """Whether a container would open there, but for the limit."""
        return len(self.containers) >= MAX_DEPTH and _CONTAINER_START.match(self.line.text, offset) is not None

    def _heads_for_all(self, row: str) -> bool:
        """Whether every renderer takes it for a delimiter row: markdown-it looks for a table before it looks for a list."""
        return not _OTHER_SPACE.search(row) and all(container.marker == ">" for container in self.before.containers)

    def _plan(self, kind: LineKind, offset: int, leaf: LeafKind, fence: Fence | None = None) -> Plan:
        containers = tuple(c._replace(empty=False) if c.empty else c for c in self.containers)
        escape = kind in ("paragraph", "row") and (self.escape or self._is_too_deep(self.line.blanks()[0]))
        return Plan(kind, offset, Open(containers, leaf, fence), self.kept, self.opens_item, escape, part=self.part)


def column_count(line: str) -> int:
    """How many columns a table gets from this delimiter row; 0 when it is none. `---` alone underlines a heading."""
    if not _DELIMITER_ROW.match(line):
        return 0
    row = line.strip(" \t")
    return row.strip("|").count("|") + 1


def plan_line(text: str, before: Open, *, whole: bool) -> Plan:
    """What the line `text` (without its line end) is. Raises NeedMore when it is not `whole` and that is not certain yet."""
    if not before.containers and text[:1].isalpha():
        # Most lines are plain text: no block but a table's row and a fence's code can look like that.
        if before.leaf == "paragraph":
            return Plan("continuation", 0, before, 0)
        if before.leaf in ("none", "indented"):
            return Plan("paragraph", 0, _PARAGRAPH, 0)
    return _Planner(text, before, whole).plan()


_PARAGRAPH = Open(leaf="paragraph")


# Parts of lines: cells, the blanks and digits before what would open a block, and blank lines.

CELL = re.compile(r"(?:[^|\\]|\\.|\\\Z)++|\|", re.DOTALL)


def blank_line(containers: Iterable[Container], end: str) -> str:
    """A blank line in containers that are open. It holds a blank: after a carriage return a line feed alone is none."""
    return ("".join("> " if container.marker == ">" else " " * container.indent for container in containers) or " ") + end


def past_tabs(line: str, offset: int) -> int:
    """Past the blanks at `offset` when a tab is among them, since a part of it may be a container's."""
    end = len(line) - len(line[offset:].lstrip(" \t"))
    return end if "\t" in line[offset:end] else offset


def mark_end(line: str, offset: int) -> int:
    """Past the blanks and digits at `offset`: where a backslash keeps a container or a table from opening."""
    while offset < len(line) and line[offset] in " \t0123456789":
        offset += 1
    return offset


def cell_count(row: str) -> int:
    """How many cells a table's row has."""
    pipes = sum(cell.group() == "|" for cell in CELL.finditer(row.strip(" \t")))
    ends = row.strip(" \t")
    return pipes + 1 - ends.startswith("|") - (len(ends) > 1 and ends.endswith("|"))


# Whether a line of text may head a table: what GitHub's tables (GFM 4.10), comrak and markdown-it agree on.

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
