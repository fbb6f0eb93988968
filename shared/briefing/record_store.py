"""Pointers, records, stored requests and rejections over the blobs: each write is one blob, under one condition."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from .errors import StorageUnavailable
from .records import Record, RecordKey, deleted_batch_blob, pointer_blob, request_blob
from .storage import Blobs, NewBlob, Queue

MARK = {"layout": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """Where the record of an id is, and the digest of the content that took the id; none for one that was erased."""

    id: str
    batch_id: str
    digest: str

    @property
    def erased(self) -> bool:
        """Whether the content of the id was erased."""
        return not self.digest

    @property
    def key(self) -> RecordKey:
        """The place of the record."""
        return RecordKey(batch_id=self.batch_id, id=self.id)

    def blob(self) -> NewBlob:
        """The pointer as it is stored."""
        content = json.dumps({"batchId": self.batch_id, "digest": self.digest})
        return NewBlob(name=pointer_blob(self.id), content=content.encode(), metadata=MARK)

    @classmethod
    def from_content(cls, briefing_id: str, content: bytes) -> Self:
        """The pointer in a blob."""
        members = json.loads(content)
        return cls(id=briefing_id, batch_id=members["batchId"], digest=members["digest"])


class RecordStore:
    """The records of one container. Every method raises the storage errors of `Blobs`."""

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs

    async def pointer(self, briefing_id: str) -> Pointer | None:
        """The pointer of an id, or None when nobody has taken it."""
        blob = await self.blobs.read(pointer_blob(briefing_id))
        return None if blob is None else Pointer.from_content(briefing_id, blob.content)

    async def claim(self, pointer: Pointer) -> Pointer:
        """Takes an id; gives the pointer that holds it, which is another one when somebody was first."""
        return await self.take(pointer) or pointer

    async def take(self, pointer: Pointer) -> Pointer | None:
        """Takes an id that nobody has, which therefore has no record; gives the pointer of somebody who was first."""
        if await self.blobs.create(pointer.blob()) is not None:
            return None
        held = await self.pointer(pointer.id)
        if held is None:  # deleted by the retention rule between the two calls
            raise StorageUnavailable("the briefing storage changed meanwhile")
        return held

    async def record(self, key: RecordKey) -> Record | None:
        """The record at a place, or None."""
        blob = await self.blobs.read(key.blob)
        return None if blob is None else Record.from_blob(key, blob)

    async def create(self, record: Record) -> Record | None:
        """Writes a record that must not exist; None when it does."""
        etag = await self.blobs.create(record.blob())
        return None if etag is None else replace(record, etag=etag)

    async def save(self, record: Record) -> Record | None:
        """Writes the whole record over the one with its ETag; None when that has changed."""
        etag = await self.blobs.replace(record.blob(), _etag(record))
        return None if etag is None else replace(record, etag=etag)

    async def save_standing(self, record: Record) -> Record | None:
        """Writes the standing alone; None when the record has changed."""
        etag = await self.blobs.annotate(record.key.blob, record.standing.metadata(), _etag(record))
        return None if etag is None else replace(record, etag=etag)

    async def keep_request(self, briefing_id: str, parameters: Mapping[str, Any]) -> None:
        """Stores the parameters of a request too big for a message; they never change for an id."""
        content = json.dumps(parameters, ensure_ascii=False).encode()
        await self.blobs.create(NewBlob(name=request_blob(briefing_id), content=content, metadata=MARK))

    async def kept_request(self, briefing_id: str) -> Any:
        """The stored parameters of an id, or None."""
        blob = await self.blobs.read(request_blob(briefing_id))
        return None if blob is None else json.loads(blob.content)

    async def forget_request(self, briefing_id: str) -> None:
        """Deletes the stored parameters of an id, if there are any."""
        await self.blobs.delete(request_blob(briefing_id))

    async def forget_digest(self, briefing_id: str) -> None:
        """Takes the digest of the content out of the pointer of an id, which stays taken."""
        blob = await self.blobs.read(pointer_blob(briefing_id))
        if blob is None:
            return
        emptied = replace(Pointer.from_content(briefing_id, blob.content), digest="")
        # Only an erasure changes a pointer, so one that changed meanwhile is emptied already.
        await self.blobs.replace(emptied.blob(), blob.etag)

    async def mark_deleted(self, batch_id: str) -> None:
        """Marks a batch as deleted."""
        await self.blobs.create(NewBlob(name=deleted_batch_blob(batch_id), content=b"{}", metadata=MARK))

    async def is_deleted(self, batch_id: str) -> bool:
        """Whether a batch was deleted."""
        return await self.blobs.read(deleted_batch_blob(batch_id)) is not None


def _etag(record: Record) -> str:
    if record.etag is None:
        raise ValueError("a record is saved over the one that was read")
    return record.etag


# Done messages: one for each final record, put after it is saved and marked in it.


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
