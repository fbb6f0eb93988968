"""The matches of a part of a query, and how parts join."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Terms = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Matched:
    """A mask and scores over all ordinals (0 outside the mask), and per field the terms that were looked for."""

    mask: NDArray[np.bool_]
    scores: NDArray[np.float64]
    terms: Terms

    @classmethod
    def none_of(cls, size: int) -> Matched:
        """No document at all."""
        return cls(np.zeros(size, np.bool_), np.zeros(size), {})

    def among(self, allowed: NDArray[np.bool_]) -> Matched:
        """The matches that are also allowed."""
        mask = self.mask & allowed
        return Matched(mask, np.where(mask, self.scores, 0.0), self.terms)


def one_of(parts: Sequence[Matched]) -> Matched:
    """Documents that match one part or more, scores added up."""
    if len(parts) == 1:
        return parts[0]
    mask, scores = parts[0].mask.copy(), parts[0].scores.copy()
    for part in parts[1:]:
        mask |= part.mask
        scores += part.scores
    return Matched(mask, scores, joined_terms(parts))


def all_of(parts: Sequence[Matched], optional: Sequence[Matched] = ()) -> Matched:
    """Documents that match every part; optional parts only add to the score."""
    found = one_of([*parts, *optional])
    return found if len(parts) + len(optional) == 1 else found.among(np.logical_and.reduce([part.mask for part in parts]))


def joined_terms(parts: Sequence[Matched]) -> Terms:
    """The terms of all parts by field."""
    found: dict[str, frozenset[str]] = {}
    for part in parts:
        for path, terms in part.terms.items():
            found[path] = found.get(path, frozenset()) | terms
    return found
