"""Markers: what stands between brackets, read as a citation, as a malformed one, as another tool's or as ordinary text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

MAX_RANGE = 50

MarkerKind = Literal["cites", "malformed", "foreign"]

_DIGITS = "0-9\uff10-\uff19"
_DASH = "\\-\u2010-\u2013\u2212\uff0d"
_NUMBER = rf"[{_DIGITS}]{{1,6}}+(?![{_DIGITS}])"
_ITEM = rf"{_NUMBER}(?:\s*+[{_DASH}]\s*+{_NUMBER})?+"
_COMMA = "[,;\uff0c\uff1b\u3001]"
_BETWEEN = rf"(?:\s*+{_COMMA}\s*+(?:and\b\s*+)?+|\s++and\b\s*+|\s*+&(?!#)\s*+)"
_WORD_GAP = r"[^\S\r\n]*+(?:\r\n?|\n)?+[^\S\r\n]*+[:#\uff1a\uff03]?+\s*+"


def _grammar(words: str) -> re.Pattern[str]:
    first = rf"\s*+(?:{words}){_WORD_GAP}{_ITEM}"
    return re.compile(rf"{first}(?:{_BETWEEN}(?:(?:{words})\s*+)?+[:#]?+\s*+{_ITEM})*+\s*+", re.IGNORECASE)


# In ASCII: else letters that only fold to an `i` would make a marker that nobody sees as one.
_CITES = _grammar("(?a:evidence)")
_CITES_OR_REFERENCES = _grammar("(?a:evidence|ref_id)")
_PART = re.compile(rf"([a-z_]+)|([{_DIGITS}]+)(?:\s*+[{_DASH}]\s*+([{_DIGITS}]+))?+", re.IGNORECASE)
_WORD = re.compile(r"\s*+(?P<word>(?a:evidence|ref_id))(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_SIGNS = r".,:;#+&/|*=~\u00b1\u00b7\u00d7\u2014\u2015\u2022\u2026\u3001\u301c\uff0c\uff1b\uff5e"
_MALFORMED = re.compile(rf"(?:[\s\d{_SIGNS}{_DASH}]|and\b|evidence\b|[^\W\d_a-z])*+", re.IGNORECASE)
_FOREIGN = re.compile(r"\s*+\d++(?::\d++)?+\s*+†.*+", re.DOTALL)
_FOREIGN_WIDE = re.compile(r"[^†]{0,200}+†.*+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker as written in `text`; `numbers` are distinct and in order, empty unless it cites."""

    kind: MarkerKind
    numbers: tuple[int, ...]
    text: str


def read_marker(text: str, body: str, *, wide: bool, references: bool) -> Marker | None:
    """The marker written `text`, whose brackets (`wide` ones: 【】) hold `body`; None for ordinary text.

    With `references` the word may be `ref_id`, whose numbers count from 0 (spec 6).
    """
    if "†" in body and (_FOREIGN_WIDE if wide else _FOREIGN).fullmatch(body):
        return Marker("foreign", (), text)
    if (_CITES_OR_REFERENCES if references else _CITES).fullmatch(body):
        return _cited(text, body)
    word = _WORD.match(body)
    if word is None or (word["word"].lower() == "ref_id" and not references):
        return None
    return Marker("malformed", (), text) if _is_malformed(word["rest"]) else None


def _cited(text: str, body: str) -> Marker:
    numbers: dict[int, None] = {}
    shift = 0
    for word, first, last in _PART.findall(body):
        if word:
            if word.lower() != "and":
                shift = word.lower() == "ref_id"
            continue
        low = int(first)
        high = int(last) if last else low
        if high < low or high - low >= MAX_RANGE:
            return Marker("malformed", (), text)
        numbers.update(dict.fromkeys(range(low + shift, high + shift + 1)))
    return Marker("cites", tuple(numbers), text)


def _is_malformed(rest: str) -> bool:
    """Only digits (of any script), signs, dots and separators, at least one digit among them."""
    if not _MALFORMED.fullmatch(rest):
        return False
    letters = rest.lower().replace("evidence", "").replace("and", "")
    return any(c.isnumeric() for c in letters) and not any(c.isalpha() and not c.isnumeric() for c in letters)
