"""Numbers of evidence across the sections of a briefing.

Each section is written over its own evidence, numbered from 1; in the briefing each document has one number, whichever
sections it is evidence of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shared.retrieval import Evidence, Source, resolve

Numbers = tuple[int, ...]
"""For the evidence of a section, in order from 1, the number that it has in the briefing."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """All sources of a briefing, numbered from 1, and the numbers of each section's evidence among them."""

    sources: tuple[Source, ...]
    sections: tuple[Numbers, ...]


def number_through(parts: Sequence[Evidence]) -> Numbering:
    """One number for each document; without a key no two are the same document (spec 4.4)."""
    sources: list[Source] = []
    known: dict[tuple[str | None, str], int] = {}
    sections: list[Numbers] = []
    for part in parts:
        numbers: list[int] = []
        for source in part.sources:
            number = known.get((source.index, source.key), 0) if source.key is not None else 0
            if not number:
                number = len(sources) + 1
                sources.append(replace(source, number=number))
            if source.key is not None:
                known[source.index, source.key] = number
            numbers.append(number)
        sections.append(tuple(numbers))
    return Numbering(tuple(sources), tuple(sections))


def renumbered(text: str, numbers: Numbers) -> str:
    """A section's text with the numbers of the briefing in its markers, read by the parser of all markers."""
    stand_ins = [Source(number=here, name=f"Evidence {there}") for here, there in enumerate(numbers, 1)]
    # A source without a link becomes its name in square brackets (spec 5): here that is the marker anew.
    return resolve(text, stand_ins, format="text").answer


def sources_of(numbers: Numbers, sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources of a section, numbered as in its text."""
    by_number = {source.number: source for source in sources}
    return tuple(replace(by_number[there], number=here) for here, there in enumerate(numbers, 1))
