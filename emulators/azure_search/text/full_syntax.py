"""The full (Lucene) query syntax. A text that it cannot read is the service's 400 with the column; nothing is dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import ServiceError, invalid_syntax
from .textquery import Boosted, Clauses, Everything, Fuzzy, Occur, Phrase, Prefix, Query, Regex, Wildcard, Within, Words

MAX_DEPTH = 100
NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
FIELD = re.compile(r"[A-Za-z_]\w*(?:[/.][A-Za-z_]\w*)*(?=:)")
ENDS = frozenset(' \t\r\n\u3000()[]{}"^~:/')
OPERATORS = {"AND": "and", "&&": "and", "OR": "or", "||": "or"}


@dataclass(frozen=True, slots=True)
class _Term:
    text: str
    wild: str | None


def parse_full(text: str, *, every_word: bool) -> Query | None:
    """The tree of a text, None when it is blank. `every_word` is searchMode all."""
    if text.strip() == "*":
        return Everything()
    reader = _Reader(text, every_word)
    found = reader.clauses(0)
    reader.expect_end()
    return found


class _Reader:
    def __init__(self, text: str, every_word: bool) -> None:
        self._text = text
        self._at = 0
        self._every_word = every_word

    def _error(self, at: int | None = None) -> ServiceError:
        return invalid_syntax((self._at if at is None else at) + 1)

    def _blank(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _at_end(self) -> bool:
        self._blank()
        return self._at >= len(self._text)

    def expect_end(self) -> None:
        """Refuse text after the end of the query."""
        if not self._at_end():
            raise self._error()

    def clauses(self, depth: int) -> Query | None:
        """Parts up to a closing bracket or the end; AND makes both its sides required, as Lucene's parser does."""
        if depth > MAX_DEPTH:
            raise self._error()
        parts: list[tuple[Occur, Query]] = []
        while not self._at_end() and self._text[self._at] != ")":
            start, joined = self._at, self._operator()
            if joined is not None and not parts:
                raise self._error(start)
            occur = self._modifier(joined)
            part = self._part(depth)
            if joined == "and" and parts[-1][0] == "should":
                parts[-1] = ("must", parts[-1][1])
            if joined == "or" and self._every_word and parts[-1][0] == "must":
                parts[-1] = ("should", parts[-1][1])
            if part is not None:
                parts.append((occur, part))
        if len(parts) == 1 and parts[0][0] != "must_not":
            return parts[0][1]
        return Clauses(tuple(parts)) if parts else None

    def _operator(self) -> str | None:
        for word, name in OPERATORS.items():
            if self._text.startswith(word, self._at):
                after = self._text[self._at + len(word) : self._at + len(word) + 1]
                if not word.isalpha() or not after or after.isspace() or after in '("':
                    self._at += len(word)
                    if self._at_end():
                        raise self._error()
                    return name
        return None

    def _modifier(self, joined: str | None) -> Occur:
        if self._text.startswith("NOT", self._at) and (self._text[self._at + 3 :] or " ")[0].isspace():
            self._at += 3
            if self._at_end():
                raise self._error()
            return "must_not"
        if self._at < len(self._text) and self._text[self._at] in "+-!":
            self._at += 1
            if self._at >= len(self._text) or self._text[self._at].isspace():
                raise self._error()
            return "must" if self._text[self._at - 1] == "+" else "must_not"
        if joined == "or":
            return "should"
        return "must" if joined == "and" or self._every_word else "should"

    def _part(self, depth: int) -> Query | None:
        found = FIELD.match(self._text, self._at)
        if found is None:
            return self._read_boost(self._plain(depth))
        start, self._at = self._at, found.end() + 1
        if self._at >= len(self._text) or self._text[self._at].isspace():
            raise self._error()
        part = self._read_boost(self._plain(depth))
        return None if part is None else Within(found.group(), part, start + 1)

    def _plain(self, depth: int) -> Query | None:
        char = self._text[self._at]
        if char == "(":
            return self._read_group(depth)
        if char == '"':
            return self._phrase()
        if char == "/":
            return self._regex()
        return self._term()

    def _read_group(self, depth: int) -> Query | None:
        self._at += 1
        part = self.clauses(depth + 1)
        if self._at >= len(self._text) or self._text[self._at] != ")" or part is None:
            raise self._error()
        self._at += 1
        return part

    def _phrase(self) -> Query | None:
        self._at += 1
        written: list[str] = []
        while self._at < len(self._text) and self._text[self._at] != '"':
            written.append(self._character())
        if self._at >= len(self._text):
            raise self._error()
        self._at += 1
        slop = self._suffix("~")
        text = "".join(written)
        return Phrase(text, int(slop or 0)) if text.strip() else None

    def _regex(self) -> Query:
        self._at += 1
        start = self._at
        while self._at < len(self._text) and self._text[self._at] != "/":
            self._at += 2 if self._text[self._at] == "\\" else 1
        if self._at >= len(self._text):
            raise self._error(len(self._text))
        pattern = self._text[start : self._at]
        self._at += 1
        return Regex(pattern, self._at)

    def _term(self) -> Query | None:
        start = self._at
        term = self._read_term()
        if not term.text:
            raise self._error()
        if term.wild is not None:
            if term.text == "*":
                return Everything()
            if term.wild[0] in "*?":
                raise self._error(start)
            return Prefix(term.text[:-1]) if _only_trailing_star(term.wild) else Wildcard(term.wild)
        if self._at < len(self._text) and self._text[self._at] == "~":
            edits = self._suffix("~")
            return Fuzzy(term.text, _edits(edits, len(term.text)))
        return Words(term.text)

    def _read_term(self) -> _Term:
        """A word with its escapes taken off; `wild` is the pattern, with escapes kept, when it has unescaped `*` or `?`."""
        written: list[str] = []
        pattern: list[str] = []
        wild = False
        while self._at < len(self._text) and self._text[self._at] not in ENDS:
            if self._text[self._at] == "\\" and self._at + 1 >= len(self._text):
                raise self._error()
            escaped = self._text[self._at] == "\\"
            char = self._character()
            wild = wild or (char in "*?" and not escaped)
            written.append(char)
            pattern.append("\\" + char if char in "*?\\" and escaped else char)
        if self._at < len(self._text) and self._text[self._at] in ":[]{}":
            raise self._error()
        return _Term("".join(written), "".join(pattern) if wild else None)

    def _character(self) -> str:
        if self._text[self._at] == "\\" and self._at + 1 < len(self._text):
            self._at += 1
        self._at += 1
        return self._text[self._at - 1]

    def _suffix(self, sign: str) -> float | None:
        """The number after `~` or `^`; None when the sign is not there, 2 when no number follows it."""
        if self._at >= len(self._text) or self._text[self._at] != sign:
            return None
        self._at += 1
        found = NUMBER.match(self._text, self._at)
        if found is None:
            return 2.0
        self._at = found.end()
        return float(found.group())

    def _read_boost(self, part: Query | None) -> Query | None:
        if self._at < len(self._text) and self._text[self._at] == "^":
            if not NUMBER.match(self._text, self._at + 1):
                raise self._error(self._at + 1)
            factor = self._suffix("^")
            part = None if part is None else Boosted(part, factor or 0.0)
        return part


def _only_trailing_star(pattern: str) -> bool:
    return pattern.endswith("*") and not any(char in pattern[:-1] for char in "*?\\")


def _edits(given: float | None, length: int) -> int:
    """Edits of `~`: two without a number, at most two; a share below 1 is the old similarity notation."""
    value = 2.0 if given is None else given
    return min(2, int((1 - value) * length)) if 0 < value < 1 else min(2, int(value))
