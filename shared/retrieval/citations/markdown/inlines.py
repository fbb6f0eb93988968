"""The scanner of a leaf block's text: code spans, markers, links, images, addresses in angle brackets, everything else.

It reads Markdown as a renderer without raw HTML does, since HTML is shown as text in every format. It is linear: each
construct is tried once at a place, and what it looks ahead is bounded by the next thing like it.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from ..links import LinkPolicy
from ..markers import Marker, read_marker
from ..results import MAX_EXCERPT_CHARACTERS, MAX_PROBLEMS, CitationProblem, ProblemCode
from ..sentinels import excerpt_of

# What may follow a bracket: the destination and title of an inline link, or the label of a reference (CommonMark 6.3).
#
# Each reader gives the end of what it read, None when that is no such thing, and raises NeedMore when only text that has not
# arrived yet can tell.

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


# Runs of backticks in a leaf block's text: where the code that one opens ends, and what stands in it.

BACKTICKS = re.compile("`+")
MAX_BACKTICKS = 80
"""Longer runs begin no code to GitHub's renderer."""
_LABEL_END = re.compile(r"\]:")
_TEXT_END = re.compile(r"\][(\[]")
_BLOCK_LINE = re.compile(
    r"(?<=[\r\n])[ \t]*+(?:<[A-Za-z/!?]|[>#]|[:~](?=[ \t\r\n]|\Z)|~~~|```|\[\^|(?:[-+*]|[0-9]{1,9}+[.)])(?=[ \t\r\n]|\Z))"
)


class CodeRuns:
    """The runs of one text, found once; every question takes the time of a binary search."""

    def __init__(self, source: Text) -> None:
        self._source = source
        self._runs: dict[int, list[int]] | None = None
        self._found: dict[re.Pattern[str], list[int]] = {}

    def closing(self, length: int, after: int) -> int | None:
        """Where the run of this length stands that closes one that ended at `after`; None when it opens no code.

        Nor does it when a line in between begins like HTML or another block: some renderer ends the paragraph there.
        """
        if self._runs is None:
            self._runs = defaultdict(list)
            for run in BACKTICKS.finditer(self._source.text):
                if self._source.whole or run.end() < len(self._source.text):
                    self._runs[run.end() - run.start()].append(run.start())
        starts = self._runs.get(length, [])
        index = bisect_left(starts, after)
        if index == len(starts) or self._any(_BLOCK_LINE, after, starts[index]):
            return None
        return starts[index]

    def ends_label(self, start: int, end: int) -> bool:
        """Whether a definition's label could end there."""
        return self._any(_LABEL_END, start, end)

    def ends_link(self, start: int, end: int) -> bool:
        """Whether a link's text could end there."""
        return self._any(_TEXT_END, start, end)

    def _any(self, pattern: re.Pattern[str], start: int, end: int) -> bool:
        """Whether the pattern begins between these places."""
        if pattern not in self._found:
            self._found[pattern] = [found.start() for found in pattern.finditer(self._source.text)]
        places = self._found[pattern]
        return bisect_left(places, start) < bisect_left(places, end)


# Pieces of a leaf block's text, in order, as the scanner reads them.

_LEAVES_NOTHING = " \t[!>-+*.)0123456789"
_OF_TASK_MARK = re.compile(r"[ \t]*+\[?+[ xX]?+\]?+[ \t]*+")
"""A piece of `[x] `, which GitHub's renderer takes off an item before it looks for definitions."""
TokenKind = Literal["text", "literal", "code", "marker", "address", "open", "close", "seam", "guard", "alt", "alt_end"]


@dataclass(slots=True)
class Token:
    """One piece, from `start` to `end` of the leaf's text.

    `text` is as written (markup included); for `literal` it is shown as it is, for `address`, `open` and `close` it is the
    target. `leads_line`: before it on its line stands only what leaves nothing. `notes` are reported once it goes out.
    Between `alt` and `alt_end` stands the text of an image.
    """

    kind: TokenKind
    start: int
    end: int
    text: str = ""
    leads_line: bool = True
    marker: Marker | None = None
    notes: tuple[CitationProblem, ...] = ()

    def leads_after(self, size: int) -> bool:
        """Whether, after `size` characters of its text, only blanks and what leaves nothing stand on the line.

        Brackets count as nothing: they go when they turn out to be those of a link. So do the marks of quotes, lists and
        tasks, which stand in a paragraph where another renderer may see a block begin.
        """
        if self.kind in ("seam", "marker", "guard", "alt", "alt_end"):
            return self.leads_line
        if self.kind != "text":
            return False
        if _OF_TASK_MARK.fullmatch(self.text, 0, size):
            return self.leads_line
        shown = self.text[:size].rstrip(_LEAVES_NOTHING)
        return shown[-1] in "\r\n" if shown else self.leads_line


def note(code: ProblemCode, excerpt: str) -> CitationProblem:
    """A note on something that was changed."""
    return CitationProblem(code=code, excerpt=excerpt)


_SPECIAL = re.compile("[\\\\`\\[\\]!<\u3010\uff3b\ue200]")
_SPECIAL_BUT_BRACKETS = re.compile("[\\\\`\\]!<\u3010\uff3b\ue200]")
"""Once no bracket closes any more, an opening one is text."""
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_FEW = 8
"""Tokens that are looked at one by one; after more of those that leave nothing the worst is assumed."""
_MARKER_BODY = re.compile(r"\s*+(?:e|r|\d|E|R)")
_BRACKET = re.compile("[\\[\\]\\\\`\u3010\u3011\uff3b\uff3d]")
_WIDE_CLOSER = {"\u3010": "\u3011", "\uff3b": "\uff3d"}
_AUTOLINK = re.compile(
    r"<(?P<address>[A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\s<>\x00-\x1f]*+"
    r"|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-]++@[A-Za-z0-9](?:[A-Za-z0-9\-.]*+))>"
)
_ANGLE_RUN = re.compile(r"<[^\s<>]*+")
_IMG = re.compile(r"<img(?=[\s/>])", re.IGNORECASE)
_IMG_TAG = re.compile(r"<img(?:[^\"'>]|\"[^\"]*+\"|'[^']*+')*+>", re.IGNORECASE)
_TAG_START = re.compile(r"</?[A-Za-z]|<[!?]")
_TOOL_MARKER = re.compile("\ue200[^\ue200\ue201\\s]*+\ue201")
_TOOL_MARKER_OPEN = re.compile("\ue200[^\ue200\ue201\\s]*+")
_TARGET = re.compile(r"[ \t]*+(?:(?:\r\n?|\n)[ \t]*+)?+\S++(?=\s)")
_TARGET_OPEN = re.compile(r"[ \t]*+(?:(?:\r\n?|\n)[ \t]*+)?+\S*+")


@dataclass(slots=True)
class _Opener:
    token: int
    position: int
    image: bool
    leads_line: bool
    holds_anchor: bool = False


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What the scanner has to know of the call."""

    policy: LinkPolicy
    references: bool = False


class Scan:
    """One pass over the text of a leaf block, or of its part that is there so far."""

    def __init__(self, source: Text, options: ScanOptions, *, leads_line: bool) -> None:
        self.tokens: list[Token] = []
        self._source = source
        self._text = source.text
        self._options = options
        self._leads_line = leads_line
        self._openers: list[_Opener] = []
        self._code = CodeRuns(source)
        self._last_closing_angle: int | None = None
        self._quotes_close = True
        self.links: list[tuple[int, int]] = []
        self._outer: list[tuple[int, int]] | None = None
        self._plain_from = 0
        self._last_closing = self._text.rfind("]")
        self._notes = 0
        self._special = _SPECIAL
        self._leading = 0
        self.decided = self._run()

    def _run(self) -> int:
        """Reads on until the end or until more text is needed; gives up to where the tokens are certain."""
        position, size = 0, len(self._text)
        try:
            while position < size:
                special = self._special.search(self._text, position)
                if special is None:
                    position = size
                    break
                position = special.start()
                position = self._HANDLERS[special.group()](self, position)
        except NeedMore:
            pass
        self._add_plain(position)
        return min(position, self._openers[0].position) if self._openers and not self._source.whole else position

    def inside_link(self, at: int) -> bool:
        """Whether `at` lies within brackets that became a link or an image."""
        if self._outer is None:
            self._outer = _outermost(self.links)
        index = bisect_left(self._outer, at, key=lambda link: link[1])
        return index < len(self._outer) and self._outer[index][0] < at < self._outer[index][1]

    def _add(self, kind: TokenKind, start: int, end: int, text: str | None = None) -> Token:
        """Adds a token, and the plain text before it as another."""
        self._add_plain(start)
        token = Token(kind, start, end, self._text[start:end] if text is None else text, self._leads_line)
        self.tokens.append(token)
        self._leads_line = token.leads_after(len(token.text))
        self._plain_from = end
        return token

    def _add_plain(self, end: int) -> None:
        if end > self._plain_from:
            start, self._plain_from = self._plain_from, end
            self._add("text", start, end)

    def _excerpt(self, start: int, end: int) -> str:
        return excerpt_of(self._text[start : min(end, start + 400)], MAX_EXCERPT_CHARACTERS)

    def _escape(self, at: int) -> int:
        following = self._source.peek(at + 1)
        return at + 2 if following and _PUNCTUATION.match(following) else at + 1

    def _backticks(self, at: int) -> int:
        run = BACKTICKS.match(self._text, at)
        opened = run.end() if run else at + 1
        self._source.peek(opened)
        if opened - at > MAX_BACKTICKS:
            return opened
        closing = self._code.closing(opened - at, opened)
        if closing is not None and (self._defines(opened, closing) or self._links(opened - at, opened, closing)):
            closing = None
        if closing is None:
            self._source.peek(len(self._text))
            return opened
        self._add("code", at, closing + opened - at)
        return closing + opened - at

    def _links(self, length: int, start: int, end: int) -> bool:
        """Whether brackets that are open would end there as a link's text: marked knows no code in two backticks."""
        return length > 1 and bool(self._openers) and self._code.ends_link(start, end)

    def _defines(self, start: int, end: int) -> bool:
        """Whether brackets that are open would end there as a definition's label: one is looked for before code is."""
        return bool(self._leading) and self._code.ends_label(start, end)

    def _open_bracket(self, at: int) -> int:
        if at > self._last_closing:
            self._source.peek(len(self._text))
            self._special = _SPECIAL_BUT_BRACKETS
            return at + 1
        found = self._marker_at(at)
        if found is not None:
            return self._close_marker(*found)
        self._open(at, at + 1, image=False)
        return at + 1

    def _bang(self, at: int) -> int:
        if self._source.peek(at + 1) != "[" or (self._source.whole and at > self._last_closing):
            return at + 1
        marker = self._marker_at(at + 1)
        if marker is not None and not self._ends_image(marker[2]):
            return self._close_marker(*marker)
        self._open(at, at + 2, image=True)
        return at + 2

    def _ends_image(self, at: int) -> bool:
        """Whether brackets that end before `at` are followed by what makes them the text of an image."""
        following = self._source.peek(at)
        if following == "(":
            return read_tail(self._source, at) is not None
        return following == "[" and read_label(self._source, at) is not None and self._marker_at(at) is None

    def _open(self, start: int, end: int, *, image: bool) -> None:
        token = self._add("text", start, end)
        self._openers.append(_Opener(len(self.tokens) - 1, start, image, token.leads_line))
        self._leading += token.leads_line

    def _marker_at(self, at: int) -> tuple[Marker, int, int] | None:
        for depth in (2, 1) if self._text.startswith("[[", at) else (1,):
            body = at + depth
            if not _MARKER_BODY.match(self._text, body):
                continue
            closing = _BRACKET.search(self._text, body)
            if closing is None or not self._text.startswith("]" * depth, closing.start()):
                continue
            end = closing.start() + depth
            marker = self._marker(at, end, self._text[body : closing.start()])
            if marker is not None:
                return marker, at, end
        return None

    def _marker(self, start: int, end: int, body: str, *, wide: bool = False) -> Marker | None:
        return read_marker(self._text[start:end], body, wide=wide, references=self._options.references)

    def _close_marker(self, marker: Marker, start: int, end: int) -> int:
        """Adds a marker; a link that it is the text of goes with it, which only brackets of Markdown can be."""
        linked = self._text[start] not in _WIDE_CLOSER and self._source.peek(end) == "("
        tail = read_tail(self._source, end) if linked else None
        token = self._add("marker", start, end)
        token.marker = marker
        if self._openers:
            self._openers[-1].holds_anchor = True
        if tail is None:
            return end
        token.end = self._plain_from = tail.end
        self._removed(token, "link_removed", start, tail.end)
        return tail.end

    def _wide_bracket(self, at: int) -> int:
        closing = _BRACKET.search(self._text, at + 1)
        if closing is None:
            self._source.peek(len(self._text))
        elif closing.group() == _WIDE_CLOSER[self._text[at]]:
            marker = self._marker(at, closing.end(), self._text[at + 1 : closing.start()], wide=True)
            if marker is not None:
                return self._close_marker(marker, at, closing.end())
        return at + 1

    def _tool_marker(self, at: int) -> int:
        end = self._source.read(_TOOL_MARKER, _TOOL_MARKER_OPEN, at)
        if end is None:
            return at + 1
        self._add("marker", at, end).marker = Marker("foreign", (), self._text[at:end])
        return end

    def _close_bracket(self, at: int) -> int:
        if not self._openers:
            return at + 1
        following = self._source.peek(at + 1)
        opener = self._openers[-1]
        end = self._link_end(opener, at, following)
        defines = end is None and following == ":" and opener.leads_line and not opener.image
        target = self._source.read(_TARGET, _TARGET_OPEN, at + 2) if defines else None
        self._leading -= self._openers.pop().leads_line
        if opener.holds_anchor and self._openers and not opener.image:
            self._openers[-1].holds_anchor = True
        if end is not None:
            return end
        if self._is_foot(opener):
            # The opening bracket will be escaped: its fellow must not be left to another.
            self._add("guard", at, at, "")
            self.links.append((opener.position, at + 1))
        if defines:
            self._guard_definition(opener, at + 1, target or len(self._text))
        return at + 1

    def _is_foot(self, opener: _Opener) -> bool:
        """Whether what shows first in the brackets makes a footnote or an alert of them to some renderer."""
        for token in self.tokens[opener.token + 1 : opener.token + 1 + _FEW]:
            if token.kind == "text":
                return token.text[:1] in ("^", "!")
            if token.kind not in ("seam", "marker", "guard", "alt", "alt_end"):
                return False
        return len(self.tokens) > opener.token + _FEW or self._text[self._plain_from] in "^!"

    def _link_end(self, opener: _Opener, at: int, following: str) -> int | None:
        """Turns the brackets closed at `at` into a link or an image, if they are one, and gives its end."""
        if following == "(":
            tail = read_tail(self._source, at + 1)
            if tail is not None:
                self._link(opener, at, tail.end, tail.address)
                return tail.end
        if following == "[" and opener.image:
            end = read_label(self._source, at + 1)
            if end is not None and self._marker_at(at + 1) is None:
                self._link(opener, at, end, "")
                return end
        return None

    def _link(self, opener: _Opener, at: int, end: int, address: str) -> None:
        opening = self.tokens[opener.token]
        self.links.append((opener.position, end))
        if opener.image:
            opening.kind, opening.text = "alt", ""
            self._removed(opening, "image_removed", opener.position, end)
            self._add("alt_end", at, end, "")
            return
        link = None if opener.holds_anchor or at == opener.position + 1 else self._options.policy.link(address)
        if link is None:
            opening.kind, opening.text = "seam", ""
            self._removed(opening, "link_removed", opener.position, end)
            self._add("seam", at, end, "")
            return
        opening.kind, opening.text = "open", link
        opener.holds_anchor = True
        self._add("close", at, end, link)

    def _removed(self, token: Token, code: ProblemCode, start: int, end: int) -> None:
        """Notes what was changed. Only the first notes are ever shown: the others are counted, without a place."""
        self._notes += 1
        token.notes = (note(code, self._excerpt(start, end)) if self._notes <= MAX_PROBLEMS else note(code, ""),)

    def _guard_definition(self, opener: _Opener, colon: int, end: int) -> None:
        """Keeps a link reference definition from being one: it is shown as text."""
        token = self._add("guard", colon, colon, "")
        self.links.append((opener.position, colon + 1))
        if any(sign in self._text[colon + 1 : end] for sign in ":/"):
            self._removed(token, "link_removed", opener.position, end)

    def _angle(self, at: int) -> int:
        run = _ANGLE_RUN.match(self._text, at)
        if run and run.end() == len(self._text):
            self._source.peek(run.end())
        if _IMG.match(self._text, at):
            return self._image_tag(at)
        autolink = _AUTOLINK.match(self._text, at)
        if autolink:
            return self._autolink(at, autolink.end(), autolink["address"])
        if _TAG_START.match(self._text, at):
            self._removed(self._add("text", at, at + 1), "html_escaped", at, run.end() if run else at + 1)
        return at + 1

    def _image_tag(self, at: int) -> int:
        """An `<img>` tag leaves nothing. One with broken quotes ends where a browser could end it: at the first `>`."""
        if self._last_closing_angle is None:
            self._last_closing_angle = self._text.rfind(">")
        if self._last_closing_angle < at:
            self._source.peek(len(self._text))
            token = self._add("text", at, at + 1)
            self._removed(token, "html_escaped", at, at + MAX_EXCERPT_CHARACTERS)
            return at + 1
        tag = _IMG_TAG.match(self._text, at) if self._quotes_close else None
        if tag is None:
            self._source.peek(len(self._text))
            self._quotes_close = False
        end = tag.end() if tag else self._text.index(">", at) + 1
        self._removed(self._add("seam", at, end, ""), "image_removed", at, end)
        return end

    def _autolink(self, at: int, end: int, address: str) -> int:
        self.links.append((at, end))
        link = None if self._defines(at, end) else self._options.policy.link(address)
        if link is None:
            self._removed(self._add("seam", at, at + 1, ""), "link_removed", at, end)
            self._add("literal", at + 1, end - 1, address)
            self._add("seam", end - 1, end, "")
            return end
        if self._openers:
            self._openers[-1].holds_anchor = True
        self._add("address", at, end, link)
        return end

    _HANDLERS: ClassVar[dict[str, Callable[[Scan, int], int]]] = {
        "\\": _escape,
        "`": _backticks,
        "[": _open_bracket,
        "]": _close_bracket,
        "!": _bang,
        "<": _angle,
        "\u3010": _wide_bracket,
        "\uff3b": _wide_bracket,
        "\ue200": _tool_marker,
    }


def _outermost(links: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The links that lie in no other; `links` are in the order of their ends."""
    outer: list[tuple[int, int]] = []
    for link in reversed(links):
        if not outer or link[1] <= outer[-1][0]:
            outer.append(link)
    return outer[::-1]
