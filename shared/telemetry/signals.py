"""The app's signals: spans, metrics and events of `schema`, sent to a sink and, for events, to the log.

Implements the telemetry protocol of `shared.retrieval`. Nothing here raises into the code that calls it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType
from typing import Protocol

from .allow_list import AllowList, Value
from .schema import EVENTS, METRICS, SPANS, EventRow, MetricRow, SpanRow

Attributes = Mapping[str, Value]


class SinkSpan(Protocol):
    """A started span, the parent of later ones until it ends."""

    def end(self, attributes: Attributes, *, failed: bool) -> None:
        """End it with all its attributes."""
        ...


class Sink(Protocol):
    """Exports signals whose attributes the allow-list has passed."""

    def start(self, row: SpanRow) -> SinkSpan:
        """Start a span under the present one."""
        ...

    def measure(self, row: MetricRow, value: float, attributes: Attributes) -> None:
        """Add to a counter or record in a histogram."""
        ...

    def emit(self, row: EventRow, attributes: Attributes) -> None:
        """Send a log record."""
        ...


EVENT_LOGGER = "shared.telemetry.events"

_log = logging.getLogger(EVENT_LOGGER)


class AppSignals:
    """Signals of the app. Without a sink only events go anywhere: to the log."""

    def __init__(self, allow_list: AllowList, sink: Sink | None = None) -> None:
        self._allow_list = allow_list
        self._sink = sink

    def span(self, name: str, **attributes: object) -> AppSpan:
        """A span around a `with` block; more attributes by `set`. An exception that leaves the block is its `error_type`."""
        return AppSpan(self, SPANS.get(name), attributes)

    def count(self, name: str, value: int = 1, **attributes: object) -> None:
        """Add to a counter."""
        self.measure(name, value, attributes)

    def record(self, name: str, value: float, **attributes: object) -> None:
        """Record a value in a histogram."""
        self.measure(name, value, attributes)

    def event(self, name: str, **attributes: object) -> None:
        """Tell operators that something happened, as a log record without content."""
        row = EVENTS.get(name)
        if row is not None:
            suppress(lambda: self._emit(row, attributes, self._sink))

    def log_only(self, name: str, **attributes: object) -> None:
        """Write an event to the log only."""
        row = EVENTS.get(name)
        if row is not None:
            suppress(lambda: self._emit(row, attributes, None))

    def _emit(self, row: EventRow, attributes: dict[str, object], sink: Sink | None) -> None:
        safe = self._allow_list.attributes(row.attributes, attributes)
        words = [row.name, *(f"{key}={value}" for key, value in sorted(safe.items()))]
        _log.log(row.level, "%s", " ".join(words))
        if sink is not None:
            sink.emit(row, safe)

    def start(self, row: SpanRow) -> _Running | None:
        """Start a span in the sink; None without a sink."""
        return None if self._sink is None else _Running(row, self._sink.start(row), perf_counter())

    def end(self, running: _Running, given: dict[str, object]) -> None:
        """End a span and record how long it took."""
        seconds = perf_counter() - running.started
        row = running.row
        running.span.end(self._allow_list.attributes(row.attributes, given), failed=_is_failure(row, given))
        self.measure(row.duration, seconds, given | {"span": row.name})

    def message_of(self, error: BaseException) -> str | None:
        """Return the text of an exception while sensitive data is switched on; else None, without reading it."""
        if not self._allow_list.sensitive:
            return None
        try:
            return str(error)
        except Exception:  # an exception's own text may fail to be made
            return None

    def measure(self, name: str, value: float, attributes: dict[str, object]) -> None:
        """Count or record, with the attributes in a mapping."""
        sink, row = self._sink, METRICS.get(name)
        if sink is not None and row is not None:
            suppress(lambda: sink.measure(row, value, self._allow_list.attributes(row.attributes, attributes)))


class AppSpan:
    """One span. Usable once, as a context manager."""

    __slots__ = ("_given", "_row", "_running", "_signals")

    def __init__(self, signals: AppSignals, row: SpanRow | None, given: dict[str, object]) -> None:
        self._signals = signals
        self._row = row
        self._given = given
        self._running: _Running | None = None

    def set(self, **attributes: object) -> None:
        """Add attributes; the later value wins."""
        self._given.update(attributes)

    def __enter__(self) -> AppSpan:
        suppress(self._start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        running = self._running
        if running is None:
            return
        if error is not None:
            self._given.setdefault("error_type", error)
            self._given.setdefault("error_place", error)
            self._given.setdefault("error_message", self._signals.message_of(error))
        suppress(lambda: self._signals.end(running, self._given))

    def _start(self) -> None:
        if self._row is not None:
            self._running = self._signals.start(self._row)


@dataclass(slots=True)
class _Running:
    row: SpanRow
    span: SinkSpan
    started: float


def suppress(act: Callable[[], object]) -> None:
    """Call `act` and drop its errors, so that a fault of telemetry never fails a request."""
    try:
        act()
    except Exception:  # telemetry must not fail a request, whatever its libraries raise
        _log.debug("telemetry_fault")


def _is_failure(row: SpanRow, given: dict[str, object]) -> bool:
    if given.get("error_type") is None:
        return False
    status = given.get("status")
    return not (row.server and isinstance(status, int) and 400 <= status < 500)
