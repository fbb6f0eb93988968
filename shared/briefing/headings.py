"""Headings of a page: those of an answer stand below the heading of its section, without a gap between levels."""

from __future__ import annotations

import html
import re

from shared.retrieval import Format

SECTION_LEVEL = 2
LOWEST_LEVEL = 6
# Safe HTML has no other form of these tags, and a `<` of the text is escaped there.
_HTML_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_CONTAINERS = r"(?:> ?|[-*+] +|\d{1,9}[.)] +| +)*"
_MARKDOWN_HEADING = re.compile(rf"({_CONTAINERS})(#{{1,6}})(?= |$)")
_FENCE = re.compile(rf"{_CONTAINERS}(`{{3,}}|~{{3,}})")
_UNDERLINE = re.compile(r"(=+|-+) *")


def heading(title: str, form: Format, level: int = SECTION_LEVEL) -> str:
    """A heading in the format."""
    if form == "html":
        return f"<h{level}>{html.escape(title)}</h{level}>"
    return f"{'#' * level} {title}" if form == "markdown" else title


def lower_headings(answer: str, form: Format) -> str:
    """The answer with its headings below those of sections. Text keeps its characters."""
    if form == "html":
        return _lower_html(answer)
    return _lower_markdown(answer) if form == "markdown" else answer


class _Levels:
    """Levels in the order of their headings: each at most one below the one before it."""

    def __init__(self) -> None:
        self._last = SECTION_LEVEL

    def lower(self, level: int) -> int:
        """The level on the page of a heading of the answer."""
        self._last = min(level + SECTION_LEVEL, self._last + 1, LOWEST_LEVEL)
        return self._last


def _lower_html(answer: str) -> str:
    levels = _Levels()

    def lowered(match: re.Match[str]) -> str:
        level = levels.lower(int(match[1]))
        return f"<h{level}>{match[2]}</h{level}>"

    return _HTML_HEADING.sub(lowered, answer)


def _lower_markdown(answer: str) -> str:
    levels, lines, fence = _Levels(), list[str](), ""
    for line in answer.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (found := _MARKDOWN_HEADING.match(line)):
            line = f"{found[1]}{'#' * levels.lower(len(found[2]))}{line[found.end() :]}"
        elif not fence and lines and lines[-1] and not lines[-1].startswith("#") and _UNDERLINE.fullmatch(line):
            level = levels.lower(1 if line.startswith("=") else 2)
            lines[-1], line = f"{'#' * level} {lines[-1].lstrip()}", ""
        lines.append(line)
    return "\n".join(lines)
