"""Literal text in Markdown: an answer of the extractive writer shows the evidence whatever signs it holds.

https://spec.commonmark.org/0.31.2/#backslash-escapes
"""

from __future__ import annotations

import re

_SIGN = re.compile(r"[\\`*_\[\]<>&~|!$]")
# What begins a heading, a list, a quote, a rule or a fence at the start of a line.
_START = re.compile(r"^(?:[#+=:-]|\d{1,9}(?=[.)]))")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def escape_markdown(text: str) -> str:
    """One line of text as Markdown that a reader sees exactly so."""
    escaped = _SIGN.sub(lambda match: f"\\{match[0]}", text)
    start = _START.match(escaped)
    if start is None:
        return escaped
    return f"\\{escaped}" if not start[0][0].isdigit() else f"{start[0]}\\{escaped[start.end() :]}"


def unescape_markdown(text: str) -> str:
    """What `escape_markdown` was given, for a reader of plain text."""
    return _ESCAPE.sub(r"\1", text)
