"""Characters with a job inside this package, and those that may not come in from outside.

Noncharacters (Unicode 23.7) stand for places in a text while it is rendered; an answer never needs one, so any that it holds
is replaced like half a surrogate pair.
"""

from __future__ import annotations

import re

SEAM = "\ufdd0"
"""A construct was taken out or unwrapped here: the characters on both sides must not become syntax together."""
EAT = "\ufdd1"
"""A marker was removed here: blanks and tabs before it go too."""
ANCHOR = "\ufdd2"
"""A citation, or the start of a link, is put in here."""
CODE = "\ufdd3"
"""A code span is put in here, byte for byte."""
CLOSE = "\ufdd4"
"""The end of a link is put in here."""
GUARD = "\ufdd5"
"""What follows would make a link reference definition of the brackets before it."""
TICKET = "\ufdd6"
"""Around the number of a citation while the CommonMark library works."""

NO_BREAK = "\ufdd7"
"""A no-break blank while nh3 works."""
AMPERSAND = "\ufdd8"
"""An ampersand while nh3 works."""
BOUNDARY = "\ufdd9"
"""Between pieces of HTML while nh3 works."""
NODE_SIGNS = {"*": "\ufdda", "_": "\ufddb", "~": "\ufddc", "!": "\ufddd"}
"""Signs for each of which the CommonMark library makes a node, and what stands for them in a crowd while it works."""
MAX_NODE_SIGNS = 5_000
"""In one block; in a crowd of more they are text, since a node takes a hundred bytes or more."""

SEAMS = SEAM + EAT
PLACES = ANCHOR + CLOSE + CODE
_RESERVED = re.compile("[\ufdd0-\ufddd]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNFIT = re.compile("[\ud800-\udfff\ufdd0-\ufddd]")
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CONTROLS_AND_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
REPLACEMENT = "\ufffd"

ENTITY = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
"""What HTML and Markdown may decode."""

BYTE_ORDER_MARK = "\ufeff"
"""At the start of an answer some renderer leaves it out, and others do not."""
MAX_NAME_CHARACTERS = 1_000


def clean_text(text: str) -> str:
    """`text` with surrogate pairs joined, their lone halves and reserved characters replaced by U+FFFD."""
    if text.isascii() or not _UNFIT.search(text):
        return text
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _RESERVED.sub(REPLACEMENT, text)


def clean_name(name: str) -> str:
    """`name` on one line, without control characters and without bidirectional ones, which would reorder what follows."""
    flat = _CONTROLS_AND_SPACE.sub(" ", _BIDI_CONTROLS.sub("", clean_text(name))).strip()
    return flat if len(flat) <= MAX_NAME_CHARACTERS else flat[: MAX_NAME_CHARACTERS - 1] + "…"


def excerpt_of(text: str, limit: int) -> str:
    """The start of `text` on one line, at most `limit` characters."""
    flat = _CONTROLS_AND_SPACE.sub(" ", _BIDI_CONTROLS.sub("", text[: limit * 4])).strip()
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def is_crowded(text: str) -> bool:
    """Whether `text` has more signs of emphasis and of images than one block may have."""
    return len(text) > MAX_NODE_SIGNS and sum(map(text.count, NODE_SIGNS)) > MAX_NODE_SIGNS
