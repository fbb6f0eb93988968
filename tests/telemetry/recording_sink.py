"""A sink that keeps its signals, for tests of the app's signals without OpenTelemetry."""

from __future__ import annotations

from dataclasses import dataclass, field

from shared.telemetry.schema import EventRow, MetricRow, SpanRow
from shared.telemetry.signals import Attributes


@dataclass
class EndedSpan:
    """A span as it ended."""

    name: str
    attributes: Attributes
    failed: bool


@dataclass
class RecordingSink:
    """Keeps spans, measurements and events in order."""

    spans: list[EndedSpan] = field(default_factory=list)
    measured: list[tuple[str, float, Attributes]] = field(default_factory=list)
    events: list[tuple[str, Attributes]] = field(default_factory=list)

    def start(self, row: SpanRow) -> _Running:
        return _Running(row, self)

    def measure(self, row: MetricRow, value: float, attributes: Attributes) -> None:
        self.measured.append((row.name, value, attributes))

    def emit(self, row: EventRow, attributes: Attributes) -> None:
        self.events.append((row.name, attributes))


class FailingSink:
    """Fails on every call, as a broken export would."""

    def start(self, row: SpanRow) -> _Running:
        raise RuntimeError("start")

    def measure(self, row: MetricRow, value: float, attributes: Attributes) -> None:
        raise RuntimeError("measure")

    def emit(self, row: EventRow, attributes: Attributes) -> None:
        raise RuntimeError("emit")


class EndlessSink(RecordingSink):
    """Starts spans that cannot be ended."""

    def start(self, row: SpanRow) -> _Running:
        return _Endless(row, self)


@dataclass
class _Running:
    row: SpanRow
    sink: RecordingSink

    def end(self, attributes: Attributes, *, failed: bool) -> None:
        self.sink.spans.append(EndedSpan(self.row.name, attributes, failed))


class _Endless(_Running):
    def end(self, attributes: Attributes, *, failed: bool) -> None:
        raise RuntimeError("end")
