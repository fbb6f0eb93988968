"""Setting telemetry up, once for the process: logs closed, exporters behind the gate, or nothing at all."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .allow_list import Admission
from .environment import prepare
from .logging import LogGuard
from .providers import foreign_provider
from .redaction import Erase, Guarded, RedactorUnusable, redactor_of
from .settings import TelemetrySettings
from .telemetry import Telemetry

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

    from .pipeline import Pipeline


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
