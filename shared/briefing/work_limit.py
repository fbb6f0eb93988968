"""How many writers are at work in the process: as many as the model grants.

Additive increase, multiplicative decrease, as TCP shares a line (RFC 5681): a throttled call halves the places, each call
that succeeds gives a part of one back. So briefings that have begun are finished before others press in.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.answers import ModelThrottled
from shared.retrieval import SearchThrottled

LEAST = 1.0
CUT = 0.5
SECONDS_BETWEEN_CUTS = 1.0
"""Calls that were at work together are throttled together: they are one sign, not many."""


class WorkLimit:
    """Places for work, at most `most` and at least one."""

    def __init__(self, most: int, clock: Callable[[], float] | None = None) -> None:
        self._most = float(most)
        self._places = float(most)
        self._taken = 0
        self._cut_at = float("-inf")
        self._free = asyncio.Condition()
        self._now = clock

    @property
    def places(self) -> int:
        """How many may be at work now."""
        return int(self._places)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Holds a place. What the work raises tells how many there shall be."""
        async with self._free:
            await self._free.wait_for(lambda: self._taken < self.places)
            self._taken += 1
        try:
            yield
        except (ModelThrottled, SearchThrottled):
            self._narrow()
            raise
        else:
            self._places = min(self._most, self._places + 1 / self._places)
        finally:
            self._taken -= 1
            async with self._free:
                self._free.notify_all()

    def _narrow(self) -> None:
        now = asyncio.get_running_loop().time() if self._now is None else self._now()
        if now - self._cut_at >= SECONDS_BETWEEN_CUTS:
            self._cut_at = now
            self._places = max(LEAST, self._places * CUT)
