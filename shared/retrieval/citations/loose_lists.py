"""Lists whose items always hold paragraphs: whether a list is tight shows at its end, which a stream cannot wait for."""

from __future__ import annotations

import re

_BLOCK = r"</?(?:ul|ol|li|p|blockquote|pre|table|h[1-6]|hr)\b"
_TEXT = rf"((?:[^<\n]++|(?!{_BLOCK})<|\n(?!{_BLOCK}|\Z))++)\n?+"
_AT_START = re.compile(f"<li>{_TEXT}")
_BLOCK_END = r"(?:(?<=</h[1-6]>\n)|(?<=</[uo]l>\n)|(?<=</pre>\n)|(?<=<hr>\n)|(?<=</table>\n)|(?<=</blockquote>\n))"
_AFTER_BLOCK = re.compile(rf">\n(?!{_BLOCK}|\Z){_BLOCK_END}{_TEXT}")


def loosen(html: str) -> str:
    """Sanitised HTML with the bare text of list items put in paragraphs, laid out as comrak lays out loose lists.

    Only in the items of tight lists text stands in no paragraph: at the start of an item, or after a block in it.
    """
    if "<li>" not in html:
        return html
    loose = _AT_START.sub(lambda item: f"<li>\n<p>{item[1]}</p>\n", html)
    return _AFTER_BLOCK.sub(lambda text: f">\n<p>{text[1]}</p>\n", loose)
