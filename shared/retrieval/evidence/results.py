"""Evidence: hits numbered and written out as they are shown to a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..search.results import ScoreKind
from .sources import Source

OmissionReason = Literal["relevance", "size", "duplicate", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """A hit that is not among the evidence, and why."""

    index: str
    key: str | None
    reason: OmissionReason


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSummary:
    """What one search of the request gave: `hits` returned, `kept` as evidence."""

    index: str
    hits: int
    kept: int
    score_kind: ScoreKind
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Numbered evidence: `text` for a model, `sources` for citations, what was left out and what each search gave.

    `blocks[i]` is the text of `sources[i]` without its heading, for checks of figures.
    """

    text: str
    sources: tuple[Source, ...] = ()
    omitted: tuple[Omission, ...] = ()
    searches: tuple[SearchSummary, ...] = ()
    blocks: tuple[str, ...] = ()

    @property
    def has_evidence(self) -> bool:
        """Whether any hit was kept."""
        return bool(self.sources)
