"""How many content calls one process works on at once (spec 2, `AiAgents__MaxConcurrentRequests`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from .requests import Request
from .responses import HttpError


class Capacity:
    """A bounded number of places. A call that finds none is refused: a queue would hide the load from the platform."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._taken = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Holds a place. Raises HttpError 429 with `Retry-After` when there is none."""
        if self._taken >= self._places:
            raise HttpError(429, "too_many_requests", "Too many calls at once; try again soon.", {"Retry-After": "1"})
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1


# Work on the processor that takes more than about 20 ms goes to a thread, so that other calls go on meanwhile (spec 1).

LONG_BODY_BYTES = 8 * 1024
"""Bodies above this may take that long to read: a list of values in a filter is the slowest thing they can hold."""

Result = TypeVar("Result")


async def away_when(long: bool, work: Callable[[], Result]) -> Result:
    """What `work` gives, done in a thread when it is `long`."""
    return await asyncio.to_thread(work) if long else work()


def is_long(request: Request) -> bool:
    """Whether what the request holds may take long to read."""
    return len(request.body) > LONG_BODY_BYTES
