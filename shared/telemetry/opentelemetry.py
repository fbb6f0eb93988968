"""The seam to OpenTelemetry: a sink that hands signals to its providers, and the host's trace joined.

Imported only while the app exports, since OpenTelemetry takes long to import.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import Token

from opentelemetry._logs import LoggerProvider, SeverityNumber
from opentelemetry.context import Context, attach, detach
from opentelemetry.metrics import Counter, Histogram, MeterProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from .schema import METRICS, EventRow, MetricRow, SpanRow
from .signals import Attributes

SCOPE = "shared.telemetry"
"""The instrumentation scope of all our signals: the exporters let no other out."""

_SEVERITIES = {
    20: SeverityNumber.INFO,
    30: SeverityNumber.WARN,
    40: SeverityNumber.ERROR,
}


class OtelSpan:
    """A running span of the app."""

    __slots__ = ("_row", "_span", "_token")

    def __init__(self, row: SpanRow, span: Span) -> None:
        self._row = row
        self._span = span
        self._token: Token[Context] = attach(set_span_in_context(span))

    def end(self, attributes: Attributes, *, failed: bool) -> None:
        """End it. The status carries no description: that would be a text."""
        detach(self._token)
        self._span.set_attributes({**self._row.constants, **attributes})
        if failed:
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


class OtelSink:
    """Spans, metrics and log records by the providers given."""

    def __init__(self, tracers: TracerProvider, meters: MeterProvider, loggers: LoggerProvider) -> None:
        self._tracer = tracers.get_tracer(SCOPE)
        self._logger = loggers.get_logger(SCOPE)
        meter = meters.get_meter(SCOPE)
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        for row in METRICS.values():
            if row.kind == "counter":
                self._counters[row.name] = meter.create_counter(row.name, row.unit)
            else:
                self._histograms[row.name] = meter.create_histogram(row.name, row.unit)

    def start(self, row: SpanRow) -> OtelSpan:
        """Start a span under the present one."""
        kind = SpanKind.CLIENT if row.client else SpanKind.INTERNAL
        span = self._tracer.start_span(row.name, kind=kind, record_exception=False, set_status_on_exception=False)
        return OtelSpan(row, span)

    def measure(self, row: MetricRow, value: float, attributes: Attributes) -> None:
        """Add to the counter or record in the histogram."""
        if row.kind == "counter":
            self._counters[row.name].add(value, dict(attributes))
        else:
            self._histograms[row.name].record(value, dict(attributes))

    def emit(self, row: EventRow, attributes: Attributes) -> None:
        """Send a log record whose body is the event's name."""
        self._logger.emit(
            severity_number=_SEVERITIES[row.level], severity_text=None, body=row.name, attributes=dict(attributes)
        )


_PROPAGATOR = TraceContextTextMapPropagator()


def join_trace(trace_context: object) -> Token[Context] | None:
    """Put spans into the trace of the invocation (`context.trace_context` of Azure Functions), until `leave_trace`.

    Returns None when there is nothing to join, or the worker has joined already.
    """
    context = _PROPAGATOR.extract(_carrier(trace_context))
    parent = get_current_span(context).get_span_context()
    present = get_current_span().get_span_context()
    return attach(context) if parent.is_valid and present.trace_id != parent.trace_id else None


def leave_trace(token: Token[Context]) -> None:
    """Return to the trace before `join_trace`."""
    detach(token)


def _carrier(trace_context: object) -> dict[str, str]:
    """The W3C headers; older versions of azure-functions spell the members with a capital."""
    names = {"traceparent": ("trace_parent", "Traceparent"), "tracestate": ("trace_state", "Tracestate")}
    found = {header: next(_strings(trace_context, members), None) for header, members in names.items()}
    return {header: value for header, value in found.items() if value}


def _strings(source: object, members: tuple[str, ...]) -> Iterator[str]:
    for member in members:
        value = getattr(source, member, None)
        if isinstance(value, str):
            yield value
