"""A definition as the service writes it back: attributes spelled out, absent members null or empty.

The real service also writes each unset attribute of a field as null; those are left out here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .definition import IndexDefinition
from .fields import Field

OPTIONAL = [
    "analyzer",
    "searchAnalyzer",
    "indexAnalyzer",
    "normalizer",
    "synonymMaps",
    "dimensions",
    "vectorSearchProfile",
    "stored",
    "permissionFilter",
]
EMPTY_LISTS = ["scoringProfiles", "suggesters", "analyzers", "normalizers", "tokenizers", "tokenFilters", "charFilters"]
BM25 = {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": None, "b": None}


def etag(value: Mapping[str, Any]) -> str:
    """A tag that changes with the definition."""
    return '"0x' + hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:15].upper() + '"'


def definition_json(definition: IndexDefinition) -> dict[str, Any]:
    """The body that describes an index."""
    raw = definition.raw
    body: dict[str, Any] = {
        "@odata.etag": etag(raw),
        "name": definition.name,
        "defaultScoringProfile": raw.get("defaultScoringProfile"),
        "fields": _fields(definition.fields, raw["fields"]),
    }
    for name in EMPTY_LISTS:
        body[name] = raw.get(name) or []
    for name in ("description", "permissionFilterOption"):
        if raw.get(name) is not None:
            body[name] = raw[name]
    body["corsOptions"] = raw.get("corsOptions")
    body["encryptionKey"] = None
    body["similarity"] = raw.get("similarity") or BM25
    body["semantic"] = raw.get("semantic")
    body["vectorSearch"] = raw.get("vectorSearch")
    return body


def _fields(fields: tuple[Field, ...], raw: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_field(field, source) for field, source in zip(fields, raw, strict=True)]


def _field(field: Field, raw: Mapping[str, Any]) -> dict[str, Any]:
    if field.complex:
        return {"name": field.name, "type": field.type, "fields": _fields(field.fields, raw["fields"])}
    body: dict[str, Any] = {
        "name": field.name,
        "type": field.type,
        "searchable": field.searchable,
        "filterable": field.filterable,
        "retrievable": field.retrievable,
        "sortable": field.sortable,
        "facetable": field.facetable,
        "key": field.key,
    }
    return {**body, **{name: raw[name] for name in OPTIONAL if raw.get(name) is not None}}
