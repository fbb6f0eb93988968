"""Markers: what stands between brackets, read as a citation, as a malformed one, as another tool's or as ordinary text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import InvalidRequest, Problem
from ..evidence.escaping import unescape_markup
from ..evidence.sources import Source
from ..limits import MAX_SOURCES
from .links import normal_link

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

    With `references` the word may be `ref_id`, whose numbers count from 0.
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


# Sources from the reply of a retrieve call: reference k is source k+1.


def sources_from_retrieval(reply: Mapping[str, Any], *, path: str = "$") -> tuple[Source, ...]:
    """The sources of a retrieve `reply` as it came; its answers cite them as `[ref_id:k]` (`references=True` of `resolve`).

    A source's name is the title that the reply's text gives the reference, else the reference's `docKey`, else its id; its
    link the first whole address in `sourceData`. Raises InvalidRequest with JSON paths (`$.references[0].id`) for what is no
    such reply; `path` is that of the reply itself.
    """
    references = reply.get("references")
    if not isinstance(references, list):
        raise _invalid(f"{path}.references", "A retrieve reply has a list of references.")
    if len(references) > MAX_SOURCES:
        raise _invalid(f"{path}.references", f"At most {MAX_SOURCES} references.")
    titles = _titles(reply.get("response"))
    return tuple(_source(f"{path}.references[{at}]", reference, titles) for at, reference in enumerate(references))


def _source(path: str, reference: object, titles: Mapping[int, str]) -> Source:
    if not isinstance(reference, Mapping):
        raise _invalid(path, "A reference is an object.")
    number = _whole(reference.get("id"))
    if number is None:
        raise _invalid(f"{path}.id", "A reference's id is a whole number from 0, as text.")
    key = reference.get("docKey")
    key = key if isinstance(key, str) and key.strip() else None
    name = titles.get(number) or key or f"Reference {number}"
    return Source(number=number + 1, name=name, link=_link(reference.get("sourceData")), key=key)


def _whole(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value < 1_000_000 else None
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 6 else None


def _link(data: object) -> str | None:
    values = data.values() if isinstance(data, Mapping) else ()
    links = (normal_link(value) for value in values if isinstance(value, str))
    return next((link for link in links if link is not None), None)


def _titles(response: object) -> dict[int, str]:
    """The titles in the reply's text: a JSON list of {ref_id, title, …}; whatever else the text is has none."""
    titles: dict[int, str] = {}
    for message in response if isinstance(response, list) else ():
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list) else ():
            titles |= _titles_in(part.get("text") if isinstance(part, Mapping) else None)
    return titles


def _titles_in(text: object) -> dict[int, str]:
    try:
        rows = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return {}
    found: dict[int, str] = {}
    for row in rows if isinstance(rows, list) else ():
        number = _whole(row.get("ref_id")) if isinstance(row, Mapping) else None
        title = row.get("title") if isinstance(row, Mapping) else None
        if number is not None and isinstance(title, str) and title.strip():
            found[number] = unescape_markup(title)
    return found


def _invalid(path: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, code="invalid_retrieval", problems=(Problem(path, "invalid_retrieval", message),))
