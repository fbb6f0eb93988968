"""Worst patterns for a reader of Markdown and markers, each grown to any length."""

from __future__ import annotations

from collections.abc import Callable

REPEATED = {
    "opening brackets": "[",
    "closing brackets": "]",
    "open images": "![",
    "open emphasis": "**a ",
    "mixed emphasis": "*_a ",
    "backticks": "`",
    "backtick lines": "`a\n",
    "open tags": "<",
    "open image tags": "<img ",
    "image tags, open quotes": '<img "',
    "image tags, crossed quotes": "<img '\">",
    "comments": "<!--",
    "open autolinks": "<https://a",
    "open markers": "[Evidence 1, ",
    "markers": "[Evidence 1] ",
    "unknown markers": "[Evidence 9]",
    "markers with blanks": "[Evidence 1" + " " * 50,
    "open links": "[a](b",
    "open titles": '[a](b "',
    "open angle targets": "[a](<b",
    "links": "[a](b) ",
    "images": "![a](b) ",
    "reference images": "![a][b] ",
    "wide brackets": "【",
    "open wide markers": "【Evidence 1 ",
    "foreign markers": "【4:0†s】",
    "entities": "&a",
    "addresses": "http://a.b/",
    "www": "www.a",
    "mail": "a@",
    "dots": "a.",
    "domains": "a.com ",
    "quotes": ">",
    "quote lines": "> a\n",
    "ordered": "1. ",
    "bullets": "- a\n",
    "pipes": "| a ",
    "lines": "a\n",
    "blank lines": "\n",
    "carriage returns": "\r",
    "definitions": "[a]: b\n",
    "footnotes": "[^1]",
    "inline footnotes": "^[",
    "backslashes": "\\",
    "bangs": "!",
    "tildes": "~",
    "headings": "# a\n",
    "underlines": "a\n=\n",
    "fences": "```\n",
    "tables": "| a | b |\n|---|---|\n",
    "blanks": " ",
    "tabs": "\t",
    "no-break blanks": "\u00a0",
    "digits": "1",
    "sentences": "A 5. ",
    "bidirectional": "\u202e",
    "half surrogates": "\ud800",
    "noncharacters": "\ufdd0",
    "signs beside markers": "-[Evidence 9]",
    "paragraphs and tags": "a\n\n<b>\n\n",
    "emphasis": "a *b* ",
    "glued domains": "a.co_",
    "emphasis around nothing": "x **[Evidence 9]** ",
    "marks of tasks": "[ ] ",
    "open tool markers": "\ue200x",
    "lists in lists": "a\n\n- a\n  - b\n    - c\n\n",
    "items that part": "x\n>2. y\n",
    "empty items": "-\n    \n",
    "long fences": "~" * 300 + "\nx\n",
}


def _growing_runs(size: int) -> str:
    runs, length, total = [], 1, 0
    while total < size:
        runs.append("`" * length + "x")
        total += length + 1
        length += 1
    return "".join(runs)


BUILT: dict[str, Callable[[int], str]] = {
    "nested links": lambda size: "[" * (size // 5) + "a" + "](b)" * (size // 5),
    "nested images": lambda size: "![a " * (size // 8) + "](b)" * (size // 8),
    "nested bullets": lambda size: "\n".join("  " * (at % 30) + "- a" for at in range(size // 34)),
    "short table rows": lambda size: "| a | b |\n|---|---|\n" + "a\n" * (size // 2),
    "wide table": lambda size: "|a" * 60 + "|\n" + "|-" * 60 + "|\n" + "|a\n" * (size // 3),
    "too wide table": lambda size: "|a" * (size // 4) + "|\n" + "|-" * (size // 4) + "|\n",
    "lazy lines": lambda size: "> " * (size // 4) + "\n" + "a\n" * (size // 4),
    "runs of backticks": _growing_runs,
    "dots in an address": lambda size: "http://a" + "." * (size - 9) + "a",
    "bangs in a domain": lambda size: "a.com/" + "!" * (size - 7) + "a",
    "emphasis behind a tick": lambda size: "` [Evidence 9]" + "*" * (size - 14),
}
PATTERNS = (*REPEATED, *BUILT)


def pattern(name: str, size: int) -> str:
    """About `size` characters of the pattern."""
    if name in BUILT:
        return BUILT[name](size)[:size]
    unit = REPEATED[name]
    return (unit * (size // len(unit) + 1))[:size]
