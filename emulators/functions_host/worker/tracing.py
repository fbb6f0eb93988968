"""The trace of the host made current for a call, as the real worker does when a setting asks for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from ..invocations import Trace

SWITCHES = ("PYTHON_ENABLE_OPENTELEMETRY", "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY")


def is_on(environment: Mapping[str, str]) -> bool:
    """True when one of the worker's settings asks for it."""
    return any(environment.get(name, "").casefold() in ("true", "1") for name in SWITCHES)


@contextlib.contextmanager
def attach(trace: Trace) -> Iterator[None]:
    """The caller's spans become parents of the function's; nothing happens without a trace."""
    if not trace.parent:
        yield
        return
    # Only an app that asks for OpenTelemetry has it installed.
    from opentelemetry import context, propagate

    token = context.attach(propagate.extract({"traceparent": trace.parent, "tracestate": trace.state}))
    try:
        yield
    finally:
        context.detach(token)
