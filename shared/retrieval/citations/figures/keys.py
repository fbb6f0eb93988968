"""Keys: what two figures have in common that mean the same."""

from __future__ import annotations

from decimal import Decimal

Date = tuple[int | None, int | None, int | None]
"""Year, month, day."""


def plain(value: Decimal) -> str:
    """One spelling for equal numbers."""
    return format(value.normalize(), "f")


def share_key(count: int, part: int) -> str:
    """One spelling for equal fractions."""
    return f"share {Decimal(count) / part:.4f}"


def date_key(date: Date) -> str:
    """One spelling for a date or a part of one."""
    return "/".join("" if part is None else str(part) for part in date)


def day_key(day: int) -> str:
    """What `the 5th` means beside the number: a day of a date."""
    return f"day {day}"


def decade_key(year: int) -> str:
    """What `the 1990s` means beside the number."""
    return f"decade {year // 10}"


def year_keys(year: int) -> tuple[str, str]:
    """A year, and its decade."""
    return str(year), decade_key(year)


def date_keys(date: Date) -> list[str]:
    """A date and what it also tells: its month with the year, its day with the month, its day, its year."""
    year, month, day = date
    keys = [date_key(date)]
    if day is not None:
        keys.append(day_key(day))
    if year is not None:
        keys += (*year_keys(year), date_key((year, month, None)), date_key((None, month, day)))
    return keys
