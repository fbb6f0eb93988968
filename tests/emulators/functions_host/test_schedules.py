"""NCRONTAB expressions and time spans: the moments that they name, and texts that are no schedule."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from emulators.functions_host.schedules import parse_schedule

# A Tuesday.
AFTER = datetime(2026, 12, 1, 10, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 */5 * * * *", "2026-12-01T10:05:00+00:00"),
        ("*/2 * * * * *", "2026-12-01T10:00:32+00:00"),
        ("30 0 10 * * *", "2026-12-02T10:00:30+00:00"),
        ("30 9 * * *", "2026-12-02T09:30:00+00:00"),
        ("  0 0 3 * * *  ", "2026-12-02T03:00:00+00:00"),
        ("0 30 9-17/2 * * 1-5", "2026-12-01T11:30:00+00:00"),
        ("0 0 9 * * Mon,fri", "2026-12-04T09:00:00+00:00"),
        ("0 0 9 1 * Mon", "2027-02-01T09:00:00+00:00"),
        ("0 0 0 29 Feb *", "2028-02-29T00:00:00+00:00"),
        ("00:10:00", "2026-12-01T10:10:30+00:00"),
        ("1.00:00:00", "2026-12-02T10:00:30+00:00"),
    ],
)
def test_next_run(text: str, expected: str) -> None:
    assert parse_schedule(text)(AFTER).isoformat() == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "@daily",
        "* * * *",
        "* * * * * * *",
        "61 * * * * *",
        "0 0 3 L * *",
        "0 0 0 31 2 *",
        "0 0 3 * * 7",
        "0 R * * * *",
    ],
)
def test_no_schedule(text: str) -> None:
    with pytest.raises(ValueError, match="is not a schedule with a next run: give an NCRONTAB expression or a time span"):
        parse_schedule(text)


@pytest.mark.parametrize("text", ["00:00:00", "-00:01:00"])
def test_a_span_must_be_longer_than_nothing(text: str) -> None:
    with pytest.raises(ValueError, match=r"the time span must be longer than 0\.$"):
        parse_schedule(text)


def test_a_span_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match=r"component is out of range\.$"):
        parse_schedule("12:99:00")
