"""Counts of matching documents by value, range, interval or metric; a document counts once per bucket, nulls never."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from ..schema.edm import date_text, instant
from ..schema.fields import NUMERIC
from ..schema.fieldvalues import values_at
from ..storage.store import DocumentStore
from .facet_request import FacetRequest

Bucket = dict[str, Any]


def facets(store: DocumentStore, ordinals: Sequence[int], requests: Iterable[FacetRequest]) -> dict[str, list[Bucket]]:
    """The buckets of every facet by field, several of one field in sequence."""
    found: dict[str, list[Bucket]] = {}
    for request in requests:
        path = request.field.path
        column = store.remember(("facet", path), lambda path=path: [values_at(each or {}, path) for each in store.documents])  # type: ignore[misc]
        found.setdefault(path, []).extend(_buckets(request, [column[each] for each in ordinals]))
    return found


def _buckets(request: FacetRequest, lists: list[list[Any]]) -> list[Bucket]:
    if request.metric:
        return [_metric(request, [value for each in lists for value in each])]
    if request.ranges:
        return _ranges(request, lists)
    if request.interval is not None or request.period is not None:
        return _intervals(request, lists)
    return _values(request, lists)


def _values(request: FacetRequest, lists: list[list[Any]]) -> list[Bucket]:
    counts = Counter(value for each in lists for value in dict.fromkeys(each))
    by_value = sorted(counts.items(), key=lambda item: item[0], reverse=request.sort == "-value")
    if request.sort in ("count", "-count"):
        by_value.sort(key=lambda item: item[1], reverse=request.sort == "count")
    return [{"count": count, "value": value} for value, count in by_value[: request.count]]


def _ranges(request: FacetRequest, lists: list[list[Any]]) -> list[Bucket]:
    dated = request.field.element == "Edm.DateTimeOffset"
    bounds = [None, *request.ranges, None]
    found = []
    for low, high in pairwise(bounds):
        bucket: Bucket = {"count": sum(any(_between(_moment(v, dated), low, high) for v in each) for each in lists)}
        if low is not None:
            bucket["from"] = _format_bound(low)
        if high is not None:
            bucket["to"] = _format_bound(high)
        found.append(bucket)
    return found


def _moment(value: Any, dated: bool) -> Any:
    return instant(value) if dated else value


def _between(value: Any, low: Any, high: Any) -> bool:
    return (low is None or value >= low) and (high is None or value < high)


def _format_bound(bound: Any) -> Any:
    """Bounds that are dates are spelled with milliseconds and a zone of four digits, as recorded."""
    return (
        bound.strftime("%Y-%m-%dT%H:%M:%S.") + f"{bound.microsecond // 1000:03d}+0000"
        if isinstance(bound, datetime)
        else bound
    )


def _intervals(request: FacetRequest, lists: list[list[Any]]) -> list[Bucket]:
    counts = Counter(start for each in lists for start in dict.fromkeys(_start(request, value) for value in each))
    return [{"count": count, "value": value} for value, count in sorted(counts.items())]


def _start(request: FacetRequest, value: Any) -> Any:
    if request.interval is not None:
        start = math.floor(value / request.interval) * request.interval
        return int(start) if request.field.element in NUMERIC - {"Edm.Double"} and start == int(start) else start
    moment = instant(value)
    if moment is None:
        raise ValueError("a stored date-time cannot be read")
    return date_text(_period_start(moment + request.offset, request.period or "") - request.offset)


def _period_start(moment: datetime, period: str) -> datetime:
    day = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    match period:
        case "minute":
            return moment.replace(second=0, microsecond=0)
        case "hour":
            return moment.replace(minute=0, second=0, microsecond=0)
        case "week":
            return day - timedelta(days=(day.weekday() + 1) % 7)
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1)
        case "year":
            return day.replace(day=1, month=1)
    return day


def _metric(request: FacetRequest, values: list[Any]) -> Bucket:
    name = request.metric or ""
    if name == "cardinality":
        return {"cardinality": len(set(values))}
    if not values:
        return {name: request.default}
    total = math.fsum(values) if name == "avg" else sum(values)
    found = {"sum": total, "avg": total / len(values), "min": min(values), "max": max(values)}
    return {name: found[name]}
