"""Done messages: one for each final record, put after it is saved and marked in it."""

from __future__ import annotations

import json

from .record_store import RecordStore
from .records import Record
from .storage import Queue


class Announcer:
    """Puts done messages on the queue of the setting `DoneQueueName`; without one it does nothing.

    A process that dies between putting and marking puts it again on the next delivery: at least once, as queues are.
    """

    def __init__(self, store: RecordStore, queue: Queue | None) -> None:
        self._store = store
        self._queue = queue

    async def announce(self, record: Record) -> None:
        """Tells that a final record is there, unless that was told. Raises the storage errors."""
        if self._queue is None or record.standing.announced or not record.standing.final:
            return
        message = {"id": record.key.id, "batchId": record.key.batch_id, "status": record.standing.status}
        await self._queue.put(json.dumps(message, separators=(",", ":")))
        # When it has changed meanwhile (erased), the mark is not worth another try.
        await self._store.save_standing(record.standing_as(announced=True))
