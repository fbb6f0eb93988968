"""The hold of a run on its record: renewed while it works, given up when somebody else has changed the record.

The record's own last change is the sign of life, and the storage's clock measures its age. No other lock is needed: every
write asks for the ETag of the one before, so of two runs at most one can save.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self, TypeVar

from shared.answers import DailyLimit, ModelThrottled
from shared.retrieval import SYSTEM_CLOCK, Clock, SearchThrottled, TemporaryError

from .errors import StorageUnavailable
from .record_store import RecordStore
from .records import Record

RENEWALS_PER_LEASE = 3
TRUSTED_SHARE = 0.6
"""A hold touched longer ago than this share of the lease is renewed before the writer is called."""


class LostRecord(Exception):
    """Somebody else holds or has finished the record. Stays inside the package."""


class Claim:
    """A running record. Use it as an asynchronous context: inside, the hold is renewed in the background."""

    def __init__(self, store: RecordStore, record: Record, lease_seconds: float) -> None:
        self.record = record
        self._store = store
        self._lease = lease_seconds
        self._touched = time.monotonic()
        self._lost = False
        self._one_at_a_time = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._renewing = asyncio.create_task(self._keep_renewing())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop_renewing()

    async def require(self) -> None:
        """Returns while the record is held for certain; raises `LostRecord`, or the storage errors of a renewal."""
        if time.monotonic() - self._touched > self._lease * TRUSTED_SHARE:
            await self._renew()
        if self._lost:
            raise LostRecord

    async def save(self, record: Record) -> Record:
        """Writes the record in its next standing, as the last act of the hold. Raises `LostRecord` when it cannot be."""
        await self._stop_renewing()
        async with self._one_at_a_time:
            wanted = self._with_etag(record)
            # What a run found out is written with the standing; before that the request in the blob stays as it is.
            saved = await (self._store.save(wanted) if record.standing.final else self._store.save_standing(wanted))
        return saved or await self._saved_after_all(wanted)

    def _with_etag(self, record: Record) -> Record:
        return record.with_etag(self.record.etag)

    async def _saved_after_all(self, wanted: Record) -> Record:
        """A repeated write fails on its own first one, when only the answer to that was lost."""
        found = await self._store.record(wanted.key)
        if found is not None and found.standing == wanted.standing:
            return found
        raise LostRecord

    async def _keep_renewing(self) -> None:
        while not self._lost:
            await asyncio.sleep(self._lease / RENEWALS_PER_LEASE)
            try:
                await self._renew()
            except StorageUnavailable:
                continue  # the next try may do; the guard before each writer call sees how old the hold is

    async def _renew(self) -> None:
        async with self._one_at_a_time:
            began = time.monotonic()
            renewed = await self._store.save_standing(self.record) or await self._renewed_after_all()
            if renewed is None:
                self._lost = True
            else:
                self.record, self._touched = renewed, began

    async def _renewed_after_all(self) -> Record | None:
        """As for saving: the change that stands in the way may be our own, whose answer was lost."""
        found = await self._store.record(self.record.key)
        return found if found is not None and found.standing == self.record.standing else None

    async def _stop_renewing(self) -> None:
        if self._renewing is None:
            return
        # Only between renewals: one that is cut off may have been written, with an ETag that nobody knows.
        async with self._one_at_a_time:
            self._renewing.cancel()
        await asyncio.gather(self._renewing, return_exceptions=True)
        self._renewing = None


# Waiting for temporary faults, as long as the wait fits the deadline of the run.

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
