"""Numbers in words: cardinals, ordinals and fractions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

# Keys: what two figures have in common that mean the same.

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


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve "
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_CARDINALS = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * index for index, word in enumerate(_TENS.split())
}
_COUNTS = {word: Decimal(value) for word, value in _CARDINALS.items()} | {"a": Decimal(1), "an": Decimal(1)}
_ORDINALS = {word: value for value, word in enumerate(_SMALL_ORDINALS.split())} | {
    f"{word[:-1]}ieth": 20 + 10 * index for index, word in enumerate(_TENS.split())
}
LARGE = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
SCALES = LARGE | {"hundred": 100, "dozen": 12}
_PARTS = {"half": 2, "third": 3, "quarter": 4} | {word: value for word, value in _ORDINALS.items() if 5 <= value <= 12}


def any_of(words: Iterable[str]) -> str:
    """A pattern of these words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


PER_CENT = r"(?:per\s?cent|prozent|pour\s?cent|por\s?ciento)"
_HYPHEN = "[-\u2010\u2011]"
_JOINED = "[-\u2010\u2011 ]"
_UNITS_WORD = any_of(_SMALL.split()[1:10])
_BELOW_HUNDRED = rf"(?:(?:{any_of(_TENS.split())})(?:{_JOINED}(?:{_UNITS_WORD}))?|{any_of(_SMALL.split())})"
_ARTICLE = rf"(?:half\s+)?an?(?=\s+(?:hundred|dozen|{any_of(LARGE)})\b)"
_GROUP = rf"(?:{_BELOW_HUNDRED}|{_ARTICLE})(?:\s+hundred(?:\s+(?:and\s+)?{_BELOW_HUNDRED}\b)?|\s+dozen)?"
_SCALED = rf"(?:\s+(?:{any_of(LARGE)})\b(?:,?\s+(?:and\s+)?{_GROUP}\b)?)"
NUMBER_WORDS = rf"\b(?P<word>{_GROUP}\b{_SCALED}*+)(?P<word_percent>\s+{PER_CENT}\b)?"
ORDINAL_WORD = rf"(?:(?:{any_of(_TENS.split())}){_JOINED})?(?:{any_of(_ORDINALS)})"
ORDINAL_WORDS = rf"\b(?P<ordinal>{ORDINAL_WORD})\b"
_PART_WORDS = any_of(_PARTS)
FRACTION_WORDS = (
    rf"\b(?P<fraction>(?:an?|one|two|three|four|five){_JOINED}(?:{_PART_WORDS})s?(?=\s+of\b)"
    rf"|(?:two|three|four|five){_JOINED}(?:{_PART_WORDS})s|one{_HYPHEN}(?:{_PART_WORDS}))\b(?!{_HYPHEN})"
)


def word_keys(text: str, percent: str | None) -> tuple[str, ...]:
    """The values of a number in words."""
    value = word_value(text)
    return (plain(value), plain(value / 100)) if percent else (plain(value),)


def word_value(text: str) -> Decimal:
    """The number that words such as `two thousand five hundred and six` say."""
    total = group = Decimal(0)
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in _COUNTS:
            group += _COUNTS[word]
        elif word in LARGE:
            total, group = total + group * LARGE[word], Decimal(0)
        elif word in SCALES:
            group *= SCALES[word]
    return (total + group) / (2 if text[:4].lower() == "half" else 1)


def ordinal_value(text: str) -> int:
    """The number of an ordinal in words."""
    *tens, last = re.findall(r"[a-z]+", text.lower())
    return sum(_CARDINALS[word] for word in tens) + _ORDINALS[last]


def fraction_keys(text: str) -> tuple[str, ...]:
    """The shares that a fraction in words may be written as: in percent and as a decimal, more or less exactly."""
    count, part = _fraction(text)
    share = Decimal(count) / part
    percents = {plain(round(share * 100, places)) for places in (0, 1, 2)}
    return (share_key(count, part), *percents, *{plain(round(share, places)) for places in (2, 3, 4)})


def fraction_parts(text: str) -> tuple[str, ...]:
    """Both numbers of a fraction in words, as `2/3` has them."""
    return tuple(map(str, _fraction(text)))


def _fraction(text: str) -> tuple[int, int]:
    count, part = re.split(_JOINED, text.lower())
    return _CARDINALS.get(count, 1), _PARTS[part if part in _PARTS else part[:-1]]
