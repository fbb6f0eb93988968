"""What briefings need of blobs and queues: two narrow seams, and the values that pass them.

`blobs.py` and `queues.py` stand behind them with the Azure SDKs; tests put their doubles there.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from .errors import InvalidContinuation

LIST_PAGE = 5_000
"""Blobs a list call gives at most (the service's own limit), so that 100,000 records cost 20 calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobEntry:
    """A blob as a list shows it: all that is known without reading it."""

    name: str
    metadata: Mapping[str, str]
    etag: str
    modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob(BlobEntry):
    """A blob with its content. `read_at` is the storage's own time of the answer, so ages need no other clock."""

    content: bytes
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobPage:
    """One list call. `marker` continues the list; None at its end."""

    entries: tuple[BlobEntry, ...]
    marker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBlob:
    """What is written: content and metadata in one step, so that they can never disagree."""

    name: str
    content: bytes = b""
    metadata: Mapping[str, str]


class Blobs(Protocol):
    """One container. A write that finds the blob otherwise than expected gives None and changes nothing.

    Every method raises `StorageUnavailable`, `StorageRefused` or `IdentityUnavailable`.
    """

    async def read(self, name: str) -> Blob | None:
        """The blob, or None when there is none."""

    async def create(self, blob: NewBlob) -> str | None:
        """Writes a blob that must not exist; gives its ETag, or None when it does."""

    async def replace(self, blob: NewBlob, etag: str) -> str | None:
        """Writes a blob that must still have this ETag; gives the new one, or None when it has changed or gone."""

    async def annotate(self, name: str, metadata: Mapping[str, str], etag: str) -> str | None:
        """Writes the metadata alone, under the same condition as `replace`."""

    async def delete(self, name: str) -> None:
        """Deletes a blob, if there is one."""

    async def list_page(self, prefix: str, *, marker: str | None = None, size: int = LIST_PAGE) -> BlobPage:
        """One page of the blobs whose names begin so, by name, with metadata."""

    async def check(self) -> None:
        """Returns when the container can be reached."""

    async def close(self) -> None:
        """Ends its connections."""


class Queue(Protocol):
    """One queue, for putting. Every method raises as those of `Blobs`."""

    async def put(self, text: str, *, delay_seconds: int = 0) -> None:
        """Puts a message that never expires, hidden for the delay."""

    async def check(self) -> None:
        """Returns when the queue can be reached."""

    async def close(self) -> None:
        """Ends its connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """The container and the queues of briefings. `done` is None when no done messages are wanted.

    `makes_missing` says that a check makes what is missing: so in the local emulator, never in Azure.
    """

    blobs: Blobs
    queue: Queue
    poison: Queue
    done: Queue | None = None
    makes_missing: bool = False
    release: Callable[[], Awaitable[None]] | None = None
    """Closes what the queues share, when they share a client."""

    @property
    def queues(self) -> tuple[Queue, ...]:
        """The queues there are."""
        return tuple(queue for queue in (self.queue, self.poison, self.done) if queue is not None)

    async def check(self) -> None:
        """Returns when container and queues can be reached."""
        await self.blobs.check()
        for queue in self.queues:
            await queue.check()

    async def close(self) -> None:
        """Ends all connections."""
        await self.blobs.close()
        for queue in self.queues:
            await queue.close()
        if self.release is not None:
            await self.release()


# Continuations: where a list goes on, as one opaque text that an address can carry.

MAX_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Continuation:
    """The storage's marker of the page to read, and the name in it after which to go on."""

    marker: str | None = None
    after: str = ""


def write_continuation(of: str, marker: str | None, after: str = "") -> str | None:
    """The text for the next page of the list `of`; None when there is nothing more."""
    if marker is None and not after:
        return None
    text = json.dumps([of, marker, after], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_continuation(text: str | None, of: str) -> Continuation:
    """Where the list `of` goes on; its beginning without a text. Raises `InvalidContinuation` for any other text."""
    if text is None:
        return Continuation()
    try:
        if len(text) > MAX_CHARACTERS:
            raise ValueError
        padded = text + "=" * (-len(text) % 4)
        named, marker, after = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise InvalidContinuation("the continuation is not one of this list") from None
    if named != of or not (marker is None or _is_plain(marker)) or not _is_plain(after):
        raise InvalidContinuation("the continuation is not one of this list")
    return Continuation(marker, after)


def _is_plain(value: object) -> bool:
    """Whether the storage could have given it: its markers and our names are plain ASCII."""
    return isinstance(value, str) and value.isascii() and (value.isprintable() or not value)
