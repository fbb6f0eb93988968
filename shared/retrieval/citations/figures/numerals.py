"""Numbers: digits with separators, multipliers, percent and currency signs, ordinals, fractions, and numbers in words."""

from __future__ import annotations

import re
from decimal import Decimal

MAX_DIGITS = 40
"""Longer runs of digits are compared as they stand."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve "
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
CARDINALS = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * index for index, word in enumerate(_TENS.split())
}
_ORDINALS = {word: value for value, word in enumerate(_SMALL_ORDINALS.split())} | {
    f"{word[:-1]}ieth": 20 + 10 * index for index, word in enumerate(_TENS.split())
}
_LARGE = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
_SHORT = {"k": 1_000, "m": 1_000_000, "mn": 1_000_000, "b": 1_000_000_000, "bn": 1_000_000_000}
_SCALES = _LARGE | _SHORT | {"hundred": 100, "dozen": 12}
_PARTS = {"half": 2, "third": 3, "quarter": 4} | {word: value for word, value in _ORDINALS.items() if 5 <= value <= 12}


def _any(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


_HYPHEN = "[-\u2010\u2011]"
_JOINED = "[-\u2010\u2011 ]"
_UNITS_WORD = _any(" ".join(_SMALL.split()[1:10]))
_BELOW_HUNDRED = rf"(?:(?:{_any(_TENS)})(?:{_JOINED}(?:{_UNITS_WORD}))?|{_any(_SMALL)})"
_GROUP = rf"{_BELOW_HUNDRED}(?:\s+hundred(?:\s+(?:and\s+)?{_BELOW_HUNDRED}\b)?|\s+dozen)?"
_SCALED = rf"(?:\s+(?:{_any(' '.join(_LARGE))})\b(?:,?\s+(?:and\s+)?{_GROUP}\b)?)"
NUMBER_WORDS = rf"\b(?P<word>{_GROUP}\b{_SCALED}*+)(?P<word_percent>\s+per\s?cent\b)?"
ORDINAL_WORD = rf"(?:(?:{_any(_TENS)}){_JOINED})?(?:{_any(' '.join(_ORDINALS))})"
ORDINAL_WORDS = rf"\b(?P<ordinal>{ORDINAL_WORD})\b"
_PART_WORDS = _any(" ".join(_PARTS))
FRACTION_WORDS = (
    rf"\b(?P<fraction>(?:an?|one|two|three|four|five){_JOINED}(?:{_PART_WORDS})s?(?=\s+of\b)"
    rf"|(?:two|three|four|five){_JOINED}(?:{_PART_WORDS})s|one{_HYPHEN}(?:{_PART_WORDS}))\b(?!{_HYPHEN})"
)
_SEPARATED = (
    r"\d{1,3}(?:[,'’\u00a0\u202f\u2009]\d{3})++(?!\d)(?:\.\d++)?|\d{1,3}(?: \d{3})++(?!\d)"
    r"|\d{1,2}(?:,\d{2}(?!\d))++,\d{3}(?!\d)|\d{1,3}(?:\.\d{3})++,\d{1,2}(?!\d)"
)
_SCALE = rf"\s?(?P<scale>(?:{_any(' '.join(_LARGE))}|hundred|dozen|mn|bn)\b)|(?P<letter_scale>[kmb])\b"
DIGITS = (
    rf"(?P<currency>[£$€¥]\s?)?(?P<digits>{_SEPARATED}|\d++(?:\.\d++)?)"
    rf"(?:(?P<percent>\s?(?:%|per\s?cent\b))|{_SCALE}|(?P<suffix>[A-Za-z]++[23]?+))?"
)
_RANGE_SCALE = re.compile(
    r"\s?[-\u2010-\u2014]\s?[£$€¥]?\s?\d++(?:[.,]\d++)*+"
    rf"(?:\s?(?P<percent>%)|\s?(?P<scale>(?:{_any(' '.join(_LARGE | _SHORT))})\b))",
    re.IGNORECASE,
)
_ORDINAL_SUFFIXES = frozenset(("st", "nd", "rd", "th"))
_UNIT_NAMES = (
    "s kg g mg km cm mm ml l ft mph hrs hr h min mins sec secs gb mb kb tb kw kwh mw w v px pt pts x ha "
    "yr yrs y p c f am pm m2 m3 km2 cm2 cm3 ft2"
)
_UNITS = frozenset(_UNIT_NAMES.split(" ")) | _ORDINAL_SUFFIXES


def plain(value: Decimal) -> str:
    """One spelling for equal numbers."""
    return format(value.normalize(), "f")


def day_key(day: int) -> str:
    """What `the 5th` means beside the number: a day of a date."""
    return f"day {day}"


def digits_keys(match: re.Match[str]) -> tuple[str, ...]:
    """The values that a number in digits may mean; none when it is part of a code such as `4RT`."""
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
    return (plain(value), *_of_range(match, value), *days)


def _bare(digits: str) -> str:
    """The number without its separators. The comma of `1.200,50` is a point."""
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d{1,2}", digits):
        digits = digits.replace(".", "").replace(",", ".")
    return re.sub(r"[^\d.]", "", digits)


def _of_range(match: re.Match[str], value: Decimal) -> tuple[str, ...]:
    """What the first number of `10–12m` means by the scale of the second."""
    following = _RANGE_SCALE.match(match.string, match.end()) if not match["suffix"] else None
    if following is None:
        return ()
    scale = Decimal("0.01") if following["percent"] else Decimal(_SCALES[following["scale"].lower()])
    return (plain(value * scale),)


def word_keys(text: str, percent: str | None) -> tuple[str, ...]:
    """The values of a number in words."""
    value = Decimal(word_value(text))
    return (plain(value), plain(value / 100)) if percent else (plain(value),)


def word_value(text: str) -> int:
    """The number that words such as `two thousand five hundred and six` say."""
    total = group = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in CARDINALS:
            group += CARDINALS[word]
        elif word in _LARGE:
            total, group = total + group * _LARGE[word], 0
        elif word in _SCALES:
            group *= _SCALES[word]
    return total + group


def ordinal_value(text: str) -> int:
    """The number of an ordinal in words."""
    *tens, last = re.findall(r"[a-z]+", text.lower())
    return sum(CARDINALS[word] for word in tens) + _ORDINALS[last]


def fraction_keys(text: str) -> tuple[str, ...]:
    """The shares that a fraction in words may be written as: in percent and as a decimal, more or less exactly."""
    count, part = re.split(_JOINED, text.lower())
    share = Decimal(CARDINALS.get(count, 1)) / _PARTS[part if part in _PARTS else part[:-1]]
    percents = {plain(round(share * 100, places)) for places in (0, 1, 2)}
    return (f"share {share:.4f}", *percents, *{plain(round(share, places)) for places in (2, 3, 4)})
