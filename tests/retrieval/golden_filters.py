"""Values of the measured filters in Python, and the cases in which ours differs."""

from __future__ import annotations

import datetime as dt
import io
import ipaddress
import re
import uuid
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from shared.retrieval import InvalidFilter, ODataFilter
from tests.retrieval.golden import Json
from tests.retrieval.golden_deviations import Deviation, by_rule
from tests.truths.rules import Rule


class _Phase(Enum):
    SECONDARY = "Secondary"


def _double(text: str) -> float:
    known: dict[str, float] = {"1/3": 1 / 3, "0.1+0.2": 0.1 + 0.2}
    return known[text] if text in known else float(text)


def _moment(text: str) -> Any:
    """Python's date-times hold microseconds; a finer one is written as the literal that it is."""
    from shared.retrieval.filters.odata import DateTimeOffset

    return DateTimeOffset(text) if re.search(r"\.\d{7}", text) else dt.datetime.fromisoformat(text)


_VALUES: dict[str, Callable[[Any], Any]] = {
    "string": lambda text: text,
    "object (string)": lambda text: text,
    "char": lambda text: text,
    "Guid": uuid.UUID,
    "bool": lambda text: text == "true",
    "decimal": Decimal,
    "double": _double,
    "float": _double,
    "DateTimeOffset": _moment,
    "DateTime (Unspecified)": dt.datetime.fromisoformat,
    "DateTime (Local)": dt.datetime.fromisoformat,
    "DateTime (Utc)": dt.datetime.fromisoformat,
    "enum Phase": lambda _: _Phase.SECONDARY,
    "DateOnly": dt.date.fromisoformat,
    "TimeOnly": dt.time.fromisoformat,
    "TimeSpan": lambda _: dt.timedelta(hours=1),
    "Half": float,
    "Uri": urlsplit,
    "Version": lambda _: ipaddress.ip_address("1.2.0.0"),
    "int[]": lambda text: [] if text == "[]" else [1, 2],
    "string[]": lambda _: ["a", "b"],
    "List<string>": lambda _: ["a"],
    "Dictionary<string,int>": lambda _: {},
    "object": lambda _: object(),
    "(int,int)": lambda _: (1, 2),
    "JsonElement": lambda _: {"value": 5},
    "StringBuilder": io.StringIO,
    "ReadOnlyMemory<char>": lambda text: memoryview(text.encode()),
    "ODataFilter": ODataFilter.raw,
    "DBNull": lambda _: NotImplemented,
}


def python_value(written: Json) -> Any:
    """A measured value as a Python programmer would pass it."""
    value = written["value"]
    if value is None:
        return None
    if isinstance(value, dict) and "utf16" in value:
        return bytes.fromhex("".join(unit[2:] + unit[:2] for unit in value["utf16"].split())).decode(
            "utf-16-le", "surrogatepass"
        )
    kind = written["type"].removesuffix("?")
    return _VALUES.get(kind, int)(value)


def our_filter(case: Json) -> str:
    """The text of our filter for a measured case, or `error`."""
    try:
        if "raw" in case:
            return ODataFilter.raw(case["raw"]).text
        values = {f"v{place}": python_value(value) for place, value in enumerate(case["values"])}
        return ODataFilter.template(re.sub(r"(?<!\{)\{(\d+)\}", r"{v\1}", case["template"]), values).text
    except InvalidFilter:
        return "error"


_ONE_WHOLE_NUMBER = "Python has one type of whole number and one of broken ones."

FILTERS = {
    "string_lone_surrogate": Deviation("safer", "Half a character cannot be sent as UTF-8; the call would fail.", "error"),
    "half": Deviation("platform", _ONE_WHOLE_NUMBER, "f eq 1.5"),
    "int128": Deviation("platform", _ONE_WHOLE_NUMBER, "f eq 5"),
    "biginteger": Deviation("platform", _ONE_WHOLE_NUMBER, "f eq 5"),
    "nint": Deviation("platform", _ONE_WHOLE_NUMBER, "f eq 5"),
    "value_first_and_last": Deviation(
        "safer", "The service compares only with a field; we say so before the call.", "error"
    ),
    "only_a_value": Deviation("safer", "A value alone filters nothing and the service refuses it.", "error"),
    "adjacent_values": Deviation("safer", "Two values side by side become one other value.", "error"),
    "literal_quotes_around_value": by_rule(Rule.PLACEHOLDERS, "error"),
    "empty_interpolated": by_rule(Rule.BLANK_FILTER, "error"),
    "blank_interpolated": by_rule(Rule.BLANK_FILTER, "error"),
    "default_value": by_rule(Rule.BLANK_FILTER, "error"),
    "raw_unbalanced_quote": by_rule(Rule.PARSED, "error"),
    **{
        name: by_rule(Rule.ZONE, "error")
        for place in ("UTC", "Europe/London")
        for name in (
            f"datetime_unspecified_summer_{place}",
            f"datetime_unspecified_winter_{place}",
            f"datetime_local_summer_{place}",
            f"datetime_min_unspecified_{place}",
        )
    },
}
MOST_FILTERS = 21
