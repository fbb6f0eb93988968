"""Time spans as .NET reads them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulators.functions_host.timespan import parse_timespan


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("00:00:30", timedelta(seconds=30)),
        ("30", timedelta(days=30)),
        ("500", timedelta(days=500)),
        ("0", timedelta(0)),
        ("-1", timedelta(days=-1)),
        ("6:12", timedelta(hours=6, minutes=12)),
        ("00:00", timedelta(0)),
        ("1.06:12", timedelta(days=1, hours=6, minutes=12)),
        ("1.06:12:14", timedelta(days=1, hours=6, minutes=12, seconds=14)),
        ("6:12:14:45", timedelta(days=6, hours=12, minutes=14, seconds=45)),
        ("00:00:00.100", timedelta(milliseconds=100)),
        ("00:00:00.1234567", timedelta(microseconds=123456)),
        ("-00:00:01", timedelta(seconds=-1)),
        (" 00:00:02 ", timedelta(seconds=2)),
    ],
)
def test_reads(text: str, span: timedelta) -> None:
    assert parse_timespan(text) == span


@pytest.mark.parametrize("text", ["abc", "", "1s", "PT5S", "1:2:3:4:5", "00:00:01.12345678", "1.5", "--1", "٣"])
def test_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="was not recognized as a valid TimeSpan"):
        parse_timespan(text)


@pytest.mark.parametrize("text", ["24:00:00", "00:60:00", "00:00:60", "10675200"])
def test_out_of_range(text: str) -> None:
    with pytest.raises(ValueError, match="a component is out of range"):
        parse_timespan(text)


@given(st.integers(0, 9999), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_reads_what_dotnet_writes(days: int, hours: int, minutes: int, seconds: int) -> None:
    text = f"{days}.{hours:02}:{minutes:02}:{seconds:02}" if days else f"{hours:02}:{minutes:02}:{seconds:02}"
    assert parse_timespan(text) == timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
