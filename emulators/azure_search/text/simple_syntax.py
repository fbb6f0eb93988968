"""The simple query syntax: `+`, `|`, `-`, quotes, brackets, a trailing `*` and a backslash. It reads every text somehow."""

from __future__ import annotations

from .textquery import Clauses, Everything, Occur, Phrase, Prefix, Query, Words

SPECIAL = frozenset('+|"()')


def parse_simple(text: str, *, every_word: bool) -> Query | None:
    """The tree of a text; None when no word is in it. `every_word` is searchMode all."""
    if text.strip() == "*":
        return Everything()
    return _Reader(text, "must" if every_word else "should").read()


class _Reader:
    def __init__(self, text: str, default: Occur) -> None:
        self._text = text
        self._at = 0
        self._default = default

    def read(self) -> Query | None:
        """Everything; a closing bracket that was never opened is passed over."""
        found: Query | None = None
        while self._at < len(self._text):
            part = self._sequence()
            found = _join(found, part, self._default)
            self._at += 1
        return found

    def _sequence(self) -> Query | None:
        """Parts up to a closing bracket or the end. An operator binds all parts to its left, as one, to the next part."""
        found: Query | None = None
        last: Occur | None = None
        pending: Occur | None = None
        while self._at < len(self._text) and self._text[self._at] != ")":
            char = self._text[self._at]
            if char.isspace():
                self._at += 1
            elif char in "+|":
                pending = "must" if char == "+" else "should"
                self._at += 1
            else:
                part = self._part()
                if part is not None:
                    occur = pending or self._default
                    found = _append(found, part, occur, occur == last)
                    last, pending = (occur if isinstance(found, Clauses) else None), None
        return found

    def _part(self) -> Query | None:
        char = self._text[self._at]
        if char == "-" and self._at + 1 < len(self._text) and not self._text[self._at + 1].isspace():
            self._at += 1
            part = self._part()
            return None if part is None else Clauses((("must_not", part), ("should", Everything())))
        if char == "(":
            return self._read_group()
        if char == '"':
            return self._phrase()
        return self._word()

    def _read_group(self) -> Query | None:
        self._at += 1
        part = self._sequence()
        self._at += 1
        return part

    def _phrase(self) -> Query | None:
        self._at += 1
        written: list[str] = []
        while self._at < len(self._text) and self._text[self._at] != '"':
            written.append(self._character())
        closed = self._at < len(self._text)
        self._at += 1
        text = "".join(written)
        if not text.strip():
            return None
        return Phrase(text) if closed else _words(text, self._default)

    def _word(self) -> Query | None:
        written: list[str] = []
        starred = False
        while self._at < len(self._text) and self._text[self._at] not in SPECIAL and not self._text[self._at].isspace():
            starred = self._text[self._at] == "*"
            written.append(self._character())
        if not written:
            self._at += 1
            return None
        text = "".join(written)
        return Prefix(text[:-1]) if starred and len(text) > 1 else Words(text)

    def _character(self) -> str:
        """The next character; a backslash makes the one after it ordinary."""
        if self._text[self._at] == "\\" and self._at + 1 < len(self._text):
            self._at += 1
        self._at += 1
        return self._text[self._at - 1]


def _words(text: str, occur: Occur) -> Query | None:
    return Clauses(tuple((occur, Words(word)) for word in text.split()))


def _append(found: Query | None, part: Query, occur: Occur, same: bool) -> Query:
    if found is None:
        return part
    if same and isinstance(found, Clauses):
        return Clauses((*found.parts, (occur, part)))
    return Clauses(((occur, found), (occur, part)))


def _join(found: Query | None, part: Query | None, occur: Occur) -> Query | None:
    if found is None or part is None:
        return found or part
    return Clauses(((occur, found), (occur, part)))
