"""Signals that remember what they were told."""

from __future__ import annotations

from collections.abc import ItemsView
from types import TracebackType
from typing import Any, Self


class RecordedSpan:
    """A span that keeps its attributes."""

    def __init__(self, attributes: dict[str, object]) -> None:
        self._attributes = attributes

    def set(self, **attributes: object) -> None:
        """Keep them."""
        self._attributes.update(attributes)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self._attributes["error"] = kind


class Recorder:
    """Every span, count, value and event, in order."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, dict[str, object]]] = []
        self.counts: list[tuple[str, float, dict[str, object]]] = []
        self.events: list[tuple[str, dict[str, object]]] = []

    def span(self, name: str, **attributes: object) -> RecordedSpan:
        """A span that is kept."""
        self.spans.append((name, attributes))
        return RecordedSpan(attributes)

    def count(self, name: str, value: int = 1, **attributes: object) -> None:
        """Keep it."""
        self.counts.append((name, value, attributes))

    def record(self, name: str, value: float, **attributes: object) -> None:
        """Keep it."""
        self.counts.append((name, value, attributes))

    def event(self, name: str, **attributes: object) -> None:
        """Keep it."""
        self.events.append((name, attributes))

    def attributes(self, name: str) -> ItemsView[str, Any]:
        """The attributes of the first span of that name."""
        return next(attributes for span, attributes in self.spans if span == name).items()
