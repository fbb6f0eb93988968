"""Sets telemetry up once for a process: closes the logs and, with a connection string, starts the export."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .allow_list import AllowList
from .logging import LogGuard
from .redaction import Erase, Redactor, RedactorUnusable, SafeRedactor, forget_secrets, make_redactor, remember_secrets
from .settings import TelemetrySettings
from .signals import AppSignals, suppress

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

    from .providers import Pipeline


_GETTERS = (
    ("opentelemetry.trace", "get_tracer_provider"),
    ("opentelemetry.metrics", "get_meter_provider"),
    ("opentelemetry._logs", "get_logger_provider"),
)
_OWN_OF_THE_API = ("opentelemetry.trace", "opentelemetry.metrics", "opentelemetry._logs")


def foreign_provider() -> bool:
    """Return whether somebody installed a global OpenTelemetry provider before the app. It would export everything.

    Imports nothing, so that asking costs nothing."""
    return any(_is_foreign(module, getter) for module, getter in _GETTERS if module in sys.modules)


def _is_foreign(module: str, getter: str) -> bool:
    provider = getattr(sys.modules[module], getter)()
    return not type(provider).__module__.startswith(_OWN_OF_THE_API)


# The export libraries read these when they are imported; their defaults would send more.
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
"""infra/ sets the same as app settings, for what is imported before the app."""


def set_switches(environ: MutableMapping[str, str] = os.environ) -> None:
    """Set the switches in `environ`, overriding existing values; each disables one way for data to leave."""
    environ.update(SWITCHES)


class Telemetry:
    """The app's telemetry: `signals` for spans, metrics and events, `redactor` for texts, `invocation` around each trigger.

    `unsafe` is true when somebody else exports from this process; content must not be served then (`telemetry_unsafe`).
    `warnings` are sentences for operators on settings that were not followed.
    """

    def __init__(self, allow_list: AllowList, guard: LogGuard, pipeline: Pipeline | None = None) -> None:
        self.redactor: Redactor = allow_list.redactor
        self.sensitive = allow_list.sensitive
        self.unsafe = False
        self.warnings: tuple[str, ...] = ()
        self.signals = AppSignals(allow_list, None if pipeline is None else pipeline.sink)
        self._allow_list = allow_list
        self._pipeline = pipeline
        self._guard = guard

    @property
    def exporting(self) -> bool:
        """True when signals are exported."""
        return self._pipeline is not None

    def allow(self, group: str, names: Iterable[str]) -> None:
        """Let these names of the configuration out (`index`, `agent`, `definition`, `route`, `model`,
        `setting`, `field`); a name that nobody allowed leaves as `other`."""
        self._allow_list.allow(group, names)

    @contextmanager
    def invocation(self, trace_context: object = None, secrets: Iterable[str] = ()) -> Iterator[None]:
        """Wrap one trigger: join the host's trace, keep the logs closed, cut these secrets (header values) out of texts."""
        suppress(self._guard.apply)
        token = remember_secrets(secrets)
        leave = self._join(trace_context)
        try:
            yield
        finally:
            leave()
            forget_secrets(token)

    def flush(self) -> None:
        """Send the queued signals now; at most some seconds."""
        if self._pipeline is not None:
            suppress(self._pipeline.flush)

    def _join(self, trace_context: object) -> Callable[[], None]:
        """Join the host's trace while the app exports; return the function that leaves it."""
        if self._pipeline is None or trace_context is None:
            return _leave_nothing
        try:
            from .opentelemetry import join_trace, leave_trace  # heavy: OpenTelemetry

            token = join_trace(trace_context)
        except Exception:  # whatever the host hands over: without its trace the call goes on all the same
            return _leave_nothing
        return _leave_nothing if token is None else lambda: suppress(lambda: leave_trace(token))


def _leave_nothing() -> None:
    """No trace was joined."""


class _Process:
    """The objects that exist once in a process: OpenTelemetry takes providers once, log handlers belong to the process."""

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
    allow_list, redactor_problem = _allow_list(settings)
    foreign = _process.pipeline is None and foreign_provider()
    failure = None if foreign else _start(settings, credential)
    telemetry = Telemetry(allow_list, _process.guard, _process.pipeline if settings.connection_string else None)
    telemetry.unsafe = foreign or _process.overtaken
    telemetry.warnings = (f"AiAgents__Telemetry__{redactor_problem} Texts are erased.",) if redactor_problem else ()
    _process.guard.report_to(telemetry.signals)
    _process.guard.install()
    _announce(telemetry, settings, [redactor_problem, failure])
    return telemetry


def _allow_list(settings: TelemetrySettings) -> tuple[AllowList, BaseException | None]:
    try:
        return AllowList(make_redactor(settings), sensitive=settings.sensitive), None
    except RedactorUnusable as problem:
        return AllowList(SafeRedactor(Erase())), problem


def _start(settings: TelemetrySettings, credential: TokenCredential | None) -> BaseException | None:
    """Build and install the pipeline once; return the failure, if any."""
    if not settings.connection_string or _process.pipeline is not None:
        return None
    set_switches()
    try:
        from .providers import Pipeline, azure_exporters  # heavy: the exporters and OpenTelemetry

        pipeline = Pipeline(azure_exporters(settings, credential).behind_gate())
    except Exception as error:  # a broken connection string or library: the app runs without export
        return error
    _process.overtaken = not pipeline.install()
    _process.pipeline = None if _process.overtaken else pipeline
    return None


def _announce(telemetry: Telemetry, settings: TelemetrySettings, problems: list[BaseException | None]) -> None:
    redactor_problem, failure = problems
    send = telemetry.signals.event
    if telemetry.unsafe:
        send("telemetry_unsafe")
    if failure is not None:
        send("telemetry_failed", error_type=failure, error_place=failure)
    if redactor_problem is not None:
        send("telemetry_redactor", error_type=redactor_problem)
    if telemetry.sensitive:
        send("telemetry_sensitive")
    elif settings.enable_sensitive_data:
        send("telemetry_sensitive_refused")
    if telemetry.exporting:
        send("telemetry_started")
