"""The figures of a text: where they stand and what they may mean."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..signs import TICKET
from .dates import DATE_PATTERNS, date_key, dates_in, parts_of, time_keys, years_of
from .numerals import DIGITS, NUMBER_WORDS, ORDINAL_WORDS, ORDINALS, digits_keys, word_value

_SKIPPED = (
    rf"(?P<skipped>{TICKET}[\d,]+{TICKET}|\b24/7\b|\bevidence\s*\d+|\[\d+\]|\b\d++(?:\.\d++){{2,}}"
    r"|(?<![A-Za-z])[A-Za-z]++[-‐‑]?\d[\w-]*+|(?<!\d)\d++[A-Z]++\d\w*+|https?://\S++)"
)
_WHOLE_DATES, _OTHER_DATES = DATE_PATTERNS[:2], DATE_PATTERNS[2:]
_NUMBERS = (rf"(?<![\w.]){DIGITS}", NUMBER_WORDS, ORDINAL_WORDS)
_FIGURE = re.compile("|".join((*_WHOLE_DATES, _SKIPPED, *_OTHER_DATES, *_NUMBERS)), re.IGNORECASE)
_DATE_KINDS = ("iso", "slashed", "day_month", "month_day", "month_year")
_NOT_COUNTED = re.compile(
    r"\s+(?:of|another|or|such|thing|way|more|day|time|to|can|could|might|may|must|should|would|will|who|that|which|is|was|has|and|by|in)\b",
    re.IGNORECASE,
)
_POINTED_AT = re.compile(r"\b(?:no|any|every|each|this|that|the|which|another|some|only|right|wrong)\s+$", re.IGNORECASE)


class Figure(NamedTuple):
    """A figure as written, from `start` to `end`; it is supported by any text that has one of `keys`."""

    start: int
    end: int
    keys: tuple[str, ...]


def figures_in(text: str) -> list[Figure]:
    """The figures that `text` states."""
    return [figure for match in _FIGURE.finditer(text) for figure in _figures(match, states=True)]


def keys_of(text: str) -> set[str]:
    """What `text` supports: its figures in every form, the parts of its dates, ordinals and every `one`."""
    return {key for match in _FIGURE.finditer(text) for figure in _figures(match, states=False) for key in figure.keys}


def _figures(match: re.Match[str], *, states: bool) -> list[Figure]:
    kind = match.lastgroup or ""
    if match["skipped"]:
        return []
    if match["years"]:
        return [Figure(*match.span(), (year,)) for year in years_of(match["years"]) or _numbers(match["years"])]
    keys = _keys(match, kind, states)
    return [Figure(*match.span(), keys)] if keys else []


def _numbers(text: str) -> list[str]:
    return [number.lstrip("0") or "0" for number in re.findall(r"\d+", text)]


def _keys(match: re.Match[str], kind: str, states: bool) -> tuple[str, ...]:
    for date_kind in _DATE_KINDS:
        if match[date_kind]:
            return _date_keys(date_kind, match[date_kind], states)
    if match["time"]:
        return time_keys(match["time"]) + (() if states else tuple(_numbers(match["time"])))
    if match["digits"]:
        return digits_keys(match)
    if match["word"]:
        return _word_keys(match, states)
    ordinal = ORDINALS[match["ordinal"].lower()]
    return () if states and ordinal < 3 else (str(ordinal),)


def _date_keys(kind: str, text: str, states: bool) -> tuple[str, ...]:
    dates = dates_in(kind, text)
    if states:
        return tuple(date_key(date) for date in dates)
    years = (str(date[0]) for date in dates if date[0] is not None)
    return (*(date_key(part) for date in dates for part in parts_of(date)), *years)


def _word_keys(match: re.Match[str], states: bool) -> tuple[str, ...]:
    """A number word. `one` states a figure only where it counts something: "one hall", not "one of them"."""
    if states and match["word"].lower() == "one" and not match["word_scale"]:
        counts = re.match(r"\s+[a-z]{3,}", match.string[match.end() : match.end() + 40])
        before = match.string[max(0, match.start() - 12) : match.start()]
        if not counts or _NOT_COUNTED.match(match.string, match.end()) or _POINTED_AT.search(before):
            return ()
    return (word_value(match["word"], match["word_scale"]),)
