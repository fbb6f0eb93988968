"""What counts as blank text: the notion of .NET, which the original provider was measured with.

Python's `str.strip` also removes U+001C to U+001F, which count as text there; U+200B and U+FEFF are text in both.
"""

from __future__ import annotations

_BLANKS = (
    "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def is_blank(text: str | None) -> bool:
    """Whether `text` is missing, empty or white space only."""
    return not text or not text.strip(_BLANKS)
