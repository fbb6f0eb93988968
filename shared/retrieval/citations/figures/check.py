"""Figures that stand in cited sentences and not in the evidence cited there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...evidence.results import Evidence
from ...evidence.sources import Source
from ..formats.assembly import Assembly
from ..markdown.inlines import ScanOptions
from ..markdown.reader import Reader
from ..results import MAX_EXCERPT_CHARACTERS, MAX_PROBLEM_NUMBERS, CitationProblem
from ..sentinels import excerpt_of
from ..tally import Ledger
from .folding import fold
from .numbers import figures_in, keys_of
from .prose import Prose, ProseSink
from .sentences import CITED, Sentence, sentences_in

_HEADING = re.compile(r"^--- .* Evidence (?P<number>[0-9]{1,6}) ---\r?$", re.MULTILINE)


def evidence_blocks(evidence: Evidence | str) -> dict[int, str]:
    """The text of each numbered evidence; of a str, the text under each heading (spec 4.2)."""
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
