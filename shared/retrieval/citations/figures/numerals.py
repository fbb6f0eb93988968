"""Numbers in digits: separators, signs, multipliers, percent and currency signs, units, telephone numbers."""

from __future__ import annotations

import re
from decimal import Decimal

from .keys import day_key, plain
from .number_words import LARGE, PER_CENT, SCALES, any_of

MAX_DIGITS = 40
"""Longer runs of digits are compared as they stand."""

_SHORT = {"k": 1_000, "m": 1_000_000, "mn": 1_000_000, "b": 1_000_000_000, "bn": 1_000_000_000}
_SCALES = SCALES | _SHORT
_SEPARATED = (
    r"\d{1,3}(?:[,'’\u00a0\u202f\u2009]\d{3})++(?!\d)(?:\.\d++)?|\d{1,3}(?: \d{3})++(?:,\d{1,2})?(?!\d)"
    r"|\d{1,2}(?:,\d{2}(?!\d))++,\d{3}(?!\d)|\d{1,3}(?:\.\d{3})++,\d{1,2}(?!\d)"
    r"|(?<!\d,)\d++,\d{1,2}(?![\d,])"
)
_SCALE = rf"\s?(?P<scale>(?:{any_of(SCALES)}|mn|bn)\b)|(?P<letter_scale>[kmb])\b"
DIGITS = (
    r"(?P<sign>(?<![^\s(])[-+\u2212](?=[£$€¥]?\d))?"
    rf"(?P<currency>[£$€¥]\s?)?(?P<digits>{_SEPARATED}|\d++(?:\.\d++)?|\.\d++)"
    rf"(?:(?P<percent>\s?(?:%|{PER_CENT}\b))|{_SCALE}|(?P<suffix>[A-Za-z]++[23]?+))?"
)
_RANGE_SCALE = re.compile(
    r"\s?[-\u2010-\u2014]\s?[£$€¥]?\s?\d++(?:[.,]\d++)*+"
    rf"(?:\s?(?P<percent>%)|\s?(?P<scale>(?:{any_of(LARGE | _SHORT)})\b))",
    re.IGNORECASE,
)
PHONES = (
    r"(?P<phone>(?<![\d.(+])(?:\+\d{1,3} ?(?:\(0\) ?)?\d{2,4}|\(0\d{2,5}\)|0\d{2,5})[ -]\d{3,6}(?:[ -]\d{3,4})?)"
    r"(?![\d.,-]\d|\d)"
)
_ORDINAL_SUFFIXES = frozenset(("st", "nd", "rd", "th"))
_UNIT_NAMES = (
    "s am pm p c f x y yr yrs h hr hrs min mins sec secs ms us ns kg g mg lb lbs oz km cm mm nm m2 m3 km2 cm2 "
    "cm3 ml l ft ft2 in yd mi ha sqm sqft mph kmh kph kn fps rpm cl hz khz mhz ghz v kv w kw mw gw wh kwh mwh mah ma kj "
    "kcal cal pa hpa kpa mpa bar psi db dpi px pt pts kb mb gb tb pb kbps mbps gbps eur usd gbp"
)
_UNITS = frozenset(_UNIT_NAMES.split(" ")) | _ORDINAL_SUFFIXES


def digits_keys(match: re.Match[str], *, states: bool) -> tuple[str, ...]:
    """The values that a number in digits may mean; none when it is part of a code such as `4RT`.

    What is stated as negative may stand in a text as `fell by 5`, but not as `+5`; what is stated as positive not as `-5`.
    """
    keys = _values(match)
    sign = (match["sign"] or "").replace("\u2212", "-")
    if states:
        signs = {"": ("",), "+": ("+",), "-": ("-", "unsigned ")}[sign]
    else:
        signs = {"": ("", "+", "unsigned "), "+": ("", "+"), "-": ("", "-")}[sign]
    return tuple(f"{sign}{key}" for sign in signs for key in keys)


def _values(match: re.Match[str]) -> tuple[str, ...]:
    suffix = (match["suffix"] or "").lower()
    if suffix and suffix not in _UNITS:
        return ()
    bare = _bare(match["digits"])
    if len(bare) > MAX_DIGITS:
        return (bare.lstrip("0"),)
    value = Decimal(bare)
    if match["percent"]:
        return plain(value), plain(value / 100)
    if match["scale"]:
        return (plain(value * _SCALES[match["scale"].lower()]),)
    if match["letter_scale"]:
        scaled = plain(value * _SCALES[match["letter_scale"].lower()])
        return (scaled,) if match["currency"] else (scaled, plain(value))
    days = (day_key(int(value)),) if suffix in _ORDINAL_SUFFIXES and value < 32 else ()
    # `48.250` is a whole number to half of Europe.
    points = (plain(value * 1000),) if re.fullmatch(r"\d{1,3}\.\d{3}", match["digits"]) else ()
    return (plain(value), *points, *_of_range(match, value), *days)


def _bare(digits: str) -> str:
    """The number without its separators. The comma of `1.200,50` and `3,5` is a point."""
    if re.fullmatch(r"\d+(?:[. ]\d{3})*,\d{1,2}", digits):
        digits = digits.replace(".", "").replace(",", ".")
    return re.sub(r"[^\d.]", "", digits)


def _of_range(match: re.Match[str], value: Decimal) -> tuple[str, ...]:
    """What the first number of `10–12m` means by the scale of the second."""
    following = _RANGE_SCALE.match(match.string, match.end()) if not match["suffix"] else None
    if following is None:
        return ()
    scale = Decimal("0.01") if following["percent"] else Decimal(_SCALES[following["scale"].lower()])
    return (plain(value * scale),)


def phone_keys(text: str) -> tuple[str, str]:
    """A telephone number without blanks, with the code of its country and without."""
    digits = re.sub(r"\D", "", text.replace("(0)", "")).lstrip("0")
    return (digits, digits.removeprefix("44")) if text.startswith("+") else (digits, f"44{digits}")
