"""Lists whose items always hold paragraphs: whether a list is tight shows at its end, which a stream cannot wait for."""

from __future__ import annotations

import re

_BLOCK_TAG = re.compile(r"<(?P<end>/?)(?P<name>ul|ol|li|p|blockquote|pre|table|h[1-6]|hr)\b[^<>]*>")


def loosen(html: str) -> str:
    """comrak's HTML with the bare text of list items put in paragraphs, laid out as comrak lays out loose lists."""
    if "<li>" not in html:
        return html
    parts: list[str] = []
    open_tags: list[str] = []
    position = 0
    for tag in _BLOCK_TAG.finditer(html):
        between = html[position : tag.start()]
        parts.append(_paragraph(between) if open_tags[-1:] == ["li"] and between.strip("\n") else between)
        parts.append(tag.group())
        position = tag.end()
        if tag["end"]:
            open_tags.pop()
        elif tag["name"] != "hr":
            open_tags.append(tag["name"])
    return "".join((*parts, html[position:]))


def _paragraph(text: str) -> str:
    return "\n<p>" + text.strip("\n") + "</p>\n"
