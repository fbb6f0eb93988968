"""How many content calls one process works on at once (`AiAgents__MaxConcurrentRequests`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shared.retrieval.concurrency import LONG_BODY_BYTES

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


def is_long(request: Request) -> bool:
    """Whether what the request holds may take long to read."""
    return len(request.body) > LONG_BODY_BYTES
