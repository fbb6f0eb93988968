"""The app's events in the log, for tests: `with EventLines() as lines: …; lines.lines`."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Self

from shared.telemetry.signals import EVENT_LOGGER


class EventLines(logging.Handler):
    """Keeps level and message of each event while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.getMessage()}")

    def __enter__(self) -> Self:
        logging.getLogger(EVENT_LOGGER).addHandler(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        logging.getLogger(EVENT_LOGGER).removeHandler(self)
