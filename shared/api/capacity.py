"""How many content calls one process works on at once (`AiAgents__MaxConcurrentRequests`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shared.retrieval.concurrency import LONG_BODY_BYTES

from .requests import Request
from .responses import HttpError


class Capacity:
    """A bounded number of places. A call that finds none is refused: a queue would hide the load from the platform.

    Calls that wait for the briefing storage get at most half of the places: while it hangs, searches still find one.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._storage_places = max(1, places // 2)
        self._taken = 0
        self._taken_for_storage = 0

    @asynccontextmanager
    async def place(self, *, for_storage: bool = False) -> AsyncIterator[None]:
        """Holds a place. Raises HttpError 429 with `Retry-After` when there is none."""
        full = self._taken >= self._places or (for_storage and self._taken_for_storage >= self._storage_places)
        if full:
            raise HttpError(429, "too_many_requests", "Too many calls at once; try again soon.", {"Retry-After": "1"})
        self._taken += 1
        self._taken_for_storage += for_storage
        try:
            yield
        finally:
            self._taken -= 1
            self._taken_for_storage -= for_storage


def is_long(request: Request) -> bool:
    """Whether what the request holds may take long to read."""
    return len(request.body) > LONG_BODY_BYTES
