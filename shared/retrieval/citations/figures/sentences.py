"""Sentences of an answer, with the numbers that each cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..sentinels import TICKET

CITED = re.compile(f"{TICKET}(?P<numbers>[\\d,]+){TICKET}")
"""How a citation stands in the text of a sentence."""

_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|mr|mrs|ms|dr|st|prof|rev|no|nos|vs|v|approx|cf|fig|p|pp|ca|inc|ltd|co|jr|sr|dept|est|min|max|avg"
    r"|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)|\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_MAY_END = re.compile(r"\b(?:[ap]\.m|(?:class|group|grade|level|block|phase|part|band) [A-Z])\.$")
_BEGINS = re.compile(r"\s+[\"'“‘]?[A-Z]")
"""Such an abbreviation ends a sentence where another one begins."""
_CITATIONS = rf"(?P<cited>(?:\s*+{TICKET}[\d,]+{TICKET})*+)"
_END = re.compile(rf"(?<![.!?…])(?:[.!?…]++[\"'”’)\]*_]*+|[。！？]){_CITATIONS}(?=\s|$|(?<=[。！？]))")
_LEADS_ON = re.compile(r"\s*[a-z]")


class Sentence(NamedTuple):
    """A sentence and the numbers of its citations."""

    text: str
    cited: frozenset[int]


def sentences_in(text: str) -> Iterator[Sentence]:
    """The sentences of one block's text. A citation after a full stop belongs to the sentence before it, unless that has its
    own and the text goes on from the citation ("[Evidence 1] says …")."""
    start = 0
    for end in _END.finditer(text):
        stop = end.end()
        head = text[max(start, end.start() - 12) : end.start() + 1]
        if stop <= start or (stop < len(text) and _is_abbreviation(head, text, stop)):
            continue
        if end["cited"] and _LEADS_ON.match(text, stop):
            stop = end.start("cited")
        yield _sentence(text[start:stop])
        start = stop
    if text[start:].strip():
        yield _sentence(text[start:])


def _is_abbreviation(head: str, text: str, stop: int) -> bool:
    return bool(_ABBREVIATION.search(head)) and not (_MAY_END.search(head) and _BEGINS.match(text, stop))


def _sentence(text: str) -> Sentence:
    numbers = (int(n) for cited in CITED.finditer(text) for n in cited["numbers"].split(","))
    return Sentence(text, frozenset(numbers))
