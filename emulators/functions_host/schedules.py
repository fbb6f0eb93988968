"""When a timer trigger runs next: NCRONTAB expressions and time spans, read as the timer extension reads them.

The forms are those of https://learn.microsoft.com/azure/azure-functions/functions-bindings-timer ("NCRONTAB expressions"):
six fields with seconds first, or five without seconds. Times are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from croniter import CroniterBadCronError, CroniterBadDateError, croniter

from .timespan import parse_timespan

Schedule = Callable[[datetime], datetime]

# croniter also knows `L`, `R`, `H`, `@daily` and a field for years, which NCRONTAB does not.
DAYS, MONTHS = "sun|mon|tue|wed|thu|fri|sat", "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"


def _field(value: str) -> str:
    part = rf"(?:\*|(?:{value})(?:-(?:{value}))?)(?:/\d+)?"
    return rf"{part}(?:,{part})*"


NUMBER = _field(r"\d+")
NCRONTAB = re.compile(
    rf"(?P<seconds>{NUMBER}\s+)?{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+{_field(rf'[0-9]+|{MONTHS}')}\s+{_field(rf'[0-6]|{DAYS}')}",
    re.IGNORECASE,
)


def parse_schedule(text: str) -> Schedule:
    """The function from a moment in UTC to the next run after it; raises `ValueError` for text that is no schedule."""
    stripped = text.strip()
    if ":" in stripped:
        return _constant(parse_timespan(stripped), text)
    match = NCRONTAB.fullmatch(stripped)
    expression = stripped if match and match["seconds"] else f"0 {stripped}"
    try:
        if match is None:
            raise CroniterBadCronError(text)
        # Both the day of the month and the day of the week must match, unlike in cron.
        croniter(expression, second_at_beginning=True, day_or=False).get_next(datetime)
    except (CroniterBadCronError, CroniterBadDateError):
        raise ValueError(
            f"'{text}' is not a schedule with a next run: give an NCRONTAB expression or a time span."
        ) from None
    return lambda after: _next(expression, after)


def _next(expression: str, after: datetime) -> datetime:
    moment: datetime = croniter(expression, after, second_at_beginning=True, day_or=False).get_next(datetime)
    return moment


def _constant(span: timedelta, text: str) -> Schedule:
    if span <= timedelta(0):
        raise ValueError(f"'{text}' is not a schedule with a next run: the time span must be longer than 0.")
    return lambda after: after + span
