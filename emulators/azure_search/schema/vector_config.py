"""The vector search part of a definition: profiles, their metric and their vectorizer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from ..errors import invalid_request
from .fields import Field, walk

Metric = Literal["cosine", "euclidean", "dotProduct"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorProfile:
    """How a vector field is searched. `vectorizer` is the declared kind, None without one."""

    name: str
    metric: Metric = "cosine"
    vectorizer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSearch:
    """The profiles by name."""

    profiles: Mapping[str, VectorProfile] = field(default_factory=dict)


def read_vector_search(raw: Mapping[str, Any] | None, fields: tuple[Field, ...]) -> VectorSearch:
    """The `vectorSearch` member of a definition; names that lead nowhere are a 400."""
    raw = raw or {}
    metrics = {str(each.get("name")): _metric(each) for each in raw.get("algorithms") or []}
    vectorizers = {str(each.get("name")): str(each.get("kind")) for each in raw.get("vectorizers") or []}
    profiles = {str(each.get("name")): _profile(each, metrics, vectorizers) for each in raw.get("profiles") or []}
    for each in walk(fields):
        if each.vector_profile is not None and each.vector_profile not in profiles:
            raise invalid_request(
                "index", f"The vector profile '{each.vector_profile}' of the field '{each.path}' is not defined."
            )
    return VectorSearch(profiles=profiles)


def _metric(raw: Mapping[str, Any]) -> Metric:
    kind = raw.get("kind")
    if kind not in ("hnsw", "exhaustiveKnn"):
        raise invalid_request(
            "index", f"The vector algorithm '{raw.get('name')}' must be of the kind hnsw or exhaustiveKnn."
        )
    metric = (raw.get(f"{kind}Parameters") or {}).get("metric") or "cosine"
    if metric not in ("cosine", "euclidean", "dotProduct"):
        raise invalid_request("index", f"The metric '{metric}' is not offered; use cosine, euclidean or dotProduct.")
    return cast(Metric, metric)


def _profile(raw: Mapping[str, Any], metrics: Mapping[str, Metric], vectorizers: Mapping[str, str]) -> VectorProfile:
    name, algorithm, vectorizer = raw.get("name"), raw.get("algorithm"), raw.get("vectorizer")
    if algorithm not in metrics:
        raise invalid_request("index", f"The algorithm '{algorithm}' of the vector profile '{name}' is not defined.")
    if vectorizer is not None and vectorizer not in vectorizers:
        raise invalid_request("index", f"The vectorizer '{vectorizer}' of the vector profile '{name}' is not defined.")
    return VectorProfile(name=str(name), metric=metrics[str(algorithm)], vectorizer=vectorizers.get(vectorizer or ""))
