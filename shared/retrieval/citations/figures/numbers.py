"""The figures of a text: where they stand and what they may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..sentinels import TICKET
from .dates import DATE_PATTERNS, dates_in, moment_of, month_of, time_keys, years_of
from .keys import Date, date_key, date_keys, day_key, decade_key, share_key, year_keys
from .number_words import (
    FRACTION_WORDS,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    fraction_keys,
    fraction_parts,
    ordinal_value,
    word_keys,
)
from .numerals import DIGITS, PHONES, digits_keys, phone_keys

_PREFIXES = "mid|pre|post|since|under|over|early|late|sub|non|up|circa|around|about|approx"
_CODE = (
    rf"(?<![A-Za-z])(?!(?:{_PREFIXES})[-\u2010\u2011]\d|FY\d{{4}}(?!\d))[A-Za-z]++[-\u2010\u2011]?\d[\w-]*+"
    r"|(?<!\d)(?!\d++(?:[kc]?m|ft)[23](?!\w))\d++[A-Za-z]++\d\w*+"
)
_SKIPPED = (
    rf"(?P<skipped>{TICKET}[\d,]+{TICKET}|\b24/7\b|\bevidence\s*\d+|\[\d+\]|\b\d++(?:\.\d++){{2,}}(?!,\d)"
    rf"|{_CODE}|https?://\S++)"
)
_WHOLE_DATES, _OTHER_DATES = DATE_PATTERNS[:3], DATE_PATTERNS[3:]
_LETTER = r"A-Za-z\u00c0-\u024f"
"""Digits beside them are part of a code. Other scripts leave no blank between a number and its noun."""
_NOT_IN_CODE = rf"(?<![{_LETTER}\d.])(?<![{_LETTER}\d]_)"
_RATIOS = rf"(?P<ratio>{_NOT_IN_CODE}\d{{1,4}}(?:\s?:\s?\d{{1,4}}(?![:\d])|(?:\(\d{{1,3}}\))+))"
_NUMBERS = (PHONES, _RATIOS, rf"(?:{_NOT_IN_CODE}|(?<=\bFY)){DIGITS}", FRACTION_WORDS, ORDINAL_WORDS, NUMBER_WORDS)
_FIGURE = re.compile("|".join((*_WHOLE_DATES, _SKIPPED, *_OTHER_DATES, *_NUMBERS)), re.IGNORECASE)
_DATE_KINDS = ("iso", "year_first", "slashed", "day_month", "month_day", "month_year")
_NOT_COUNTED = re.compile(
    r"\s+(?:of|another|or|such|thing|way|more|day|time|to|can|could|might|may|must|should|would|will|who|that|which|is|was|has|and|by|in)\b",
    re.IGNORECASE,
)
_POINTED_AT = re.compile(
    r"(?:\b(?:no|any|every|each|this|that|the|which|another|some|only|right|wrong|one to)\s+|[-\u2010\u2011])$",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\b(?:is|was|came|comes|come|ranks|ranked|placed|finished)\s+$", re.IGNORECASE)
_NO_ORDER = re.compile(r"[\s\u2010\u2011-]+(?:part(?:y|ies)|sectors?|persons?|world|reading|to\s+none)\b", re.IGNORECASE)
"""After `third` and its like: words that it counts nothing with."""
_SHARE = re.compile(r"(?<![\d/.])(?P<count>\d{1,2})/(?P<part>[1-9]\d?)(?![\d/])")
_RATIO = re.compile(r"(?<![\d.])(?P<left>\d{1,4})\s?(?::|to|for every|/|-|\u2013)\s?(?P<right>\d{1,4})(?![\d.])")


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
    figures = (figure for match in _FIGURE.finditer(text) for figure in _figures(match, states=False))
    shares = (share_key(int(share["count"]), int(share["part"])) for share in _SHARE.finditer(text))
    ratios = (f"{ratio['left']}:{ratio['right']}" for ratio in _RATIO.finditer(text))
    return {key for figure in figures for key in figure.keys}.union(shares, ratios)


def _figures(match: re.Match[str], *, states: bool) -> Iterator[Figure]:
    if not match["skipped"]:
        for keys in _stated(match, states):
            if keys:
                yield Figure(*match.span(), keys)


def _stated(match: re.Match[str], states: bool) -> list[tuple[str, ...]]:
    """The keys of each figure that a match states."""
    for kind in _DATE_KINDS:
        if match[kind]:
            moment = moment_of(match.group()) if kind == "iso" and not states else ()
            return [_date_keys(readings, states) + moment for readings in dates_in(kind, match[kind])]
    if match["years"]:
        return _period_keys(match["years"], states)
    if match["ratio"]:
        return [_ratio_keys(match["ratio"], states)]
    if match["time"]:
        return [time_keys(match["time"]) + (() if states else tuple(_numbers(match["time"])))]
    if match["phone"]:
        return [phone_keys(match["phone"])]
    if match["digits"]:
        return [digits_keys(match, states=states) + _year_keys_in(match, states)]
    if match["fraction"]:
        return [fraction_keys(match["fraction"]) + (() if states else fraction_parts(match["fraction"]))]
    return [_word_keys(match, states) if match["word"] else _ordinal_keys(match, states)]


def _period_keys(text: str, states: bool) -> list[tuple[str, ...]]:
    """Two years, as in `2019/20`, or a month, as in `2024-01`; a text may mean either."""
    years, month = years_of(text), month_of(text)
    if states and years is None and month is not None:
        return [(date_key(month),)]
    keys: list[tuple[str, ...]] = [(year,) if states else year_keys(int(year)) for year in years or _numbers(text)]
    return keys if states or month is None else [*keys, tuple(date_keys(month))]


def _ratio_keys(text: str, states: bool) -> tuple[str, ...]:
    """A ratio or a clause as a whole; a text that has it has its numbers too."""
    whole = re.sub(r"\s", "", text)
    return (whole,) if states else (whole, *_numbers(text))


def _numbers(text: str) -> list[str]:
    return [number.lstrip("0") or "0" for number in re.findall(r"\d+", text)]


def _date_keys(readings: list[Date], states: bool) -> tuple[str, ...]:
    if states:
        return tuple(map(date_key, readings))
    return tuple(key for date in readings for key in date_keys(date))


def _year_keys_in(match: re.Match[str], states: bool) -> tuple[str, ...]:
    """The decade that `1990s` is and that a text with a year in it tells, and both years of the period `202223`."""
    digits = match["digits"]
    if not digits.isdecimal():
        return ()
    if len(digits) == 4 and (not states or (match["suffix"] or "").lower() == "s"):
        return (decade_key(int(digits)),)
    if len(digits) == 6 and not states and int(digits[4:]) == (int(digits[:4]) + 1) % 100:
        return (digits[:4], str(int(digits[:4]) + 1))
    return ()


def _word_keys(match: re.Match[str], states: bool) -> tuple[str, ...]:
    """A number in words. `one` states a figure only where it counts something: "one hall", not "one of them"."""
    if states and match["word"].lower() == "one":
        counts = re.match(r"\s+[a-z]{3,}", match.string[match.end() : match.end() + 40])
        if not counts or _NOT_COUNTED.match(match.string, match.end()) or _POINTED_AT.search(_before(match)):
            return ()
    return word_keys(match["word"], match["word_percent"])


def _ordinal_keys(match: re.Match[str], states: bool) -> tuple[str, ...]:
    """An ordinal in words. `first` and `second` state a place only after a verb: "was second", not "the second term"."""
    number = ordinal_value(match["ordinal"])
    if states and (_NO_ORDER.match(match.string, match.end()) or (number < 3 and not _PLACED.search(_before(match)))):
        return ()
    return (str(number), day_key(number))


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 12) : match.start()]
