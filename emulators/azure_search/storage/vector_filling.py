"""Vectors for documents without them, as an indexer with a vectorizer would make them before it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..analysis.embedding import Embedder
from ..schema.definition import IndexDefinition
from ..schema.fields import Field
from ..schema.fieldvalues import values_at


def fields_to_fill(definition: IndexDefinition) -> tuple[Field, ...]:
    """The vector fields at the top of an index whose profile has a vectorizer."""
    profiles = definition.vector_search.profiles
    return tuple(
        field for field in definition.fields if field.vector and profiles[field.vector_profile or ""].vectorizer is not None
    )


def with_vectors(
    definition: IndexDefinition, documents: Sequence[Mapping[str, Any]], embedder: Embedder
) -> list[dict[str, Any]]:
    """The documents, each missing vector made from the texts that describe it."""
    filled = [dict(each) for each in documents]
    for field in fields_to_fill(definition):
        missing = [each for each in filled if each.get(field.name) is None]
        if missing:
            vectors = embedder.embed([text_to_embed(definition, each) for each in missing])
            for each, vector in zip(missing, vectors, strict=True):
                each[field.name] = [round(float(number), 7) for number in vector]
    return filled


def text_to_embed(definition: IndexDefinition, document: Mapping[str, Any]) -> str:
    """The content of the first semantic configuration; without one, every text that a query searches.

    Titles are left out: those of one collection are much alike, and would make all its documents so.
    """
    configuration = next(iter(definition.semantic.by_name.values()), None)
    content = configuration.content if configuration is not None else ()
    paths = content or tuple(field.path for field in definition.searchable if not field.key)
    return ". ".join(str(value) for path in paths for value in values_at(document, path))
