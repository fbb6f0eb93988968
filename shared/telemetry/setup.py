"""Setting telemetry up, once for the process: logs closed, exporters behind the gate, or nothing at all."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .allow_list import Admission
from .logging import LogGuard
from .redaction import Erase, Guarded, Redactor, RedactorUnusable, forget_secrets, redactor_of, remember_secrets
from .settings import TelemetrySettings
from .signals import AppSignals, quietly

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

    from .pipeline import Pipeline


# Whether somebody else exports from this process: a provider that was installed before us would let everything out.

_GETTERS = (
    ("opentelemetry.trace", "get_tracer_provider"),
    ("opentelemetry.metrics", "get_meter_provider"),
    ("opentelemetry._logs", "get_logger_provider"),
)
_OWN_OF_THE_API = ("opentelemetry.trace", "opentelemetry.metrics", "opentelemetry._logs")


def foreign_provider() -> bool:
    """True when a global provider is set that is not the API's own placeholder. Imports nothing."""
    return any(_is_foreign(module, getter) for module, getter in _GETTERS if module in sys.modules)


def _is_foreign(module: str, getter: str) -> bool:
    provider = getattr(sys.modules[module], getter)()
    return not type(provider).__module__.startswith(_OWN_OF_THE_API)


# Settings of the export libraries, decided here and not by their defaults: they are read when those are imported.

SWITCHES = {
    # Counts of our requests to the ingestion, sent to a Microsoft endpoint; and one metadata probe.
    "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL": "true",
    # The same kind of counts, sent to our own resource.
    "APPLICATIONINSIGHTS_SDKSTATS_DISABLED": "true",
    # A remote switch that could turn features on, offline storage among them.
    "APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED": "true",
    # A metric that carries every resource attribute.
    "APPLICATIONINSIGHTS_OPENTELEMETRY_RESOURCE_METRIC_DISABLED": "true",
    # The default probes an address of virtual machines.
    "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS": "otel",
    # The default would also send W3C baggage, which callers fill, to whatever is called.
    "OTEL_PROPAGATORS": "tracecontext",
    # Automatic spans carry addresses with queries and keys of documents.
    "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": (
        "azure_sdk,django,fastapi,flask,httpx,httpx2,psycopg2,requests,urllib,urllib3,aiohttp_client,openai"
    ),
}
"""infra/ sets the same ones as app settings, for whatever is imported before the app."""


def prepare(environ: MutableMapping[str, str] = os.environ) -> None:
    """Put the switches into the environment, over what stands there: each closes a way out."""
    environ.update(SWITCHES)


# Telemetry set up: the app's signals, its redactor, and whether it is safe to serve content at all.


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
            from .opentelemetry import join_trace, leave_trace  # heavy: OpenTelemetry

            token = join_trace(trace_context)
        except Exception:  # whatever the host hands over: without its trace the call goes on all the same
            return _nothing
        return _nothing if token is None else lambda: quietly(lambda: leave_trace(token))


def _nothing() -> None:
    """There was nothing to join."""


class _Process:
    """What exists once in a process: OpenTelemetry takes providers only once, and handlers are the process's too."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.guard = LogGuard()
        self.pipeline: Pipeline | None = None
        self.overtaken = False
        """Whether somebody installed a provider while ours was being built."""
        self.made: dict[TelemetrySettings, Telemetry] = {}


_process = _Process()


def set_up(settings: TelemetrySettings, *, credential: TokenCredential | None = None) -> Telemetry:
    """The telemetry of these settings; the same object for the same settings, so calling it again does nothing.

    Never raises: without a connection string, or when the export cannot be set up, signals go nowhere. A process exports to
    one place, that of its first settings. `credential` is a synchronous one; in Azure the app's identity is the default.
    """
    with _process.lock:
        telemetry = _process.made.get(settings)
        if telemetry is None:
            telemetry = _process.made[settings] = _make(settings, credential)
        _process.guard.apply()
        return telemetry


def _make(settings: TelemetrySettings, credential: TokenCredential | None) -> Telemetry:
    admission, redactor_problem = _admission(settings)
    foreign = _process.pipeline is None and foreign_provider()
    failure = None if foreign else _start(settings, credential)
    telemetry = Telemetry(admission, _process.guard, _process.pipeline if settings.connection_string else None)
    telemetry.unsafe = foreign or _process.overtaken
    telemetry.warnings = (f"AiAgents__Telemetry__{redactor_problem} Texts are erased.",) if redactor_problem else ()
    _process.guard.report_to(telemetry.signals)
    _process.guard.install()
    _announce(telemetry, settings, [redactor_problem, failure])
    return telemetry


def _admission(settings: TelemetrySettings) -> tuple[Admission, BaseException | None]:
    try:
        return Admission(redactor_of(settings), sensitive=settings.sensitive), None
    except RedactorUnusable as problem:
        return Admission(Guarded(Erase())), problem


def _start(settings: TelemetrySettings, credential: TokenCredential | None) -> BaseException | None:
    """Build and install the pipeline if there is none yet; gives what went wrong."""
    if not settings.connection_string or _process.pipeline is not None:
        return None
    prepare()
    try:
        from .pipeline import Pipeline, azure_exporters  # heavy: the exporters and OpenTelemetry

        pipeline = Pipeline(azure_exporters(settings, credential).gated())
    except Exception as error:  # a broken connection string or library: the app runs without export
        return error
    _process.overtaken = not pipeline.install()
    _process.pipeline = None if _process.overtaken else pipeline
    return None


def _announce(telemetry: Telemetry, settings: TelemetrySettings, problems: list[BaseException | None]) -> None:
    redactor_problem, failure = problems
    say = telemetry.signals.event
    if telemetry.unsafe:
        say("telemetry_unsafe")
    if failure is not None:
        say("telemetry_failed", error_type=failure, error_place=failure)
    if redactor_problem is not None:
        say("telemetry_redactor", error_type=redactor_problem)
    if telemetry.sensitive:
        say("telemetry_sensitive")
    elif settings.enable_sensitive_data:
        say("telemetry_sensitive_refused")
    if telemetry.exporting:
        say("telemetry_started")
