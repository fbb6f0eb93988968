"""Telemetry set up: the app's signals, its redactor, and whether it is safe to serve content at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .allow_list import Admission
from .logging import LogGuard
from .redaction import Redactor
from .secrecy import forget_secrets, remember_secrets
from .signals import AppSignals, quietly

if TYPE_CHECKING:
    from .pipeline import Pipeline


class Telemetry:
    """What the app uses: `signals` for spans, metrics and events, `redactor` for texts, `invocation` around each trigger.

    `unsafe` is true when somebody else exports from this process; content must not be served then (`telemetry_unsafe`).
    `warnings` are sentences for operators on settings that were not followed.
    """

    def __init__(self, admission: Admission, guard: LogGuard, pipeline: Pipeline | None = None) -> None:
        self.redactor: Redactor = admission.redactor
        self.sensitive = admission.sensitive
        self.unsafe = False
        self.warnings: tuple[str, ...] = ()
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
        leave = self._join(trace_context)
        try:
            yield
        finally:
            leave()
            forget_secrets(token)

    def flush(self) -> None:
        """Send what is queued now; at most some seconds."""
        if self._pipeline is not None:
            quietly(self._pipeline.flush)

    def _join(self, trace_context: object) -> Callable[[], None]:
        """Joins the host's trace while we export; gives what ends it again."""
        if self._pipeline is None or trace_context is None:
            return _nothing
        try:
            from . import trace_context as traces  # heavy: OpenTelemetry

            token = traces.join(trace_context)
        except Exception:  # whatever the host hands over: without its trace the call goes on all the same
            return _nothing
        return _nothing if token is None else lambda: quietly(lambda: traces.leave(token))


def _nothing() -> None:
    """There was nothing to join."""
