"""The tree of a query text, the same for the plain, simple and full syntaxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Occur = Literal["should", "must", "must_not"]


@dataclass(frozen=True, slots=True)
class Words:
    """Words as written; each searched field analyses them itself."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in sequence, at most `slop` moves apart."""

    text: str
    slop: int = 0


@dataclass(frozen=True, slots=True)
class Prefix:
    """Terms that begin so."""

    text: str


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Terms of a pattern: `*` any characters, `?` one."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Regex:
    """Terms that a Lucene regular expression matches whole; `column` is where its text ends in the query."""

    pattern: str
    column: int


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """Terms within `edits` changes (0 to 2)."""

    text: str
    edits: int


@dataclass(frozen=True, slots=True)
class Everything:
    """Every document."""


@dataclass(frozen=True, slots=True)
class Boosted:
    """A part that counts `factor` times."""

    part: Query
    factor: float


@dataclass(frozen=True, slots=True)
class Within:
    """A part that searches one field only; `column` is where the field's name begins in the query."""

    field: str
    part: Query
    column: int


@dataclass(frozen=True, slots=True)
class Clauses:
    """Parts with their occurrence. Without a `must`, one `should` has to match; `must_not` alone matches nothing."""

    parts: tuple[tuple[Occur, Query], ...]


Query = Words | Phrase | Prefix | Wildcard | Regex | Fuzzy | Everything | Boosted | Within | Clauses


def combine(parts: list[Query], occur: Occur) -> Query | None:
    """Parts joined with one occurrence; a single part stays itself, an empty list gives None."""
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else Clauses(tuple((occur, part) for part in parts))
