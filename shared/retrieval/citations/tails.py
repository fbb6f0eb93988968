"""What may follow a bracket: the destination and title of an inline link, or the label of a reference (CommonMark 6.3).

Each reader gives the end of what it read, None when that is no such thing, and raises NeedMore when only text that has not
arrived yet can tell.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

MAX_PARENTHESES = 32
"""Depth of brackets inside a bare destination, as in cmark; without a bound the scan would be quadratic."""

_GAP = re.compile(r"[ \t]*+(?:(?:\r\n?|\n)[ \t]*+)?+")
_ANGLE = re.compile(r"<(?:[^<>\\\r\n]|\\.)*+>")
_ANGLE_OPEN = re.compile(r"<(?:[^<>\\\r\n]|\\.)*+\\?+")
_BARE_RUN = re.compile(r"(?:[^\s\x00-\x1f\x7f()\\]|\\[!-/:-@\[-`{-~]|\\)++")
_TITLE = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\]|\\.)*+'", re.DOTALL),
    "(": re.compile(r"\((?:[^()\\]|\\.)*+\)", re.DOTALL),
}
_TITLE_OPEN = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*+\\?+', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\]|\\.)*+\\?+", re.DOTALL),
    "(": re.compile(r"\((?:[^()\\]|\\.)*+\\?+", re.DOTALL),
}
_LABEL = re.compile(r"\[(?:[^\[\]\\]|\\.)*+\]", re.DOTALL)
_LABEL_OPEN = re.compile(r"\[(?:[^\[\]\\]|\\.)*+\\?+", re.DOTALL)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class NeedMore(Exception):
    """The text so far does not decide; more of it, or its end, will."""


class Tail(NamedTuple):
    """The part of an inline link after its text: where it ends and the address, unescaped."""

    end: int
    address: str


class Text(NamedTuple):
    """The text of a leaf block so far; `whole` once no more of it can come."""

    text: str
    whole: bool

    def peek(self, at: int) -> str:
        """The character at `at`, '' at the end of a whole text."""
        if at < len(self.text):
            return self.text[at]
        if not self.whole:
            raise NeedMore
        return ""

    def read(self, closed: re.Pattern[str], opened: re.Pattern[str], at: int) -> int | None:
        """The end of `closed` at `at`; `opened` matches what it may have begun as."""
        match = closed.match(self.text, at)
        if match:
            return match.end()
        start = opened.match(self.text, at)
        if start and start.end() == len(self.text):
            self.peek(start.end())
        return None

    def skip(self, at: int) -> int:
        """Past blanks and at most one line end."""
        match = _GAP.match(self.text, at)
        end = match.end() if match else at
        self.peek(end)
        return end


def read_tail(source: Text, at: int) -> Tail | None:
    """The inline link's tail that opens with the bracket at `at`."""
    position = source.skip(at + 1)
    destination = _destination(source, position)
    if destination is None:
        return None
    after = source.skip(destination.end)
    if source.peek(after) == ")":
        return Tail(after + 1, destination.address)
    if after == destination.end or source.peek(after) not in _TITLE:
        return None
    quote = source.peek(after)
    end = source.read(_TITLE[quote], _TITLE_OPEN[quote], after)
    if end is None:
        return None
    end = source.skip(end)
    return Tail(end + 1, destination.address) if source.peek(end) == ")" else None


def read_label(source: Text, at: int) -> int | None:
    """The end of the reference label that opens at `at`."""
    return source.read(_LABEL, _LABEL_OPEN, at)


def _destination(source: Text, at: int) -> Tail | None:
    if source.peek(at) == "<":
        end = source.read(_ANGLE, _ANGLE_OPEN, at)
        return None if end is None else Tail(end, _unescaped(source.text[at + 1 : end - 1]))
    end = _bare_end(source, at)
    return None if end is None else Tail(end, _unescaped(source.text[at:end]))


def _bare_end(source: Text, at: int) -> int | None:
    depth, position = 0, at
    while True:
        run = _BARE_RUN.match(source.text, position)
        position = run.end() if run else position
        char = source.peek(position)
        if char == "(":
            depth += 1
            if depth > MAX_PARENTHESES:
                return None
        elif char == ")" and depth:
            depth -= 1
        else:
            return position if not depth else None
        position += 1


def _unescaped(address: str) -> str:
    return html.unescape(_ESCAPE.sub(r"\1", address))
