"""Phrases and proximity: how often words follow each other in a field, at most some moves apart."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.analyzers import Token
from ..storage.postings import FieldPostings, Ordinals


def phrase_frequencies(postings: FieldPostings, tokens: Sequence[Token], slop: int) -> tuple[Ordinals, NDArray[Any]]:
    """The documents that hold the phrase, with its frequency; a loose occurrence counts 1 / (1 + moves)."""
    lists = [postings.postings(term)[0] for term in dict.fromkeys(token.term for token in tokens)]
    candidates = reduce(lambda left, right: np.intersect1d(left, right, assume_unique=True), lists)
    found = [(int(each), _frequency(postings.tokens(int(each)), tokens, slop)) for each in candidates]
    kept = [(ordinal, often) for ordinal, often in found if often]
    return np.array([each[0] for each in kept], np.uint32), np.array([each[1] for each in kept])


def _frequency(stored: tuple[tuple[str, ...], tuple[int, ...]], tokens: Sequence[Token], slop: int) -> float:
    terms, positions = stored
    first = tokens[0].position
    shifted = [
        [place - (token.position - first) for term, place in zip(terms, positions, strict=True) if term == token.term]
        for token in tokens
    ]
    if not all(shifted):
        return 0.0
    return sum(_closeness(start, shifted[1:], slop) for start in shifted[0])


def _closeness(start: int, others: Sequence[list[int]], slop: int) -> float:
    """1 / (1 + moves) of the occurrence around `start`, 0 where it needs more moves than allowed."""
    places = [start, *(_nearest(places, start) for places in others)]
    moves = max(places) - min(places)
    return 1 / (1 + moves) if moves <= slop else 0.0


def _nearest(places: list[int], target: int) -> int:
    at = bisect_left(places, target)
    return min(places[max(0, at - 1) : at + 1], key=lambda place: abs(place - target))
