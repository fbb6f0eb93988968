"""Nearest neighbours: every vector of the field is compared, so an exhaustive search and a quick one are the same here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..index import SearchIndex
from ..schema.fieldvalues import value_at
from ..schema.vector_config import Metric
from ..storage.store import Mask
from .vector_request import VectorQuery


@dataclass(frozen=True, slots=True)
class Ranked:
    """Ordinals, nearest first, with the scores that the service shows for them, and their weight in a fusion."""

    ordinals: NDArray[np.intp]
    scores: NDArray[np.float64]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FieldVectors:
    """The vectors of a field that documents have, and whose they are."""

    ordinals: NDArray[np.intp]
    matrix: NDArray[np.float32]


def nearest(index: SearchIndex, query: VectorQuery, allowed: Mask, shards: int) -> Ranked:
    """The `k` nearest documents among those allowed."""
    path = query.field.path
    stored: FieldVectors = index.store.remember(
        ("vectors", path), lambda: _read_vectors(index, path, query.field.dimensions or 0)
    )
    position = np.empty(len(index.store.documents), np.intp)
    position[index.store.sequence(shards)] = np.arange(len(position))
    rows = np.flatnonzero(allowed[stored.ordinals])
    rows = rows[np.argsort(position[stored.ordinals[rows]], kind="stable")]
    metric = index.definition.vector_search.profiles[query.field.vector_profile or ""].metric
    scores = _scores(stored.matrix[rows], query.vector, metric)
    best = np.argsort(-scores, kind="stable")[: query.k]
    if query.least is not None:
        best = best[scores[best] >= query.least]
    return Ranked(stored.ordinals[rows[best]], scores[best], query.weight)


def _read_vectors(index: SearchIndex, path: str, dimensions: int) -> FieldVectors:
    found = [
        (ordinal, vector)
        for ordinal, document in enumerate(index.store.documents)
        if document is not None and (vector := value_at(document, path)) is not None
    ]
    ordinals = np.array([ordinal for ordinal, _ in found], np.intp)
    matrix = np.array([vector for _, vector in found], np.float32).reshape(len(found), dimensions)
    return FieldVectors(ordinals, matrix)


def _scores(matrix: NDArray[np.float32], vector: NDArray[np.float32], metric: Metric) -> NDArray[np.float64]:
    """Scores as the service documents them: 1 / (1 + distance), or the product itself for dotProduct."""
    found: NDArray[np.float64]
    if metric == "euclidean":
        found = 1 / (1 + np.linalg.norm(matrix - vector, axis=1).astype(np.float64))
        return found
    products = (matrix @ vector).astype(np.float64)
    if metric == "dotProduct":
        return products
    sizes = np.linalg.norm(matrix, axis=1) * np.linalg.norm(vector)
    cosines = np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)
    found = 1 / (2 - cosines)
    return found
