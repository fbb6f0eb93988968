"""The last gate: exporters that export only what `schema` lists and the allow-list has passed.

Each builds new records with the SDK's public constructors from what it allows. So a field that nobody thought of cannot
leave: no span of another library, no span event, link, status text, exception, stack or unlisted attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from opentelemetry._logs import LogRecord
from opentelemetry.sdk import metrics
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    DataT,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricExporter,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Status

from .allow_list import SafeStr, Value
from .opentelemetry import SCOPE
from .schema import EVENTS, EXPORTED, METRICS, SPANS

_Point = TypeVar("_Point", NumberDataPoint, HistogramDataPoint)


_NAMES = EXPORTED.keys() | {"_MS.sampleRate"}
"""What is registered, and the number by which Application Insights multiplies sampled spans."""
_OF_THE_INTERVAL: dict[type, AggregationTemporality] = {
    metrics.Counter: AggregationTemporality.DELTA,
    metrics.Histogram: AggregationTemporality.DELTA,
}


class RedactingSpanExporter(SpanExporter):
    """Exports the app's spans, rebuilt, and drops all others."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export the allowed parts of the spans."""
        clean = [span for span in map(_clean_span, spans) if span is not None]
        return self._exporter.export(clean) if clean else SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Shut the exporter down."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the exporter."""
        return self._exporter.force_flush(timeout_millis)


class RedactingLogExporter(LogRecordExporter):
    """Exports the app's events, rebuilt, and drops all other log records."""

    def __init__(self, exporter: LogRecordExporter) -> None:
        self._exporter = exporter

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Export the allowed parts of the records."""
        clean = [record for record in map(_clean_record, batch) if record is not None]
        return self._exporter.export(clean) if clean else LogRecordExportResult.SUCCESS

    def shutdown(self) -> None:
        """Shut the exporter down."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]  # so in the SDK

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the exporter."""
        return self._exporter.force_flush(timeout_millis)


class RedactingMetricExporter(MetricExporter):
    """Exports the app's metrics, rebuilt, and drops all others. Sums are of the interval, as Application Insights counts."""

    def __init__(self, exporter: MetricExporter) -> None:
        super().__init__(preferred_temporality=_OF_THE_INTERVAL)
        self._exporter = exporter

    def export(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: object) -> MetricExportResult:
        """Export the allowed parts of the metrics."""
        resources = [
            ResourceMetrics(row.resource, _clean_scopes(row.scope_metrics), "") for row in metrics_data.resource_metrics
        ]
        return self._exporter.export(MetricsData(resources), timeout_millis)

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        """Flush the exporter."""
        return self._exporter.force_flush(timeout_millis)

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: object) -> None:
        """Shut the exporter down."""
        self._exporter.shutdown(timeout_millis)


def _ours(scope: InstrumentationScope | None) -> bool:
    return scope is not None and scope.name == SCOPE


def _clean_span(span: ReadableSpan) -> ReadableSpan | None:
    row = SPANS.get(span.name)
    if row is None or not _ours(span.instrumentation_scope):
        return None
    return ReadableSpan(
        name=row.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={**_clean(span.attributes), **row.constants},
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=InstrumentationScope(SCOPE),
    )


def _clean_record(record: ReadableLogRecord) -> ReadableLogRecord | None:
    body = record.log_record.body
    row = EVENTS.get(body) if isinstance(body, str) else None
    if row is None or not _ours(record.instrumentation_scope):
        return None
    source = record.log_record
    clean = LogRecord(
        timestamp=source.timestamp,
        observed_timestamp=source.observed_timestamp,
        severity_number=source.severity_number,
        body=row.name,
        attributes=_clean(source.attributes),
    )
    # The constructor would take the span of the exporting thread, but the record has its own.
    clean.trace_id, clean.span_id, clean.trace_flags = source.trace_id, source.span_id, source.trace_flags
    return ReadableLogRecord(clean, record.resource, InstrumentationScope(SCOPE))


def _clean_scopes(scopes: Iterable[ScopeMetrics]) -> list[ScopeMetrics]:
    return [ScopeMetrics(InstrumentationScope(SCOPE), _clean_metrics(row.metrics), "") for row in scopes if _ours(row.scope)]


def _clean_metrics(metrics: Iterable[Metric]) -> list[Metric]:
    clean = []
    for metric in metrics:
        row, data = METRICS.get(metric.name), _clean_data(metric.data)
        if row is not None and data is not None:
            clean.append(Metric(row.name, "", row.unit, data))
    return clean


def _clean_data(data: DataT) -> DataT | None:
    match data:
        case Sum():
            return replace(data, data_points=_clean_points(data.data_points))
        case Histogram():
            return replace(data, data_points=_clean_points(data.data_points))
    return None


def _clean_points(points: Iterable[_Point]) -> list[_Point]:
    return [replace(point, attributes=_clean(point.attributes), exemplars=[]) for point in points]


def _clean(attributes: Mapping[str, object] | None) -> dict[str, Value]:
    """Return the registered attributes; a string only if the allow-list has passed it."""
    return {
        key: value
        for key, value in (attributes or {}).items()
        if key in _NAMES and isinstance(value, bool | int | float | SafeStr)
    }
