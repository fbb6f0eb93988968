"""Waiting for temporary faults, as long as the wait fits the deadline of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from shared.retrieval import SYSTEM_CLOCK, Clock, TemporaryError

T = TypeVar("T")

UNASKED_WAITS = (1.0, 2.0, 4.0)
"""Waits in seconds where the service names none. After these the queue's own, longer ones are better."""
MAX_WAITS = 10
WORK_SHARE = 0.1
"""The share of the deadline that must be left after a wait, for the work itself."""


class Patience:
    """The time of one run. `clock` is for tests."""

    def __init__(self, seconds: float, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._last_start = clock.now() + seconds * (1 - WORK_SHARE)

    async def attempt(self, work: Callable[[], Awaitable[T]]) -> T:
        """What the work gives; a temporary fault is waited out while that fits. Raises the fault that did not."""
        for tried in range(MAX_WAITS):
            try:
                return await work()
            except TemporaryError as error:
                wait = _wait(error, tried)
                if wait is None or self._clock.now() + wait > self._last_start:
                    raise
            await self._clock.pause(wait)
        return await work()


def _wait(error: TemporaryError, tried: int) -> float | None:
    if error.retry_after is not None:
        return max(error.retry_after, 0.1)
    return UNASKED_WAITS[tried] if tried < len(UNASKED_WAITS) else None
