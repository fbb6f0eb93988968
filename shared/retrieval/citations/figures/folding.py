"""Text as figures are looked for in it: entities decoded, compatibility forms folded, fractions as decimals."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from typing import NamedTuple

from ..sentinels import ENTITY, clean_text

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
