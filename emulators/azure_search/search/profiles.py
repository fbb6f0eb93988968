"""Scoring profiles: weights of fields, and functions that raise a score by distance, freshness, magnitude or tags.

Recorded: a distance function with boost b multiplies by 1 + (b - 1) * (1 - distance / boostingDistance).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ServiceError, invalid_parameter
from ..filter.geography import distance, place
from ..schema.definition import IndexDefinition
from ..schema.edm import instant
from ..schema.fieldvalues import values_at
from ..storage.store import Document, DocumentStore

DURATION = re.compile(r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
Parameters = Mapping[str, str]
Strength = Callable[[Document], float]


def read_profile(definition: IndexDefinition, name: str | None) -> Mapping[str, Any]:
    """The profile of that name, the default one for None, {} without any; an unknown name is the service's 400."""
    wanted = name or definition.raw.get("defaultScoringProfile")
    if not wanted:
        return {}
    found = definition.scoring_profiles.get(wanted)
    if found is None:
        message = f"The scoring profile '{wanted}' does not exist in this index definition."
        raise invalid_parameter("scoringProfile", "UnknownScoringProfile", message)
    return found


def read_parameters(texts: Sequence[str]) -> dict[str, str]:
    """`name-values` as the service writes them; a value may itself begin with a minus (`here--122.2,44.8`)."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("-")
        if not sign or not name:
            message = f"The scoring parameter '{text}' must have the form name-value."
            raise invalid_parameter("scoringParameters", "InvalidScoringParameter", message)
        found[name] = value
    return found


def field_weights(profile: Mapping[str, Any]) -> dict[str, float]:
    """The weights of text fields."""
    return {path: float(weight) for path, weight in ((profile.get("text") or {}).get("weights") or {}).items()}


def factors(
    store: DocumentStore, ordinals: Sequence[int], profile: Mapping[str, Any], parameters: Parameters
) -> NDArray[Any]:
    """The factor of each score that the functions of a profile give."""
    functions = profile.get("functions") or []
    if not functions:
        return np.ones(len(ordinals))
    gains = [(float(each["boost"]) - 1, _strength(each, parameters)) for each in functions]
    join = AGGREGATIONS[profile.get("functionAggregation") or "sum"]
    documents = [store.document(ordinal) for ordinal in ordinals]
    return np.array([1 + join([gain * strength(document) for gain, strength in gains]) for document in documents])


def _first(values: list[float]) -> float:
    return next((value for value in values if value), 0.0)


AGGREGATIONS: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum,
    "average": lambda values: math.fsum(values) / len(values),
    "minimum": min,
    "maximum": max,
    "firstMatching": _first,
}


def _strength(function: Mapping[str, Any], parameters: Parameters) -> Strength:
    """How strongly a function speaks for a document, from 0 to 1."""
    kind, path = function["type"], function["fieldName"]
    options = function.get(kind) or {}
    raw = STRENGTHS[kind](options, parameters)
    curve = CURVES[function.get("interpolation") or "linear"] if kind != "tag" else CURVES["linear"]
    return lambda document: max((curve(value) for value in map(raw, values_at(document, path)) if value > 0), default=0.0)


CURVES: dict[str, Callable[[float], float]] = {
    "linear": lambda value: value,
    "constant": lambda value: 1.0,
    "quadratic": lambda value: 1 - (1 - value) ** 2,
    "logarithmic": lambda value: 1 - math.log10(1 + 9 * (1 - value)),
}


def _parameter(parameters: Parameters, name: Any) -> str:
    if name not in parameters:
        message = f"Expected the scoring parameter '{name}' but it was not supplied."
        raise invalid_parameter("scoringParameters", "MissingRequiredParameter", message)
    return parameters[name]


def _by_distance(options: Mapping[str, Any], parameters: Parameters) -> Callable[[Any], float]:
    text = _parameter(parameters, options.get("referencePointParameter"))
    try:
        longitude, latitude = (float(each) for each in text.split(","))
    except ValueError:
        message = f"The scoring parameter '{text}' must be a longitude and a latitude."
        raise invalid_parameter("scoringParameters", "InvalidScoringParameter", message) from None
    reach = float(options["boostingDistance"])
    return lambda value: 1 - distance(place(value), (longitude, latitude)) / reach


def _by_freshness(options: Mapping[str, Any], parameters: Parameters) -> Callable[[Any], float]:
    span, now = _duration(str(options.get("boostingDuration"))), datetime.now(UTC)

    def fresh(value: Any) -> float:
        moment = instant(value)
        if moment is None:
            return 0.0
        age = (now - moment) / span
        return 1 - age if 0 <= age <= 1 else 0.0

    return fresh


def _duration(text: str) -> timedelta:
    found = DURATION.fullmatch(text)
    if not found or not any(found.groups()[1:]):
        raise ServiceError(400, "", f"The duration '{text}' of a scoring function cannot be read.")
    days, hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:])
    size = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -size if found.group(1) else size


def _by_magnitude(options: Mapping[str, Any], parameters: Parameters) -> Callable[[Any], float]:
    start, end = float(options["boostingRangeStart"]), float(options["boostingRangeEnd"])
    beyond = bool(options.get("constantBoostBeyondRange"))

    def large(value: Any) -> float:
        share = (float(value) - start) / (end - start)
        if share > 1:
            return 1.0 if beyond else 0.0
        return max(share, 0.0)

    return large


def _by_tag(options: Mapping[str, Any], parameters: Parameters) -> Callable[[Any], float]:
    tags = {each.strip() for each in _parameter(parameters, options.get("tagsParameter")).split(",")}
    return lambda value: float(value in tags)


STRENGTHS: dict[str, Callable[[Mapping[str, Any], Parameters], Callable[[Any], float]]] = {
    "distance": _by_distance,
    "freshness": _by_freshness,
    "magnitude": _by_magnitude,
    "tag": _by_tag,
}
