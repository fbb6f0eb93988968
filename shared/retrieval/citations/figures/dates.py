"""Dates and times in several spellings, as keys that are equal when the dates are."""

from __future__ import annotations

import re

_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = tuple(_MONTH_NAMES.split(" "))
_SPELLINGS = "|".join(f"{name}|{name.upper()}|{name[:3]}\\b\\.?|{name[:3].upper()}\\b\\.?" for name in _MONTHS)
_NAMES = rf"(?-i:{_SPELLINGS}|Sept\b\.?)"
_YEAR = r"\d{4}(?!\d)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
DATE_PATTERNS = (
    r"(?P<iso>\d{4}-\d{2}-\d{2})(?!\d)(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?",
    r"(?P<slashed>\d{1,2}(?P<between>[/.])\d{1,2}(?P=between)(?:\d{4}|\d{2}))(?![\d/])(?!\.\d)",
    rf"(?P<day_month>{_DAY}\s+(?:of\s+)?{_NAMES}(?:,?\s+{_YEAR})?)",
    rf"(?P<month_day>{_NAMES}\s+{_DAY}(?!\d)(?:,?\s+{_YEAR})?)",
    rf"(?P<month_year>{_NAMES},?\s+{_YEAR})",
    rf"(?P<years>(?<!\d){_YEAR}\s?(?:[/–-]|to\b)\s?(?:\d{{4}}|\d{{2}})(?![\d-]))",
    r"(?P<time>\d{1,2}[:.]\d{2}\s?[ap]\.?m\b\.?|\d{1,2}:\d{2}(?!\d)|\d{1,2}\s?[ap]\.?m\b\.?)",
)

Date = tuple[int | None, int | None, int | None]


def _month(text: str) -> int:
    return next(at for at, name in enumerate(_MONTHS, 1) if name[:3].lower() == text[:3].lower())


def dates_in(kind: str, text: str) -> list[Date]:
    """The dates (year, month, day) that a match of this kind may mean."""
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if kind == "iso":
        return [(numbers[0], numbers[1], numbers[2])]
    if kind == "slashed":
        first, second, year = numbers
        year += 2000 if year < 100 else 0
        return [date for date in ((year, second, first), (year, first, second)) if (date[1] or 0) <= 12]
    name = re.search(r"[A-Za-z]{3,}", re.sub(r"\d+(?:st|nd|rd|th)|\bof\b", " ", text))
    month = _month(name.group()) if name else None
    if kind == "month_year":
        return [(numbers[0], month, None)]
    return [(numbers[1] if len(numbers) > 1 else None, month, numbers[0])]


def date_key(date: Date) -> str:
    """One spelling for a date or a part of one."""
    return "/".join("" if part is None else str(part) for part in date)


def parts_of(date: Date) -> list[Date]:
    """A date and what it also tells: its month with the year, its day with the month."""
    year, month, day = date
    parts = [date]
    if day is not None:
        parts += [(year, month, None), (None, month, day)] if year is not None else []
    return parts


def years_of(text: str) -> tuple[str, str] | None:
    """Both years of `2019/20`; None when the second number is no later year."""
    first, second = re.findall(r"\d+", text)
    end = int(second) if len(second) == 4 else int(first[:2] + second)
    return (first, str(end)) if int(first) < end <= int(first) + 100 and 1000 <= int(first) < 2200 else None


def time_keys(text: str) -> tuple[str, ...]:
    """The minutes of the day that a time may mean; without am or pm it may be either."""
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    minutes = numbers[0] * 60 + (numbers[1] if len(numbers) > 1 else 0)
    half = re.search(r"[ap]", text.lower())
    if half is None:
        return (f"t{minutes}", f"t{minutes + 720}") if numbers[0] < 12 else (f"t{minutes}",)
    return (f"t{minutes % 720 + (720 if half.group() == 'p' else 0)}",)
