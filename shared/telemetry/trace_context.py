"""Joins our spans to the host's: its trace context comes with the invocation. Imported only while we export."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import Token

from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_PROPAGATOR = TraceContextTextMapPropagator()


def join(trace_context: object) -> Token[Context] | None:
    """From now on spans belong to the trace of the invocation (`context.trace_context` of Azure Functions), until `leave`.

    None when there is nothing to join, or the worker has joined already.
    """
    context = _PROPAGATOR.extract(_carrier(trace_context))
    parent = get_current_span(context).get_span_context()
    present = get_current_span().get_span_context()
    return attach(context) if parent.is_valid and present.trace_id != parent.trace_id else None


def leave(token: Token[Context]) -> None:
    """Back to the trace before."""
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
