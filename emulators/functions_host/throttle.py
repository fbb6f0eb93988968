"""`extensions.http`: how many calls run at once, and how many may wait before the host answers 429."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator


class TooManyRequests(Exception):
    """maxOutstandingRequests is reached: an empty 429."""


class Throttle:
    """Counts the calls of HTTP functions; None is no limit."""

    def __init__(self, outstanding: int | None, concurrent: int | None) -> None:
        self._most = outstanding
        self._outstanding = 0
        self._running = asyncio.Semaphore(concurrent) if concurrent else None

    @contextlib.asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Waits for its turn; raises `TooManyRequests` when too many are there already."""
        if self._most is not None and self._outstanding >= self._most:
            raise TooManyRequests
        self._outstanding += 1
        try:
            async with self._running or contextlib.nullcontext():
                yield
        finally:
            self._outstanding -= 1
