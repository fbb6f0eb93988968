"""The poison queue: what our code never finished handling gets its final record here. Never raises."""

from __future__ import annotations

import asyncio

from shared.retrieval import RetrievalError

from .deliveries import Delivery, Outcome
from .errors import InternalFault
from .jobs import Order
from .messages import MAX_QUEUE_BYTES, Unreadable
from .records import Record, now
from .storage import Queue
from .worker import Workshop

REASON = "delivery_failed"
PUT_BACK_SECONDS = 600
"""The wait of a message that could not be marked: as long as the host itself waits after a failure there."""
LOOKS_PER_LEASE = 4
LEASES_WAITED = 2
LEAST_WAIT = 2.0


class PoisonHandler:
    """Marks what reached the poison queue. A handler that raised there would see its message again every ten minutes."""

    def __init__(self, workshop: Workshop, queue: Queue) -> None:
        self._lease = workshop.settings.lease_seconds
        self._store = workshop.store
        self._intake = workshop.intake
        self._announcer = workshop.announcer
        self._signals = workshop.signals
        self._queue = queue

    async def handle(self, delivery: Delivery) -> Outcome:
        """What the message's briefing came to; `retrying` when it could not be marked and was put back."""
        self._signals.event("poison_message", message_bytes=len(delivery.body))
        try:
            return await self._mark(delivery)
        except RetrievalError as error:
            await self._put_back(delivery, error.code)
        except Exception:  # raising here helps nobody and would export the text of whatever it is
            await self._put_back(delivery, InternalFault.code)
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
        waited, pause = 0.0, self._lease / LOOKS_PER_LEASE
        while True:
            found = await self._store.record(order.key)
            if found is not None and found.standing.digest != order.digest:
                return None
            if found is not None and found.is_alive(self._lease) and waited <= LEASES_WAITED * self._lease + LEAST_WAIT:
                # Its process may just have died, which is how messages come here: wait until that would show.
                await asyncio.sleep(pause)
                waited += pause
                continue
            if found is not None and (found.standing.final or found.is_alive(self._lease)):
                return found  # a live run has a message of its own
            if found is None and await self._store.claim(order.pointer) != order.pointer:
                return None
            saved = await (self._store.save(_failed(found)) if found else self._store.create(_first(order)))
            if saved is not None:
                return saved

    async def _put_back(self, delivery: Delivery, code: str) -> None:
        self._signals.event("briefing_retried", error_type=code)
        if len(delivery.body) > MAX_QUEUE_BYTES:
            return
        try:
            await self._queue.put(delivery.body.decode(errors="replace"), delay_seconds=PUT_BACK_SECONDS)
        except RetrievalError as error:
            # Neither blobs nor queue: only the event can tell that a record stayed open.
            self._signals.event("briefing_retried", error_type=error.code)


def _failed(record: Record) -> Record:
    """The record as failed, for the reason that its last run gave where it could."""
    return record.standing_as(status="failed", reason=record.standing.reason or REASON, finished_at=now())


def _first(order: Order) -> Record:
    """The record of a message that no run ever began."""
    return order.record(order.standing(status="failed", reason=REASON, finished_at=now()))
