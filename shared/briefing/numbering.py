"""Numbers of evidence shifted, so that the markers of all sections of a briefing stay apart."""

from __future__ import annotations

import re
from dataclasses import replace

from shared.retrieval import Evidence

# Values cannot forge this line (spec 4.2), so each match is a heading.
HEADING = re.compile(r"^--- (.*) Evidence (\d+) ---$", re.MULTILINE)


def shifted(evidence: Evidence, by: int) -> Evidence:
    """The same evidence with every number greater by that much, in headings and sources alike."""
    if by == 0:
        return evidence
    text = HEADING.sub(lambda heading: f"--- {heading[1]} Evidence {int(heading[2]) + by} ---", evidence.text)
    return replace(
        evidence, text=text, sources=tuple(replace(source, number=source.number + by) for source in evidence.sources)
    )


def numbered_through(parts: list[Evidence]) -> list[Evidence]:
    """Several pieces of evidence, numbered on from one to the next."""
    found: list[Evidence] = []
    taken = 0
    for part in parts:
        found.append(shifted(part, taken))
        taken += len(part.sources)
    return found
