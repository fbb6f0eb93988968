"""Telemetry set up: the app's signals, its redactor, and whether it is safe to serve content at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from .admission import Admission
from .log_guard import LogGuard
from .redactors import Redactor
from .secrecy import forget_secrets, remember_secrets
from .signals import AppSignals, quietly

if TYPE_CHECKING:
    from .pipeline import Pipeline


class Telemetry:
    """What the app uses: `signals` for spans, metrics and events, `redactor` for texts, `invocation` around each trigger.

    `unsafe` is true when somebody else exports from this process; content must not be served then (`telemetry_unsafe`).
    """

    def __init__(self, admission: Admission, guard: LogGuard, pipeline: Pipeline | None = None) -> None:
        self.redactor: Redactor = admission.redactor
        self.sensitive = admission.sensitive
        self.unsafe = False
        self.signals = AppSignals(admission, None if pipeline is None else pipeline.sink)
        self._admission = admission
        self._pipeline = pipeline
        self._guard = guard

    @property
    def exporting(self) -> bool:
        """Whether anything is exported."""
        return self._pipeline is not None

    def allow(self, group: str, names: Iterable[str]) -> None:
        """Let these names of the configuration out (`index`, `agent`, `definition`, `route`, `model`,
        `setting`, `field`); a name that nobody allowed leaves as `other`."""
        self._admission.allow(group, names)

    @contextmanager
    def invocation(self, trace_context: object = None, secrets: Iterable[str] = ()) -> Iterator[None]:
        """Around one trigger: joins the host's trace, keeps logs closed, lets none of these secrets (header values) out."""
        quietly(self._guard.apply)
        token = remember_secrets(secrets)
        try:
            with self._joined(trace_context):
                yield
        finally:
            forget_secrets(token)

    def flush(self) -> None:
        """Send what is queued now; at most some seconds."""
        if self._pipeline is not None:
            quietly(self._pipeline.flush)

    def _joined(self, trace_context: object) -> AbstractContextManager[None]:
        if self._pipeline is None or trace_context is None:
            return nullcontext()
        from .trace_context import joined  # heavy: OpenTelemetry

        return joined(trace_context)
