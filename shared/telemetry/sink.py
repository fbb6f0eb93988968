"""Where signals go: the seam between the app's own signals and whatever exports them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from .allow_list import Value
from .schema import EventRow, MetricRow, SpanRow

Attributes = Mapping[str, Value]


class SinkSpan(Protocol):
    """A span that was started and is the parent of what follows, until it ends."""

    def end(self, attributes: Attributes, *, failed: bool) -> None:
        """End it with all its attributes."""
        ...


class Sink(Protocol):
    """Takes signals whose attributes were admitted."""

    def start(self, row: SpanRow) -> SinkSpan:
        """Start a span under the present one."""
        ...

    def measure(self, row: MetricRow, value: float, attributes: Attributes) -> None:
        """Add to a counter or record in a histogram."""
        ...

    def emit(self, row: EventRow, attributes: Attributes) -> None:
        """Send a log record."""
        ...
