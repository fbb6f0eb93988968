"""Time spans as .NET reads them, which is how the Functions host reads those of host.json."""

from __future__ import annotations

import re
from datetime import timedelta

# `TimeSpan.Parse`: days alone, or hh:mm with optional days, seconds and fraction. A bare number is days.
DAYS = re.compile(r"(?P<sign>-?)(?P<days>\d{1,8})", re.ASCII)
CLOCK = re.compile(
    r"(?P<sign>-?)(?:(?P<days>\d{1,8})[.:](?=\d+:\d+:))?(?P<hours>\d{1,2}):(?P<minutes>\d{1,2})"
    r"(?::(?P<seconds>\d{1,2})(?:\.(?P<fraction>\d{1,7}))?)?",
    re.ASCII,
)
DAYS_AND_MINUTES = re.compile(r"(?P<sign>-?)(?P<days>\d{1,8})\.(?P<hours>\d{1,2}):(?P<minutes>\d{1,2})", re.ASCII)
MOST_DAYS = 10_675_199


def parse_timespan(text: str) -> timedelta:
    """The span that `text` means to .NET: `00:00:30` is thirty seconds, `30` is thirty days; else `ValueError`."""
    stripped = text.strip()
    match = DAYS.fullmatch(stripped) or DAYS_AND_MINUTES.fullmatch(stripped) or CLOCK.fullmatch(stripped)
    if match is None:
        raise ValueError(f"String '{text}' was not recognized as a valid TimeSpan.")
    parts = {name: int(value) for name, value in match.groupdict().items() if value and name not in ("sign", "fraction")}
    if parts.get("hours", 0) > 23 or parts.get("minutes", 0) > 59 or parts.get("seconds", 0) > 59:
        raise ValueError(f"The TimeSpan string '{text}' could not be parsed because a component is out of range.")
    if parts.get("days", 0) > MOST_DAYS:
        raise ValueError(f"The TimeSpan string '{text}' could not be parsed because a component is out of range.")
    fraction = (match.groupdict().get("fraction") or "").ljust(7, "0")[:6]
    span = timedelta(microseconds=int(fraction), **parts)
    return -span if match["sign"] else span
