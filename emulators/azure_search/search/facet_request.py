"""Facet expressions: `field,count:2,sort:-value` and its kin, checked against the index."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from ..errors import ServiceError, invalid_expression
from ..schema.definition import IndexDefinition
from ..schema.edm import instant
from ..schema.fields import NUMERIC, Field

PERIODS = ("minute", "hour", "day", "week", "month", "quarter", "year")
METRICS = ("sum", "avg", "min", "max", "cardinality")
SORTS = ("count", "-count", "value", "-value")
OFFSET = re.compile(r"([+-])?(\d\d):?(\d\d)")
DEFAULT_COUNT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetRequest:
    """One facet; exactly one of values, ranges, interval, period and metric decides its kind."""

    field: Field
    count: int = DEFAULT_COUNT
    sort: str = "count"
    ranges: tuple[Any, ...] = ()
    interval: float | None = None
    period: str | None = None
    offset: timedelta = timedelta(0)
    metric: str | None = None
    default: float | None = None


def read_facet(definition: IndexDefinition, text: str) -> FacetRequest:
    """The request in a facet expression; a wrong one is the service's 400."""
    path, *rest = (part.strip() for part in text.split(","))
    field = definition.by_path.get(path)
    if field is None:
        raise _facet_error(text, f"Could not find a property named '{path}' on type 'search.document'.")
    if field.complex or not field.facetable:
        raise _facet_error(
            text, f"The field '{path}' is not facetable. Only facetable fields can be used in facet expressions."
        )
    options: dict[str, str] = {}
    for part in rest:
        name, sign, value = part.partition(":")
        if not sign or name in options or name not in READERS:
            raise _facet_error(text, f"'{part}' is no parameter of a facet.")
        options[name] = value
    if len({"values", "interval", "metric"} & options.keys()) > 1 or (
        "values" in options and {"count", "sort"} & options.keys()
    ):
        raise _facet_error(text, "These parameters cannot be combined.")
    found: dict[str, Any] = {"field": field}
    for name, value in options.items():
        found.update(_read(text, name, value, field))
    return FacetRequest(**found)


def _read(text: str, name: str, value: str, field: Field) -> dict[str, Any]:
    try:
        return READERS[name](value, field)  # type: ignore[no-any-return]
    except ValueError:
        raise _facet_error(text, f"The value '{value}' of the parameter '{name}' is not allowed here.") from None


def _facet_error(text: str, why: str) -> ServiceError:
    return invalid_expression("facets", f"{why} Facet: '{text}'.")


def _count(value: str, field: Field) -> dict[str, Any]:
    if not value.isdigit() or int(value) < 1:
        raise ValueError(value)
    return {"count": int(value)}


def _sort(value: str, field: Field) -> dict[str, Any]:
    if value not in SORTS:
        raise ValueError(value)
    return {"sort": value}


def _values(value: str, field: Field) -> dict[str, Any]:
    bounds = tuple(_bound(each, field) for each in value.split("|"))
    if any(left >= right for left, right in pairwise(bounds)):
        raise ValueError(value)
    return {"ranges": bounds}


def _bound(text: str, field: Field) -> Any:
    if field.element in NUMERIC:
        return float(text)
    moment = instant(text) if field.element == "Edm.DateTimeOffset" else None
    if moment is None:
        raise ValueError(text)
    return moment


def _interval(value: str, field: Field) -> dict[str, Any]:
    if field.element in NUMERIC and float(value) > 0:
        return {"interval": float(value)}
    if field.element != "Edm.DateTimeOffset" or value not in PERIODS:
        raise ValueError(value)
    return {"period": value}


def _offset(value: str, field: Field) -> dict[str, Any]:
    found = OFFSET.fullmatch(value)
    if not found:
        raise ValueError(value)
    size = timedelta(hours=int(found.group(2)), minutes=int(found.group(3)))
    return {"offset": -size if found.group(1) == "-" else size}


def _metric(value: str, field: Field) -> dict[str, Any]:
    if value not in METRICS or (value != "cardinality" and field.element not in NUMERIC):
        raise ValueError(value)
    return {"metric": value}


def _default(value: str, field: Field) -> dict[str, Any]:
    return {"default": float(value)}


def _threshold(value: str, field: Field) -> dict[str, Any]:
    # Counting here is exact, so how precise it may be changes nothing; only its range is checked.
    if not value.isdigit() or int(value) > 40_000:
        raise ValueError(value)
    return {}


READERS: dict[str, Any] = {
    "count": _count,
    "sort": _sort,
    "values": _values,
    "interval": _interval,
    "timeoffset": _offset,
    "metric": _metric,
    "default": _default,
    "precisionThreshold": _threshold,
}
