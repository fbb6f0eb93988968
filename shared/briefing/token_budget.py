"""The model tokens of a day, counted for the whole app in one blob."""

from __future__ import annotations

import asyncio
import json
import random
from datetime import UTC, datetime, timedelta

from shared.answers import DailyLimit
from shared.retrieval import SYSTEM_CLOCK, Clock

from .errors import StorageUnavailable
from .records import tokens_blob
from .storage import Blobs, NewBlob

MAX_TRIES = 20
LONGEST_PAUSE = 0.2


class DailyTokens:
    """The count of the day (UTC) and its limit. Calls that run when the limit is reached still end, and count."""

    def __init__(self, blobs: Blobs, limit: int, clock: Clock = SYSTEM_CLOCK) -> None:
        self._blobs = blobs
        self._limit = limit
        self._clock = clock
        self._uncounted = 0

    async def require(self) -> None:
        """Returns while tokens are left. Raises `DailyLimit` with the seconds until midnight UTC, and the storage errors."""
        now = self._clock.date().astimezone(UTC)
        used, _ = await self._read(now)
        if used + self._uncounted >= self._limit:
            midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
            raise DailyLimit("the day's model tokens are used up", retry_after=(midnight - now).total_seconds())

    async def add(self, tokens: int) -> None:
        """Counts tokens. What cannot be stored now is counted with the next ones: the answer is paid for and kept."""
        self._uncounted += tokens
        wanted, self._uncounted = self._uncounted, 0
        try:
            await self._store(wanted)
        except StorageUnavailable:
            self._uncounted += wanted

    async def _store(self, tokens: int) -> None:
        for _ in range(MAX_TRIES):
            now = self._clock.date().astimezone(UTC)
            used, etag = await self._read(now)
            blob = _blob(now, used + tokens)
            written = await (self._blobs.create(blob) if etag is None else self._blobs.replace(blob, etag))
            if written is not None:
                return
            # Somebody else counted at the same moment; not all shall come back at the same one.
            await asyncio.sleep(random.uniform(0, LONGEST_PAUSE))
        raise StorageUnavailable("the count of tokens changes all the time")

    async def _read(self, day: datetime) -> tuple[int, str | None]:
        found = await self._blobs.read(tokens_blob(f"{day:%Y-%m-%d}"))
        return (0, None) if found is None else (int(json.loads(found.content)["tokens"]), found.etag)


def _blob(day: datetime, tokens: int) -> NewBlob:
    content = json.dumps({"tokens": tokens}).encode()
    return NewBlob(name=tokens_blob(f"{day:%Y-%m-%d}"), content=content, metadata={})
