"""Waiting for temporary faults, as long as the wait fits the deadline of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from shared.retrieval import SYSTEM_CLOCK, Clock, SearchThrottled, TemporaryError

from .errors import DailyLimit, ModelThrottled

T = TypeVar("T")

ASKED_TO_WAIT = (SearchThrottled, ModelThrottled, DailyLimit)
MAX_WAITS = 10
"""For a service that asks to wait and says how long."""
UNASKED_WAITS = 1
"""For everything else: search and storage have repeated it already, and the queue's own waits are longer."""
UNASKED_SECONDS = 1.0
LEAST_SECONDS = 0.1
WORK_SHARE = 0.1
"""The share of the deadline that must be left after a wait, for the work itself."""


class Patience:
    """The time of one run. `clock` is for tests."""

    def __init__(self, seconds: float, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._last_start = clock.now() + seconds * (1 - WORK_SHARE)

    async def attempt(self, work: Callable[[], Awaitable[T]]) -> T:
        """What the work gives; a temporary fault is waited out while that fits. Raises the fault that did not."""
        waits = 0
        while True:
            try:
                return await work()
            except TemporaryError as error:
                wait = error.retry_after or UNASKED_SECONDS
                most = MAX_WAITS if isinstance(error, ASKED_TO_WAIT) else UNASKED_WAITS
                if waits >= most or self._clock.now() + wait > self._last_start:
                    raise
            await self._clock.pause(max(wait, LEAST_SECONDS))
            waits += 1
