"""Where a reader's output goes: pieces of text that go out at once, or blocks of HTML, rendered when complete."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..markdown.blocks import ITEM_MARKS, MAX_FENCE, Open, Plan
from .html import HtmlText


class Sink(Protocol):
    """Where a reader puts what it has read."""

    words: bool
    """Whether text is released by whole words only, since a renderer would look at whole words."""

    incremental: bool
    """Whether text may be released before its block is complete."""

    def line(self, plan: Plan, before: Open, source: str) -> None:
        """A line begins."""

    def line_done(self, plan: Plan) -> None:
        """The line is taken; a block may be complete."""

    def raw(self, text: str) -> None:
        """Markup and code, as written."""

    def backslash(self) -> None:
        """What follows would be markup and shall not be."""

    def break_table(self) -> None:
        """What follows would be a table's row and shall not be."""

    def part(self, blank_line: str) -> None:
        """What comes next would go on with what came before, to some renderer, and shall not."""

    def blank(self, line: str) -> str:
        """A line of blanks that some renderer counts as an item's, and others do not."""

    def fence(self, line: str) -> str:
        """The line that opens a fence, so that it is no table's head and no longer than all renderers count."""

    def blanks(self, before: str, blanks: str) -> str:
        """The start of a line, with something for those blanks before its text that some renderer takes for code's."""

    def text(self, text: str) -> None:
        """The text of a block, in the sink's format."""


class TextSink:
    """Collects text of the formats `text` and `markdown`."""

    incremental = True

    def __init__(self, *, markdown: bool) -> None:
        self.words = markdown
        self._parts: list[str] = []

    def take(self) -> str:
        """What was released since the last call."""
        text = "".join(self._parts)
        self._parts.clear()
        return text

    def close(self) -> None:
        """Nothing is open here."""

    def line(self, plan: Plan, before: Open, source: str) -> None:
        """Lines do not matter here."""

    def line_done(self, plan: Plan) -> None:
        """Lines do not matter here."""

    def raw(self, text: str) -> None:
        """Markup and code, as written."""
        self._parts.append(text)

    def text(self, text: str) -> None:
        """The text of a block."""
        self._parts.append(text)

    def blocks(self, text: str) -> None:
        """Whole blocks."""
        self._parts.append(text)

    def backslash(self) -> None:
        """Only Markdown is escaped."""
        if self.words:
            self._parts.append("\\")

    def break_table(self) -> None:
        """Only in Markdown is there a table to end."""
        if self.words:
            self._parts.append(" \n")

    def part(self, blank_line: str) -> None:
        """Only in Markdown another renderer may read it."""
        if self.words:
            self._parts.append(blank_line)

    def blank(self, line: str) -> str:
        """In Markdown an empty one."""
        return _without_blanks(line) if self.words else line

    def fence(self, line: str) -> str:
        """markdown-it looks for a table first."""
        return _short_fence(line).replace("|", "&#124;") if self.words else line

    def blanks(self, before: str, blanks: str) -> str:
        """In Markdown one that does not count as such."""
        return _held_off(before) if self.words else before + blanks


NO_BREAK_SPACE = "\u00a0"
_LONG_FENCE = re.compile(rf"\A([^`~]*+(?P<marks>(?P<mark>[`~])(?P=mark){{{MAX_FENCE - 1}}}))(?P=mark)++")


def _without_blanks(line: str) -> str:
    """All but one of its blanks: after a carriage return a line feed alone would be no line."""
    body = line.rstrip("\r\n")
    return (body.rstrip(" \t") or " ") + line[len(body) :]


def _short_fence(line: str) -> str:
    return _LONG_FENCE.sub(r"\1", line)


def _held_off(before: str) -> str:
    """A no-break blank, after a blank where the mark of an item needs one."""
    return before + (" " if before[-1:] in ITEM_MARKS else "") + NO_BREAK_SPACE


_LIST = re.compile(r'<(?:ul|ol(?: start="\d+")?)>')


@dataclass(slots=True)
class OpenList:
    """A list at the top level whose items are still coming: what marks them, and its tag (`ul`, `ol`)."""

    marker: str
    tag: str


class HtmlSink:
    """Collects Markdown up to the end of a block at the top level, then renders it; an item of a list there is a block."""

    incremental = False
    words = True

    def __init__(self, html: HtmlText, on_block: Callable[[], None] | None = None) -> None:
        self.list: OpenList | None = None
        self.source: list[str] = []
        """The lines of the block that is not rendered yet."""
        self._html = html
        self._on_block = on_block
        self._parts: list[tuple[str, bool]] = []
        self._block: list[str] = []
        self._marker: str | None = None

    def take(self) -> str:
        """The HTML that was released since the last call. The tags of lists that go on are not sanitised: they are ours."""
        if not self._parts:
            return ""
        cleaned = iter(self._html.sanitised([text for text, ours in self._parts if not ours]))
        shown = "".join(text if ours else next(cleaned) for text, ours in self._parts)
        self._parts.clear()
        return shown

    def close(self) -> None:
        """The answer ends."""
        self._end_block()
        self._end_list()

    def line(self, plan: Plan, before: Open, source: str) -> None:
        """A line begins: it goes on with the block at hand or ends it."""
        if not _goes_on(plan, before):
            self._end_block()
        if not self.source and plan.after.containers:
            marker = plan.after.containers[0].marker
            self._marker = None if marker == ">" else marker
        self.source.append(source)

    def line_done(self, plan: Plan) -> None:
        """A heading, a rule or a fence is complete with its last line; so is a blank line."""
        if not plan.after.containers and plan.after.leaf == "none":
            self._end_block()

    def raw(self, text: str) -> None:
        """Markup and code, as written."""
        self._block.append(text)

    def text(self, text: str) -> None:
        """The text of a block."""
        self._block.append(text)

    def blocks(self, text: str) -> None:
        """Whole blocks, rendered at once; they go on with nothing that came before, and nothing goes on with them."""
        self._end_block()
        self._end_list()
        self._parts.append((self._html.render(text), False))

    def backslash(self) -> None:
        """Escapes what follows."""
        self._block.append("\\")

    def break_table(self) -> None:
        """Ends a table."""
        self._block.append(" \n")

    def part(self, blank_line: str) -> None:
        """comrak reads as the reader does."""

    def blank(self, line: str) -> str:
        """An empty one."""
        return _without_blanks(line)

    def fence(self, line: str) -> str:
        """comrak reads a fence first."""
        return _short_fence(line)

    def blanks(self, before: str, blanks: str) -> str:
        """One that does not count as such."""
        return _held_off(before)

    def _end_block(self) -> None:
        if not self.source:
            return
        rendered = self._html.render("".join(self._block))
        self._block.clear()
        self.source.clear()
        marker, self._marker = self._marker, None
        if rendered:
            self._add_block(rendered, marker)
        if self._on_block:
            self._on_block()

    def _add_block(self, rendered: str, marker: str | None) -> None:
        opening, _, rest = rendered.partition("\n")
        tag = opening[1:3]
        closing = f"</{tag}>\n"
        if marker is None or not _LIST.fullmatch(opening) or not rest.endswith(closing):
            self._end_list()
            self._parts.append((rendered, False))
            return
        if self.list is None or self.list.marker != marker:
            self._end_list()
            self._parts.append((opening + "\n", True))
            self.list = OpenList(marker, tag)
        self._parts.append((rest.removesuffix(closing), False))

    def _end_list(self) -> None:
        if self.list is not None:
            self._parts.append((f"</{self.list.tag}>\n", True))
            self.list = None


def _goes_on(plan: Plan, before: Open) -> bool:
    """Whether a line belongs to the block at the top level that is open."""
    if before.containers:
        return plan.kept > 0 or plan.kind == "continuation"
    lines = {"paragraph": ("continuation", "underline", "delimiter"), "fence": ("code", "fence"), "table": ("row",)}
    return plan.kind in lines.get(before.leaf, ("code", "blank") if before.leaf == "indented" else ())
