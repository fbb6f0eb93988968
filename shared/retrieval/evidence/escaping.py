"""Values defused: nothing inside a value can be read as a heading of evidence or as a marker.

A backslash is put where such a reading would begin. It shows, and `restored` takes it out again: the places are found
with any number of backslashes in them, so each is given exactly one more and exactly one is taken.
"""

from __future__ import annotations

import re

# Everything that looks like a hyphen or dash: Unicode's dash property and what is drawn alike. One of the long ones is
# enough for a heading, of the others it takes two.
_LONG = "\u2014\u2015\u2e3a\u2e3b\u2500\u2501\u3161\ufe31\ufe58\u2013"
_DASHES = (
    "\\-\u00ad\u00af\u02c9\u058a\u05be\u1400\u1806\u2010-\u2015\u203e\u2043\u2053\u207b\u208b\u2212\u2500\u2501\u254c\u254d\u2574"
    "\u2576\u2796\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\u30fc\u3161\u4e00\ufe31\ufe32\ufe58\ufe63\uff0d\uff70"
    "\U00010110\U00010ead"
)
_HIDDEN = "\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
_JOINT = rf"\s{_HIDDEN}:#\uff1a\uff03"
"""What may stand between the word and its number."""
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_RULE = rf"(?:[{_DASHES}](?:[\s{_HIDDEN}]*+[{_DASHES}])++|[{_LONG}])"
_DASH_RUN = re.compile(_RULE)
_ESCAPED_DASH_RUN = re.compile(rf"\\({_RULE})")
_EVIDENCE = re.compile(rf"evidence[{_JOINT}\\]*\d", re.IGNORECASE)
_NUMBER = re.compile(rf"(evidence[{_JOINT}]*+\\*+)(?=\d)", re.IGNORECASE)
_MARKER = re.compile(
    # Only from the start of a run of backslashes: from each of them it would take quadratic time.
    rf"(?<!\\)(?P<open>\\*+[\[［【])"
    rf"(?P<word>[\s{_HIDDEN}]*+(?:evidence|ref_id)[{_JOINT}]*+\\*+)(?=\d)",
    re.IGNORECASE,
)


def escape_markup(value: str) -> str:
    """`value` with heading-like lines and markers escaped; other text, and every line break, as it was."""
    if not _worth_a_look(value):
        return value
    return _MARKER.sub(r"\\\g<open>\g<word>\\", _LINE.sub(_line, value))


def _worth_a_look(text: str) -> bool:
    """Whether one of the words may be there; two letters of other alphabets fold to its `i`, but not by `lower`."""
    lowered = text.lower()
    return "evidence" in lowered or "ref_id" in lowered or "\u0131" in text or "\u0130" in text


def _line(match: re.Match[str]) -> str:
    line = match[0]
    if not _is_heading_like(line):
        return line
    return _NUMBER.sub(r"\1\\", _DASH_RUN.sub(lambda run: "\\" + run[0], line))


def _is_heading_like(line: str) -> bool:
    """Whether a line has a rule of dashes and, after it, the word with a number."""
    rule = _DASH_RUN.search(line)
    return rule is not None and _EVIDENCE.search(line, rule.end()) is not None


def unescape_markup(text: str) -> str:
    """What `defused` was given."""
    if not _worth_a_look(text):
        return text
    return _LINE.sub(_restored_line, _MARKER.sub(_restored_marker, text))


def _restored_marker(match: re.Match[str]) -> str:
    return match["open"].removeprefix("\\") + match["word"].removesuffix("\\")


def _restored_line(match: re.Match[str]) -> str:
    line = match[0]
    if not _is_heading_like(line):
        return line
    return _ESCAPED_DASH_RUN.sub(r"\1", _NUMBER.sub(lambda found: found[1].removesuffix("\\"), line))
