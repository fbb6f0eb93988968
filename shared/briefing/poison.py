"""The poison queue: what our code never finished handling gets its final record here. Never raises."""

from __future__ import annotations

import asyncio

from shared.retrieval import QUIET, RetrievalError, Signals

from .announcing import Announcer
from .deliveries import Delivery, Outcome
from .errors import InternalFault, StorageUnavailable
from .intake import Intake, Order
from .messages import MAX_QUEUE_BYTES, Unreadable
from .record_store import RecordStore
from .records import Record, now
from .settings import BriefingSettings
from .storage import Queue

REASON = "delivery_failed"
PUT_BACK_SECONDS = 600
"""The wait of a message that could not be marked: as long as the host itself waits after a failure there."""
LOOKS_PER_LEASE = 4
LEASES_WAITED = 3


class PoisonHandler:
    """Marks what reached the poison queue. A handler that raised there would see its message again every ten minutes."""

    def __init__(
        self, settings: BriefingSettings, store: RecordStore, intake: Intake, announcer: Announcer, queue: Queue
    ) -> None:
        self._lease = settings.lease_seconds
        self._store = store
        self._intake = intake
        self._announcer = announcer
        self._queue = queue

    async def handle(self, delivery: Delivery, signals: Signals = QUIET) -> Outcome:
        """What the message's briefing came to; `retrying` when it could not be marked and was put back."""
        signals.event("poison_message", message_bytes=len(delivery.body))
        try:
            return await self._mark(delivery)
        except RetrievalError as error:
            await self._put_back(delivery, signals, error.code)
        except Exception:  # raising here helps nobody and would export the text of whatever it is
            await self._put_back(delivery, signals, InternalFault.code)
        return "retrying"

    async def _mark(self, delivery: Delivery) -> Outcome:
        order = await self._intake.read(delivery.body)
        if isinstance(order, Unreadable):
            await self._intake.reject(delivery, order)
            return "rejected"
        record = await self._settled(order)
        if record is None:
            await self._intake.reject(delivery, order.unreadable("conflict", "$.id", "the id is taken by another content"))
            return "rejected"
        await self._announcer.announce(record)
        return record.standing.status

    async def _settled(self, order: Order) -> Record | None:
        """The record, made final unless a live run holds it; None when the id belongs to another content."""
        for _ in range(LEASES_WAITED * LOOKS_PER_LEASE):
            found = await self._store.record(order.key)
            if found is None:
                if await self._store.claim(order.pointer) != order.pointer:
                    return None
                failed = order.record(order.standing(status="failed", reason=REASON, finished_at=now()))
                saved = await self._store.create(failed)
            elif found.standing.digest != order.digest:
                return None
            elif found.standing.final:
                return found
            elif found.standing.status == "running" and found.quiet_seconds < self._lease + 1:
                # Its process may just have died, which is how messages come here: wait until that would show.
                await asyncio.sleep(self._lease / LOOKS_PER_LEASE)
                continue
            else:
                saved = await self._store.save(_failed(found))
            if saved is not None:
                return saved
        if found is None:
            raise StorageUnavailable("the record changes all the time")
        return found  # a live run, which has a message of its own

    async def _put_back(self, delivery: Delivery, signals: Signals, code: str) -> None:
        signals.event("briefing_retried", error_type=code)
        if len(delivery.body) > MAX_QUEUE_BYTES:
            return
        try:
            await self._queue.put(delivery.body.decode(errors="replace"), delay_seconds=PUT_BACK_SECONDS)
        except RetrievalError as error:
            # Neither blobs nor queue: only the event can tell that a record stayed open.
            signals.event("briefing_retried", error_type=error.code)


def _failed(record: Record) -> Record:
    """The record as failed, for the reason that its last run gave where it could."""
    return record.standing_as(status="failed", reason=record.standing.reason or REASON, finished_at=now())
