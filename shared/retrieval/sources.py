"""Sources: what a citation shows of a document, its name and its link."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a citation shows. `number` is the evidence number from 1; `link` is a normalised http(s) address or None."""

    number: int
    name: str
    link: str | None = None
    index: str | None = None
    key: str | None = None
    score: float | None = None
    truncated: bool = False
