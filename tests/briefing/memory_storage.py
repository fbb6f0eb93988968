"""Blobs and queues in memory, with the conditions of the real ones; `test_storage.py` holds both to the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from shared.briefing import Storage
from shared.briefing.storage import LIST_PAGE, Blob, BlobEntry, BlobPage, NewBlob


@dataclass
class MemoryBlobs:
    """A container. `calls` counts what a real one would be asked; `clock` is its own time."""

    blobs: dict[str, Blob] = field(default_factory=dict)
    calls: int = 0
    lag_seconds: float = 0.0
    _etags: count[int] = field(default_factory=lambda: count(1))

    def _now(self) -> datetime:
        return datetime.fromtimestamp(datetime.now(UTC).timestamp() + self.lag_seconds, UTC)

    def _put(self, blob: NewBlob) -> str:
        etag = f'"{next(self._etags)}"'
        now = self._now()
        self.blobs[blob.name] = Blob(
            name=blob.name, content=blob.content, metadata=dict(blob.metadata), etag=etag, modified=now, read_at=now
        )
        return etag

    async def read(self, name: str) -> Blob | None:
        """The blob, or None when there is none."""
        self.calls += 1
        found = self.blobs.get(name)
        if found is None:
            return None
        return Blob(
            name=name,
            content=found.content,
            metadata=dict(found.metadata),
            etag=found.etag,
            modified=found.modified,
            read_at=self._now(),
        )

    async def create(self, blob: NewBlob) -> str | None:
        """Writes a blob that must not exist."""
        self.calls += 1
        return None if blob.name in self.blobs else self._put(blob)

    async def replace(self, blob: NewBlob, etag: str) -> str | None:
        """Writes a blob that must still have this ETag."""
        self.calls += 1
        found = self.blobs.get(blob.name)
        return self._put(blob) if found is not None and found.etag == etag else None

    async def annotate(self, name: str, metadata: Mapping[str, str], etag: str) -> str | None:
        """Writes the metadata alone, under the same condition."""
        self.calls += 1
        found = self.blobs.get(name)
        if found is None or found.etag != etag:
            return None
        return self._put(NewBlob(name=name, content=found.content, metadata=metadata))

    async def delete(self, name: str) -> None:
        """Deletes a blob, if there is one."""
        self.calls += 1
        self.blobs.pop(name, None)

    async def list_page(self, prefix: str, *, marker: str | None = None, size: int = LIST_PAGE) -> BlobPage:
        """One page of the blobs whose names begin so."""
        self.calls += 1
        found = sorted(name for name in self.blobs if name.startswith(prefix) and name > (marker or ""))
        page = [self.blobs[name] for name in found[:size]]
        entries = tuple(
            BlobEntry(name=blob.name, metadata=dict(blob.metadata), etag=blob.etag, modified=blob.modified) for blob in page
        )
        return BlobPage(entries=entries, marker=page[-1].name if len(found) > size else None)

    async def check(self) -> None:
        """Always reached."""

    async def close(self) -> None:
        """Nothing to end."""


@dataclass
class MemoryQueue:
    """A queue for putting: the texts, in order, and the delay of each."""

    texts: list[str] = field(default_factory=list)
    delays: list[int] = field(default_factory=list)

    async def put(self, text: str, *, delay_seconds: int = 0) -> None:
        """Puts a message."""
        self.texts.append(text)
        self.delays.append(delay_seconds)

    async def check(self) -> None:
        """Always reached."""

    async def close(self) -> None:
        """Nothing to end."""


@dataclass
class MemoryStorage:
    """Storage in memory, with its parts at hand."""

    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    queue: MemoryQueue = field(default_factory=MemoryQueue)
    poison: MemoryQueue = field(default_factory=MemoryQueue)
    done: MemoryQueue = field(default_factory=MemoryQueue)

    @property
    def storage(self) -> Storage:
        """As briefings take it."""
        return Storage(blobs=self.blobs, queue=self.queue, poison=self.poison, done=self.done)
