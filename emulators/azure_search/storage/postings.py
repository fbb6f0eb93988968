"""The terms of one field: which documents hold each, how often, and how long the field is in each document.

Arrays of the standard library grow with each document and are read by numpy without a copy, so that loading stays cheap and
scoring a term takes microseconds.
"""

from __future__ import annotations

import math
import struct
from array import array
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.analyzers import Analyzer, Token
from .sharding import SHARDS

Ordinals = NDArray[np.uint32]
GAP = 100


@lru_cache(maxsize=4096)
def lossy_length(length: int) -> float:
    """The length that the service remembers: 1/sqrt(length) cut to three bits of mantissa, read back as a length."""
    bits = struct.unpack(">i", struct.pack(">f", 1 / math.sqrt(length)))[0] >> 21 << 21
    return float(1 / struct.unpack(">f", struct.pack(">i", bits))[0] ** 2)


class FieldPostings:
    """Grows by `add`. `drop` marks a document as gone: its postings stay, and the reader masks them."""

    def __init__(self, analyze: Analyzer, search_analyze: Analyzer) -> None:
        self.analyze = analyze
        self.search_analyze = search_analyze
        self.terms: dict[str, tuple[array[int], array[int]]] = {}
        self.documents = [0] * SHARDS
        self.total_lengths = [0] * SHARDS
        self.lowers = [token.term for token in analyze("Ab")] == ["ab"]
        self._norms: array[float] = array("d")
        self._tokens: list[tuple[tuple[str, ...], tuple[int, ...]] | None] = []

    def add(self, ordinal: int, shard: int, texts: list[str]) -> None:
        """Index the values of a document; ordinals only grow."""
        tokens = self._join_tokens(texts)
        self._norms.extend([1.0] * (ordinal - len(self._norms)))
        self._tokens.extend([None] * (ordinal - len(self._tokens)))
        self._norms.append(lossy_length(len(tokens)) if tokens else 1.0)
        self._tokens.append((tuple(t.term for t in tokens), tuple(t.position for t in tokens)) if tokens else None)
        if not tokens:
            return
        self.documents[shard] += 1
        self.total_lengths[shard] += len(tokens)
        counts: dict[str, int] = {}
        for token in tokens:
            counts[token.term] = counts.get(token.term, 0) + 1
        for term, count in counts.items():
            docs, often = self.terms.setdefault(term, (array("I"), array("I")))
            docs.append(ordinal)
            often.append(count)

    def _join_tokens(self, texts: list[str]) -> list[Token]:
        if len(texts) == 1:
            return self.analyze(texts[0])
        found: list[Token] = []
        for text in texts:
            start = found[-1].position + GAP if found else 0
            found.extend(Token(t.term, t.start, t.end, t.position + start) for t in self.analyze(text))
        return found

    def drop(self, ordinal: int, shard: int) -> None:
        """Take a document out of the statistics."""
        tokens = self._tokens[ordinal] if ordinal < len(self._tokens) else None
        if tokens:
            self.documents[shard] -= 1
            self.total_lengths[shard] -= len(tokens[0])
            self._tokens[ordinal] = None

    def tokens(self, ordinal: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The terms of a document in sequence with their positions."""
        found = self._tokens[ordinal] if ordinal < len(self._tokens) else None
        return found or ((), ())

    def postings(self, term: str) -> tuple[Ordinals, NDArray[Any]]:
        """Documents that hold the term, and how often each; dropped ones among them."""
        found = self.terms.get(term)
        if found is None:
            return np.empty(0, np.uint32), np.empty(0, np.uint32)
        return np.frombuffer(found[0], np.uint32), np.frombuffer(found[1], np.uint32)

    def norms(self) -> NDArray[np.float64]:
        """The remembered length of the field by ordinal."""
        return np.frombuffer(self._norms, np.float64)
