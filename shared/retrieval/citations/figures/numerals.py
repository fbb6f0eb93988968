"""Numbers: digits with separators, multipliers, percent and currency signs, ordinals, and words up to ninety-nine."""

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
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
CARDINALS = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * index for index, word in enumerate(_TENS.split())
}
ORDINALS = {word: value for value, word in enumerate(_ORDINALS.split())}
_SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "k": 1_000,
    "million": 1_000_000,
    "mn": 1_000_000,
    "m": 1_000_000,
    "billion": 1_000_000_000,
    "bn": 1_000_000_000,
    "trillion": 1_000_000_000_000,
}
_TENS_WORD = rf"(?:{'|'.join(_TENS.split())})(?:[- ](?:{'|'.join(_SMALL.split()[1:10])}))?"
_SCALE_WORD = "hundred|thousand|million|billion|trillion"
_SMALL_WORD = "|".join(sorted(_SMALL.split(), key=len, reverse=True))
NUMBER_WORDS = rf"\b(?P<word>{_TENS_WORD}|{_SMALL_WORD})(?:\s+(?P<word_scale>{_SCALE_WORD}))?\b"
ORDINAL_WORDS = rf"\b(?P<ordinal>{'|'.join(ORDINALS)})\b"
_SEPARATED = r"\d{1,3}(?:[,'’\u00a0\u202f\u2009]\d{3})++(?!\d)(?:\.\d++)?|\d{1,3}(?: \d{3})++(?!\d)"
_SCALE = rf"\s?(?P<scale>(?:{_SCALE_WORD}|mn|bn)\b)|(?P<letter_scale>[km])\b"
DIGITS = (
    rf"(?P<currency>[£$€¥]\s?)?(?P<digits>{_SEPARATED}|\d++(?:\.\d++)?)"
    rf"(?:(?P<percent>\s?(?:%|per\s?cent\b))|{_SCALE}|(?P<suffix>[A-Za-z]++))?"
)
_UNIT_NAMES = (
    "st nd rd th s kg g mg km cm mm ml l ft mph hrs hr h min mins sec secs gb mb kb tb kw kwh mw w v px pt pts x ha "
    "yr yrs y p c f am pm"
)
_UNITS = frozenset(_UNIT_NAMES.split(" "))


def plain(value: Decimal) -> str:
    """One spelling for equal numbers."""
    return format(value.normalize(), "f")


def digits_keys(match: re.Match[str]) -> tuple[str, ...]:
    """The values that a number in digits may mean; none when it is part of a code such as `4RT`."""
    if match["suffix"] and match["suffix"].lower() not in _UNITS:
        return ()
    bare = re.sub(r"[^\d.]", "", match["digits"])
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
    return (plain(value),)


def word_value(word: str, scale: str | None) -> str:
    """The value of a number in words."""
    parts = re.split(r"[- ]", word.lower())
    return plain(Decimal(sum(CARDINALS[part] for part in parts)) * (_SCALES[scale.lower()] if scale else 1))
