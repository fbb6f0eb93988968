"""The `context` that a function may ask for, filled as the real Python worker fills it.

`azure.functions` does not export its abstract trace and retry contexts; the real worker does not derive from them either.
"""

from __future__ import annotations

import threading
from typing import Any, cast

import azure.functions as func

from ..invocations import Invocation, Trace


class TraceContext:
    """The trace of the call: empty texts when host telemetry is off."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @property
    def trace_parent(self) -> str:
        """The W3C `traceparent` of the host's span."""
        return self._trace.parent

    @property
    def trace_state(self) -> str:
        """The caller's `tracestate`."""
        return self._trace.state

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of the host's span."""
        return dict(self._trace.attributes)


class RetryContext:
    """The retry context of a function without a retry policy."""

    @property
    def retry_count(self) -> int:
        """Always 0."""
        return 0

    @property
    def max_retry_count(self) -> int:
        """Always 0."""
        return 0

    @property
    def exception(self) -> Any:
        """Always None."""
        return None


class Context(func.Context):
    """The value of a parameter named `context`."""

    def __init__(self, invocation: Invocation, directory: str) -> None:
        self._invocation = invocation
        self._directory = directory
        self._storage = threading.local()

    @property
    def invocation_id(self) -> str:
        """A new UUID for each call."""
        return self._invocation.id

    @property
    def thread_local_storage(self) -> type[threading.local]:
        """Where threads of the function keep the invocation id for their logs."""
        return cast("type[threading.local]", self._storage)

    @property
    def function_name(self) -> str:
        """The name the function is registered with."""
        return self._invocation.function

    @property
    def function_directory(self) -> str:
        """The app's folder."""
        return self._directory

    @property
    def trace_context(self) -> Any:
        """The trace of the call."""
        return TraceContext(self._invocation.trace)

    @property
    def retry_context(self) -> Any:
        """Present on every call, though nothing is retried."""
        return RetryContext()
