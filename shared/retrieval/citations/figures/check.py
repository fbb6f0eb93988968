"""Figures that stand in cited sentences and not in the evidence cited there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...evidence.evidence import Evidence
from ...evidence.sources import Source
from ..formats.assembly import Assembly
from ..markdown.blocks import Open, Plan
from ..markdown.inlines import ScanOptions
from ..markdown.reader import Reader
from ..results import MAX_EXCERPT_CHARACTERS, MAX_PROBLEM_NUMBERS, CitationProblem
from ..sentinels import CODE, GUARD, PLACES, SEAMS, TICKET, excerpt_of
from ..tally import Ledger
from .numbers import figures_in, fold, keys_of

# Sentences of an answer, with the numbers that each cites.

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


# The running text of an answer, block by block, with its citations marked: what sentences are looked for in.

_PLACE = re.compile(f"[{PLACES}]")
_DROPPED = dict.fromkeys(map(ord, SEAMS + GUARD))


class Prose:
    """A dialect in which a citation is its numbers, and code is nothing."""

    def cite(self, sources: Sequence[Source]) -> str:
        """The numbers between tickets."""
        return TICKET + ",".join(str(source.number) for source in sources) + TICKET

    def literal(self, text: str) -> str:
        """An address states no figure."""
        return " "

    def address(self, link: str) -> str:
        """An address states no figure."""
        return " "

    def opening(self, link: str) -> str:
        """Links are their text."""
        return ""

    def closing(self, link: str) -> str:
        """Links are their text."""
        return ""

    def finish(self, text: str, inserts: Iterable[str], *, starts_line: bool) -> str:
        """The text with its citations."""
        following = iter(inserts)

        def put(place: re.Match[str]) -> str:
            shown = next(following)
            return " " if place.group() == CODE else shown

        return _PLACE.sub(put, text.translate(_DROPPED))


class ProseSink:
    """Collects the text of each block; a table's row is one, a list item another."""

    incremental = False
    words = False

    def __init__(self) -> None:
        self.blocks: list[list[str]] = [[]]

    def line(self, plan: Plan, before: Open, source: str) -> None:
        """A line that does not go on with a paragraph begins a block."""
        if plan.kind != "continuation":
            self.blocks.append([])

    def line_done(self, plan: Plan) -> None:
        """Blocks end where the next begins."""

    def raw(self, text: str) -> None:
        """Markup is no prose, but it keeps cells apart."""
        self.blocks[-1].append(" ")

    def text(self, text: str) -> None:
        """The text of a block."""
        self.blocks[-1].append(text)

    def backslash(self) -> None:
        """Nothing is escaped here."""

    def break_table(self) -> None:
        """Rows are blocks anyway."""

    def part(self, blank_line: str) -> None:
        """Nobody renders this."""

    def blank(self, line: str) -> str:
        """It says nothing."""
        return line

    def fence(self, line: str) -> str:
        """Code is no prose."""
        return line

    def blanks(self, before: str, blanks: str) -> str:
        """They do not matter here."""
        return before + blanks


_HEADING = re.compile(r"^--- .* Evidence (?P<number>[0-9]{1,6}) ---\r?$", re.MULTILINE)


def evidence_blocks(evidence: Evidence | str) -> dict[int, str]:
    """The text of each numbered evidence; of a str, the text under each heading."""
    if isinstance(evidence, Evidence) and len(evidence.blocks) == len(evidence.sources):
        return {source.number: block for source, block in zip(evidence.sources, evidence.blocks, strict=True)}
    text = evidence.text if isinstance(evidence, Evidence) else evidence
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {int(h["number"]): text[h.end() : end] for h, end in zip(headings, ends, strict=False)}


def unsupported_figures(
    answer: str, sources: Sequence[Source], options: ScanOptions, blocks: Mapping[int, str]
) -> Iterator[CitationProblem]:
    """Each figure in a cited sentence of `answer` that none of the `blocks` cited there has in any of its forms."""
    places = {number: 1 << at for at, number in enumerate(blocks)}
    holders: defaultdict[str, int] = defaultdict(int)
    for number, block in blocks.items():
        for key in keys_of(fold(block).text):
            holders[key] |= places[number]
    for sentence in _cited_sentences(answer, sources, options):
        cited = sum(places.get(number, 0) for number in sentence.cited)
        reported = -1
        folded = fold(sentence.text)
        for figure in figures_in(folded.text):
            if figure.start != reported and not any(holders.get(key, 0) & cited for key in figure.keys):
                reported = figure.start
                yield _problem(sentence, folded.source(figure.start))


def _cited_sentences(answer: str, sources: Sequence[Source], options: ScanOptions) -> Iterator[Sentence]:
    sink = ProseSink()
    ledger = Ledger(sources, required=True, shown_as="text")
    Reader(sink, Assembly(Prose(), ledger), options).feed(answer, final=True)
    for block in sink.blocks:
        for sentence in sentences_in("".join(block)):
            if sentence.cited:
                yield sentence


def _problem(sentence: Sentence, at: int) -> CitationProblem:
    """The report of the figure that stands at `at`: its sentence from a little before it."""
    start = max(0, at - MAX_EXCERPT_CHARACTERS // 3)
    start = sentence.text.find(" ", start, at) + 1 if start else 0
    part = sentence.text[start : start + 4 * MAX_EXCERPT_CHARACTERS]
    shown = CITED.sub(lambda cited: f"[Evidence {cited['numbers'].replace(',', ', ')}]", part)
    numbers = tuple(sorted(sentence.cited))[:MAX_PROBLEM_NUMBERS]
    return CitationProblem(code="unsupported_figure", numbers=numbers, excerpt=excerpt_of(shown, MAX_EXCERPT_CHARACTERS))
