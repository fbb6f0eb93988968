"""The service's BM25: k1 1.2, b 0.75, lengths as remembered over the true average, by the statistics of each shard."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..storage.postings import FieldPostings, Ordinals
from ..storage.sharding import SHARDS
from ..storage.store import DocumentStore

Counts = NDArray[np.float64]
KEPT = 256


class FieldScorer:
    """Weighs terms of one field; `shards` is 1 or twelve, `space` names whose postings these are."""

    def __init__(self, store: DocumentStore, postings: FieldPostings, space: tuple[str, str], shards: int) -> None:
        self.postings = postings
        self._space = (*space, shards)
        self._weighed: dict[Any, NDArray[np.float64]] = store.remember("weighed terms", dict)
        self._store = store
        self._shards: NDArray[np.uint8] = store.remember(("shards", shards), lambda: store.shards(shards))
        self._factors: NDArray[np.float64] = store.remember(("bm25", space, shards), self._length_factors)

    def _statistics(self) -> tuple[Counts, Counts]:
        documents, lengths = self.postings.documents, self.postings.total_lengths
        if not self._shards.any():
            documents, lengths = [sum(documents)], [sum(lengths)]
        return _pad(documents), _pad(lengths)

    def _length_factors(self) -> NDArray[np.float64]:
        documents, lengths = self._statistics()
        average = np.divide(lengths, documents, out=np.ones(SHARDS), where=documents > 0)
        norms = self.postings.norms()
        factors: NDArray[np.float64] = 1.2 * (0.25 + 0.75 * norms / average[self._shards[: len(norms)]])
        return factors

    def document_frequency(self, documents: Ordinals) -> Counts:
        """How many documents that are there hold a term, by shard."""
        if len(self._store) != len(self._store.documents):
            documents = documents[self._store.alive[documents]]
        return np.bincount(self._shards[documents], minlength=SHARDS).astype(np.float64)

    def term_weights(self, term: str, documents: Ordinals, often: NDArray[Any]) -> NDArray[np.float64]:
        """The weights of a term of the field; those of the words asked for last are kept."""
        key = (*self._space, term)
        found = self._weighed.get(key)
        if found is None:
            if len(self._weighed) >= KEPT:
                self._weighed.clear()
            found = self._weighed[key] = self.weights(self.document_frequency(documents), documents, often)
        return found

    def weights(self, having: Counts, documents: Ordinals, often: NDArray[Any]) -> NDArray[np.float64]:
        """The part of each document's score that a term with these frequencies gives."""
        total = self._statistics()[0]
        idf = np.log(1 + (np.maximum(total - having, 0) + 0.5) / (having + 0.5))
        weighed: NDArray[np.float64] = idf[self._shards[documents]] * 2.2 * often / (often + self._factors[documents])
        return weighed


def _pad(values: list[int]) -> Counts:
    return np.array([*values, *[0] * (SHARDS - len(values))], np.float64)
