"""The figures of a text: where they stand and what they may mean."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ..sentinels import ENTITY, TICKET, clean_text
from .dates import DATE_PATTERNS, dates_in, moment_of, month_of, time_keys, years_of
from .number_words import (
    FRACTION_WORDS,
    LARGE,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    PER_CENT,
    SCALES,
    Date,
    any_of,
    date_key,
    date_keys,
    day_key,
    decade_key,
    fraction_keys,
    fraction_parts,
    ordinal_value,
    plain,
    share_key,
    word_keys,
    year_keys,
)

# Numbers in digits: separators, signs, multipliers, percent and currency signs, units, telephone numbers.

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


# Text as figures are looked for in it: entities decoded, compatibility forms folded, fractions as decimals.

_FOLDED = re.compile(
    rf"(?P<entity>{ENTITY})"
    r"|(?P<whole>(?<!\d)\d{1,9})?[ \u00a0\u2009\u202f]?(?P<fraction>[\u00bc-\u00be\u2150-\u215e])"
    r"|(?P<other>[^\x00-\x7f\u00bc-\u00be\u2150-\u215e]++)"
)


class Folded(NamedTuple):
    """A text, and where pieces of it stand in the one that was folded: pairs of offsets, in order."""

    text: str
    places: list[tuple[int, int]]

    def source(self, at: int) -> int:
        """Where what stands at `at` came from."""
        index = bisect_right(self.places, at, key=lambda place: place[0]) - 1
        folded, source = self.places[index]
        following = self.places[index + 1][1] if index + 1 < len(self.places) else None
        return source + at - folded if following is None else min(source + at - folded, following)


def fold(text: str) -> Folded:
    """The text with every spelling of a sign that means the same as an ASCII one folded to that."""
    parts: list[str] = []
    places = [(0, 0)]
    position = size = 0
    for match in _FOLDED.finditer(text):
        shown = _folded(match)
        if shown == match.group():
            continue
        before = text[position : match.start()]
        parts += (before, shown)
        places += ((size + len(before), match.start()), (size + len(before) + len(shown), match.end()))
        position, size = match.end(), size + len(before) + len(shown)
    return Folded("".join((*parts, text[position:])), places)


def _folded(match: re.Match[str]) -> str:
    if match["entity"]:
        return _normal(clean_text(html.unescape(match["entity"])))
    if match["fraction"]:
        whole = int(match["whole"] or 0)
        return f"{'' if match['whole'] else ' '}{whole + unicodedata.numeric(match['fraction']):.4f}".rstrip("0")
    return _normal(match["other"])


def _normal(text: str) -> str:
    """Compatibility forms folded. Raised and circled digits are notes and units, no figures."""
    kept = "".join(sign for sign in text if unicodedata.category(sign) != "No") if not text.isascii() else text
    return unicodedata.normalize("NFKC", kept)
