"""Where a text may be cut: between characters as people see them (Unicode's grapheme clusters), never inside one.

The standard library has no table of cluster breaks; categories, combining classes and a few ranges give the rules of
UAX 29 that matter for cutting. Where the two differ, this keeps more together, never less.
"""

from __future__ import annotations

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_EXTENDING = frozenset({"Mn", "Me", "Mc"})
_VIRAMA = 9
_REGIONAL = range(0x1F1E6, 0x1F200)
_MODIFIERS = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_HANGUL_LEADING = range(0x1100, 0x1160)
_HANGUL_FOLLOWING = range(0x1160, 0x1200)
_HANGUL = range(0xAC00, 0xD7C7)
_HANGUL_EXTENDED = range(0xA960, 0xA980)
_HANGUL_MORE = range(0xD7B0, 0xD800)
_JOINED = frozenset({0x200C, 0x200D, 0xFF9E, 0xFF9F, 0x0E33, 0x0EB3})
_PREPENDED = frozenset(
    (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E, 0x110BD, 0x110CD, 0x111C2, 0x111C3, 0x1193F, 0x11941)
)


def cut(text: str, limit: int) -> str:
    """The longest start of `text` of at most `limit` code points that splits no grapheme."""
    if len(text) <= limit:
        return text
    place = max(limit, 0)
    while place > 0 and not is_boundary(text, place):
        place -= 1
    return text[:place]


def is_boundary(text: str, place: int) -> bool:
    """Whether `text` may be cut before the code point at `place`."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if before == "\r" and after == "\n":
        return False
    if unicodedata.category(before) == "Cc" or unicodedata.category(after) == "Cc":
        return True
    return not (_extends(after) or before == _ZERO_WIDTH_JOINER or ord(before) in _PREPENDED or _belong(text, place))


def _extends(character: str) -> bool:
    code = ord(character)
    return code in _JOINED or code in _MODIFIERS or code in _TAGS or unicodedata.category(character) in _EXTENDING


def _belong(text: str, place: int) -> bool:
    before, after = ord(text[place - 1]), ord(text[place])
    if after in _REGIONAL and before in _REGIONAL:
        return _regional_before(text, place) % 2 == 1
    # A consonant after a virama is written in one cluster with what stands before it.
    if unicodedata.combining(text[place - 1]) == _VIRAMA and unicodedata.category(text[place]) == "Lo":
        return True
    return _is_hangul_start(before) and _is_hangul_more(before, after)


def _regional_before(text: str, place: int) -> int:
    count = 0
    while count < place and ord(text[place - 1 - count]) in _REGIONAL:
        count += 1
    return count


def _is_hangul_start(code: int) -> bool:
    ranges = (_HANGUL_LEADING, _HANGUL_EXTENDED, _HANGUL, _HANGUL_FOLLOWING, _HANGUL_MORE)
    return any(code in span for span in ranges)


def _is_hangul_more(before: int, after: int) -> bool:
    if after in _HANGUL_FOLLOWING or after in _HANGUL_MORE:
        return True
    leading = before in _HANGUL_LEADING or before in _HANGUL_EXTENDED
    return leading and (after in _HANGUL_LEADING or after in _HANGUL_EXTENDED or after in _HANGUL)
