"""Time for waits between tries, as a seam: tests count the waits instead of waiting."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Seconds that pass, the date, and a pause."""

    def now(self) -> float:
        """Seconds from an arbitrary start; never goes back."""

    def date(self) -> datetime:
        """The date and time, with its zone."""

    async def pause(self, seconds: float) -> None:
        """Wait that long."""


class _SystemClock:
    def now(self) -> float:
        """Seconds of the machine's monotonic clock."""
        return time.monotonic()

    def date(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)

    async def pause(self, seconds: float) -> None:
        """Sleep in the running loop."""
        await asyncio.sleep(seconds)


SYSTEM_CLOCK: Clock = _SystemClock()
