"""Runs of backticks in a leaf block's text: where the code that one opens ends, and what stands in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

from .tails import Text

BACKTICKS = re.compile("`+")
MAX_BACKTICKS = 80
"""Longer runs begin no code to GitHub's renderer."""
_LABEL_END = re.compile(r"\]:")
_TEXT_END = re.compile(r"\][(\[]")
_BLOCK_LINE = re.compile(
    r"(?<=[\r\n])[ \t]*+(?:<[A-Za-z/!?]|[>#]|[:~](?=[ \t\r\n]|\Z)|~~~|```|\[\^|(?:[-+*]|[0-9]{1,9}+[.)])(?=[ \t\r\n]|\Z))"
)


class CodeRuns:
    """The runs of one text, found once; every question takes the time of a binary search."""

    def __init__(self, source: Text) -> None:
        self._source = source
        self._runs: dict[int, list[int]] | None = None
        self._found: dict[re.Pattern[str], list[int]] = {}

    def closing(self, length: int, after: int) -> int | None:
        """Where the run of this length stands that closes one that ended at `after`; None when it opens no code.

        Nor does it when a line in between begins like HTML or another block: some renderer ends the paragraph there.
        """
        if self._runs is None:
            self._runs = defaultdict(list)
            for run in BACKTICKS.finditer(self._source.text):
                if self._source.whole or run.end() < len(self._source.text):
                    self._runs[run.end() - run.start()].append(run.start())
        starts = self._runs.get(length, [])
        index = bisect_left(starts, after)
        if index == len(starts) or self._any(_BLOCK_LINE, after, starts[index]):
            return None
        return starts[index]

    def ends_label(self, start: int, end: int) -> bool:
        """Whether a definition's label could end there."""
        return self._any(_LABEL_END, start, end)

    def ends_link(self, start: int, end: int) -> bool:
        """Whether a link's text could end there."""
        return self._any(_TEXT_END, start, end)

    def _any(self, pattern: re.Pattern[str], start: int, end: int) -> bool:
        """Whether the pattern begins between these places."""
        if pattern not in self._found:
            self._found[pattern] = [found.start() for found in pattern.finditer(self._source.text)]
        places = self._found[pattern]
        return bisect_left(places, start) < bisect_left(places, end)
