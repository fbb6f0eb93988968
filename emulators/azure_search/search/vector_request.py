"""The vector queries of a search, checked against the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.embedding import Embedder, Vectors
from ..errors import ServiceError, invalid_parameter
from ..schema.definition import IndexDefinition
from ..schema.fields import Field, unknown_member

DEFAULT_K = 50
MAX_K = 10_000
# Squares of larger numbers leave the range of 32 bits.
LARGEST = 1e15
COMMON = frozenset({"kind", "k", "fields", "exhaustive", "oversampling", "weight", "threshold"})
KINDS = {"vector": COMMON | {"vector"}, "text": COMMON | {"text", "queryRewrites"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorQuery:
    """One vector to be compared with one field."""

    field: Field
    vector: Vectors
    k: int
    weight: float = 1.0
    least: float | None = None


def read_vector_query(definition: IndexDefinition, raw: Mapping[str, Any], embedder: Embedder) -> list[VectorQuery]:
    """The query, once per field that it names. Raises the service's 400 for a member that does not fit."""
    kind = raw.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise invalid_vector(f"The vector query kind '{kind}' is not supported; use vector or text.")
    unknown = next((name for name in raw if name not in KINDS[kind]), None)
    if unknown is not None:
        raise unknown_member(unknown, f"search.vectorQuery.{kind}")
    k = _number(raw, "k", DEFAULT_K)
    if int(k) != k or not 1 <= k <= MAX_K:
        raise invalid_parameter("vectorQueries", "ParameterValueOutOfRange", f"'k' must be between 1 and {MAX_K}.")
    weight = _number(raw, "weight", 1.0)
    if weight <= 0:
        raise invalid_parameter("vectorQueries", "ParameterValueOutOfRange", "'weight' must be above 0.")
    fields = [_field(definition, path) for path in _paths(raw)]
    least = _least(raw.get("threshold"))
    return [
        VectorQuery(field=field, vector=_vector(definition, field, raw, embedder), k=int(k), weight=weight, least=least)
        for field in fields
    ]


def invalid_vector(message: str) -> ServiceError:
    """The 400 of a vector query."""
    text = f"{message}\r\nParameter name: vectorQueries"
    return ServiceError(400, "InvalidRequestParameter", text, (("InvalidVectorQuery", message),))


def _number(raw: Mapping[str, Any], name: str, otherwise: float) -> float:
    value = raw.get(name)
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid_vector(f"'{name}' must be a number.")
    return float(value)


def _paths(raw: Mapping[str, Any]) -> list[str]:
    fields = raw.get("fields")
    paths = [each.strip() for each in fields.split(",") if each.strip()] if isinstance(fields, str) else []
    if not paths:
        raise invalid_vector("A vector query must name its fields.")
    return paths


def _field(definition: IndexDefinition, path: str) -> Field:
    field = definition.by_path.get(path)
    if field is None:
        raise invalid_vector(f"Unknown field '{path}' in vector field list.")
    if not field.vector:
        raise invalid_vector(f"The field '{path}' is not a vector field, but is used in a vector query.")
    return field


def _least(threshold: Any) -> float | None:
    if threshold is None:
        return None
    value = threshold.get("value") if isinstance(threshold, Mapping) else None
    if not isinstance(value, int | float) or threshold.get("kind") not in ("vectorSimilarity", "searchScore"):
        raise invalid_vector("A threshold needs a kind (vectorSimilarity or searchScore) and a value.")
    return float(value)


def _vector(definition: IndexDefinition, field: Field, raw: Mapping[str, Any], embedder: Embedder) -> Vectors:
    if raw["kind"] == "text":
        return _embed_query(definition, field, raw.get("text"), embedder)
    vector = raw.get("vector")
    if not isinstance(vector, list) or not all(_is_number(each) for each in vector):
        raise invalid_vector(f"'vector' must be a list of numbers, none beyond {LARGEST:g}.")
    if len(vector) != field.dimensions:
        raise invalid_vector(
            f"There's a mismatch in vector dimensions. The vector field '{field.path}', with dimension of "
            f"'{field.dimensions}', expects a length of '{field.dimensions}'. However, the provided vector has a length of "
            f"'{len(vector)}'. Please ensure that the vector length matches the expected length of the vector field."
        )
    return np.array(vector, np.float32)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _embed_query(definition: IndexDefinition, field: Field, text: Any, embedder: Embedder) -> Vectors:
    """The vector of the text by the local model, which serves every kind of vectorizer."""
    if not isinstance(text, str) or not text.strip():
        raise invalid_vector("A vector query of the kind text needs a 'text'.")
    profile = definition.vector_search.profiles[field.vector_profile or ""]
    if profile.vectorizer is None:
        raise invalid_vector(f"The field '{field.path}' does not have a vectorizer defined in its vector profile.")
    vector: Vectors = embedder.embed([text])[0]
    if len(vector) != field.dimensions:
        raise invalid_vector(
            f"The vectorizer of the field '{field.path}' gives {len(vector)} dimensions, the field has {field.dimensions}."
        )
    return vector
