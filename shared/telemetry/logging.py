"""Closes the logs: a library's line may hold a query, a document or a key, and the Functions worker forwards every line.

Only the app's events, which the allow-list has passed, and the worker's own lines are written. For a library's warning or
error an event tells the operator the library, the severity, the class of the exception and the place that raised it.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable

from .signals import EVENT_LOGGER, AppSignals

PASSING = ("azure_functions", "emulators", "shared.retrieval.context", EVENT_LOGGER)
"""Loggers that write no content: the Functions worker, the development host in its place, the context provider (its own
options redact its texts) and the app's events."""

EXPORT_LOGGERS = ("opentelemetry.", "azure.monitor.")
EXPORT_THREADS = "Otel"
"""The SDK's name for its export threads. Whatever a library logs there is about the export."""
QUIET_SECONDS = 60.0
"""While the ingestion cannot be reached, each batch makes a line: one line in this time is enough."""


class ContentFree(logging.Filter):
    """Passes only records of loggers that write no content."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record may be written."""
        return passes(record.name)


class RedactedLogHandler(logging.Handler):
    """Sends an event in place of a library's warning or error, without its text."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self.signals: AppSignals | None = None
        self._clock = clock
        self._last_trouble: float | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Send the event, unless the record is written anyway. Faults of the export go to the log only, since to export them
        would make more of them."""
        error = record.exc_info[1] if record.exc_info else None
        if passes(record.name):
            return
        if record.name.startswith(EXPORT_LOGGERS) or (record.threadName or "").startswith(EXPORT_THREADS):
            self._report_trouble(record.levelname, error)
        else:
            self.report(record.name, record.levelname, error)

    def _report_trouble(self, severity: str, error: BaseException | None) -> None:
        now = self._clock()
        if self.signals is not None and (self._last_trouble is None or now - self._last_trouble >= QUIET_SECONDS):
            self._last_trouble = now
            self.signals.log_only("telemetry_export", severity=severity, error_type=error)

    def report(self, logger: str, severity: str, error: BaseException | None) -> None:
        """Send the event."""
        if self.signals is not None:
            self.signals.event(
                "log_withheld", library=library(logger), severity=severity, error_type=error, error_place=error
            )


class LogGuard:
    """Keeps every handler of the process closed. `apply` again after handlers may have been added."""

    def __init__(self) -> None:
        self._filter = ContentFree()
        self._handler = RedactedLogHandler()

    def apply(self) -> None:
        """Add the filter to the handlers that lack it."""
        root = logging.getLogger()
        if self._handler not in root.handlers:
            root.addHandler(self._handler)
        for handler in _handlers():
            if handler is not self._handler and self._filter not in handler.filters:
                handler.addFilter(self._filter)

    def install(self) -> None:
        """Close handlers, warnings and the hooks that print exceptions of threads and finalizers."""
        self.apply()
        logging.captureWarnings(True)
        if threading.excepthook is threading.__excepthook__:
            threading.excepthook = self._report_thread
        if sys.unraisablehook is sys.__unraisablehook__:
            sys.unraisablehook = self._report_unraisable

    def report_to(self, signals: AppSignals) -> None:
        """Send the events to these signals."""
        self._handler.signals = signals

    def _report_thread(self, args: threading.ExceptHookArgs) -> None:
        self._handler.report("threading", "ERROR", args.exc_value)

    def _report_unraisable(self, args: sys.UnraisableHookArgs) -> None:
        self._handler.report("gc", "ERROR", args.exc_value)


def passes(name: str) -> bool:
    """Return whether a logger of this name writes no content."""
    return any(name == passing or name.startswith((f"{passing}.", f"{passing}_")) for passing in PASSING)


def library(name: str) -> str:
    """Return the package that a logger is named after."""
    return "warnings" if name == "py.warnings" else name.partition(".")[0]


def _handlers() -> Iterable[logging.Handler]:
    yield from logging.getLogger().handlers
    for logger in list(logging.root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger) and logger.handlers and not passes(logger.name):
            yield from logger.handlers
