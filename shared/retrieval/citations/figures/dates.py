"""Dates and times in several spellings, as keys that are equal when the dates are."""

from __future__ import annotations

import re

from ..sentinels import TICKET
from .number_words import ORDINAL_WORD, Date, ordinal_value

_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = tuple(_MONTH_NAMES.split(" "))
_SPELLINGS = "|".join(f"{name}|{name.upper()}|{name[:3]}\\b\\.?|{name[:3].upper()}\\b\\.?" for name in _MONTHS)
_NAMES = rf"(?-i:{_SPELLINGS}|Sept\b\.?)"
_ANY_CASE = rf"(?:{'|'.join(_MONTHS)}|(?:{'|'.join(name[:3] for name in _MONTHS)}|sept)\b\.?)"
"""Only between a day and a year: else `may` and `march` are verbs."""
_YEAR = r"\d{4}(?!\d)"
_LIKELY_YEAR = r"(?:1[5-9]|2[01])\d{2}(?!\d)"
_SHORT_YEAR = rf"(?:-\d{{2}}(?![\d-])|\s+'\d{{2}}(?!\d)|\s+\d{{2}}(?=\s*+(?:[.,;)]|\Z|{TICKET})(?![.,]\d)))"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL_WORD})"
_TO = r"(?:\s?[-\u2010-\u2014/&]\s?|,\s?|\s(?:to|and|or)\s(?:the\s)?)"
_DAYS = rf"\b{_DAY}(?:{_TO}{_DAY}){{0,3}}"
_GAP = r"[\s-]"
_DAY_MONTH = rf"{_DAYS}{_GAP}(?:of\s)?(?:{_NAMES}(?:,?{_GAP}{_YEAR}|{_SHORT_YEAR})?|{_ANY_CASE},?{_GAP}{_YEAR})(?!\d)"
DATE_PATTERNS = (
    r"(?P<iso>\d{4}-\d{2}-\d{2})(?!\d)(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?",
    rf"(?P<year_first>(?<!\d){_LIKELY_YEAR}(?P<joined>[-/.])\d{{1,2}}(?P=joined)\d{{1,2}}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日)"
    r"(?![\d/])(?!\.\d)",
    r"(?P<slashed>(?<![\d-])\d{1,2}(?P<between>[/.-])\d{1,2}(?P=between)(?:\d{4}|\d{2}))(?![\d/])(?![.-]\d)",
    rf"(?P<day_month>{_DAY_MONTH})",
    rf"(?P<month_day>{_NAMES}\s(?:the\s)?{_DAYS}(?!\d)(?:,?\s{_YEAR})?)",
    rf"(?P<month_year>{_NAMES},?{_GAP}{_YEAR}|(?<![\d/])(?:0?[1-9]|1[0-2])/{_LIKELY_YEAR}|\d{{4}}年\d{{1,2}}月)",
    rf"(?P<years>(?<!\d){_YEAR}\s?(?:[/–-]|to\b)\s?(?:\d{{4}}|\d{{2}})(?![\d-]))",
    r"(?P<time>\d{1,2}[:.]\d{2}\s?[ap]\.?m\b\.?|\d{1,2}:\d{2}(?!\d)|\d{1,2}\s?[ap]\.?m\b\.?)",
)
_WORD = re.compile(r"[A-Za-z]+")
_DAY_OF = re.compile(rf"\d{{1,2}}|{ORDINAL_WORD}", re.IGNORECASE)
_MONTH_KEYS = {name[:3].lower(): at for at, name in enumerate(_MONTHS, 1)}


def dates_in(kind: str, text: str) -> list[list[Date]]:
    """The dates (year, month, day) that a match of this kind states, each with every way to read it."""
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if kind in ("iso", "year_first"):
        return _existing([(numbers[0], numbers[1], numbers[2])])
    if kind == "slashed":
        first, second, year = numbers
        year += 2000 if year < 100 else 0
        return _existing([(year, second, first), (year, first, second)])
    month = next((word for word in _WORD.finditer(text) if word.group()[:3].lower() in _MONTH_KEYS), None)
    if month is None:
        return _existing([(max(numbers), min(numbers), None)])
    number = _MONTH_KEYS[month.group()[:3].lower()]
    if kind == "month_year":
        return [[(numbers[0], number, None)]]
    before, after = text[: month.start()], text[month.end() :]
    dated = re.search(r"\d{4}", after) or (re.search(r"\d{2}", after) if kind == "day_month" else None)
    days = before if kind == "day_month" else after[: dated.start()] if dated else after
    return [[(_full(dated), number, _day(day.group()))] for day in _DAY_OF.finditer(days)]


def _existing(readings: list[Date]) -> list[list[Date]]:
    """The readings whose month there is."""
    kept = [reading for reading in readings if 1 <= (reading[1] or 0) <= 12]
    return [kept] if kept else []


def _full(year: re.Match[str] | None) -> int | None:
    return None if year is None else int(year.group()) + (2000 if len(year.group()) == 2 else 0)


def _day(text: str) -> int:
    return int(text) if text.isdecimal() else ordinal_value(text)


def moment_of(text: str) -> tuple[str, ...]:
    """The time that an ISO date goes on with."""
    time = re.search(r"[T ](\d{2}:\d{2})", text)
    return time_keys(time[1]) if time else ()


def month_of(text: str) -> Date | None:
    """The month that `2024-01` may be."""
    year, month = re.findall(r"\d+", text)
    return (int(year), int(month), None) if len(month) == 2 and 1 <= int(month) <= 12 else None


def years_of(text: str) -> tuple[str, str] | None:
    """Both years of `2019/20`; None when the second number is no later year."""
    first, second = re.findall(r"\d+", text)
    begin, end = int(first), int(second) if len(second) == 4 else int(first[:2] + second)
    if end <= begin and len(second) == 2:
        end += 100
    return (first, str(end)) if begin < end <= begin + 50 and 1000 <= begin < 2200 else None


def time_keys(text: str) -> tuple[str, ...]:
    """The minutes of the day that a time may mean; without am or pm it may be either."""
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    minutes = numbers[0] * 60 + (numbers[1] if len(numbers) > 1 else 0)
    half = re.search(r"[ap]", text.lower())
    if half is None:
        return (f"t{minutes}", f"t{minutes + 720}") if numbers[0] < 12 and text[0] != "0" else (f"t{minutes}",)
    return (f"t{minutes % 720 + (720 if half.group() == 'p' else 0)}",)
