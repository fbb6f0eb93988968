"""The seam to telemetry: spans, counters, values and events. Without an implementation nothing is recorded.

Names and attributes are those of the app's registry; what may leave the process is decided there, not here.
"""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self


class SpanHandle(Protocol):
    """A span around a `with` block; an exception that leaves the block is recorded by its type."""

    def set(self, **attributes: object) -> None:
        """Add attributes; the later value wins."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        """End."""


class Signals(Protocol):
    """Where retrieval tells what it did. An implementation never raises."""

    def span(self, name: str, **attributes: object) -> SpanHandle:
        """A span that measures its own duration."""

    def count(self, name: str, value: int = 1, **attributes: object) -> None:
        """Add to a counter."""

    def record(self, name: str, value: float, **attributes: object) -> None:
        """Record a value in a histogram."""

    def event(self, name: str, **attributes: object) -> None:
        """Tell operators that something happened."""


class _QuietSpan:
    def set(self, **attributes: object) -> None:
        """Drop them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        """Nothing was begun."""


class _Quiet:
    def span(self, name: str, **attributes: object) -> SpanHandle:
        """A span that records nothing."""
        return _QuietSpan()

    def count(self, name: str, value: int = 1, **attributes: object) -> None:
        """Drop it."""

    def record(self, name: str, value: float, **attributes: object) -> None:
        """Drop it."""

    def event(self, name: str, **attributes: object) -> None:
        """Drop it."""


QUIET: Signals = _Quiet()
"""Signals that go nowhere: the default."""
