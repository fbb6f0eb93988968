"""Batches: progress, pages, retries and deletion, all from the records themselves: no count is kept anywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.retrieval import QUIET, Caller, Signals

from .access import Access
from .composer import for_each
from .definitions import Definitions
from .errors import BriefingBusy, BriefingGone, BriefingNotFound, InvalidSubmission
from .jobs import Order
from .record_store import Announcer, Pointer, RecordStore
from .records import (
    FINAL,
    STALLED_SECONDS,
    STATUSES,
    Record,
    RecordKey,
    Standing,
    Status,
    batch_prefix,
    content_digest,
    entry_standing,
    id_in_record,
    now,
    retry_id,
)
from .storage import LIST_PAGE, BlobEntry, Continuation, read_continuation, write_continuation
from .submission import AT_ONCE, Receipt, Submission

PAGE = 100
RETRIED: tuple[Status, ...] = ("failed", "failed_checks")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """How far a batch is. `percent` is the share of final ones, rounded down to a tenth: 100 only when all are."""

    batch_id: str
    counts: dict[Status, int]
    started_at: datetime
    updated_at: datetime

    @property
    def total(self) -> int:
        """All that were submitted or seen so far."""
        return sum(self.counts.values())

    @property
    def percent(self) -> float:
        """The share that is final."""
        done = sum(count for status, count in self.counts.items() if status in FINAL)
        return (1000 * done // self.total) / 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBriefing:
    """A briefing in a page of its batch."""

    id: str
    status: Status
    briefing: str
    created_at: datetime
    finished_at: datetime | None = None
    reason: str | None = None
    retry_of: str | None = None
    erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPage:
    """Up to a hundred briefings by id; `continuation` gives the next page."""

    batch_id: str
    briefings: tuple[ListedBriefing, ...]
    continuation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchParts:
    """What batches work with."""

    store: RecordStore
    submission: Submission
    definitions: Definitions
    access: Access
    announcer: Announcer
    lease_seconds: float
    signals: Signals = QUIET


class Batches:
    """The batches of one container."""

    def __init__(self, parts: BatchParts) -> None:
        self._store = parts.store
        self._parts = parts
        self._signals = parts.signals

    async def progress(self, batch_id: str) -> BatchProgress:
        """How far a batch is: one list call for every 5,000 briefings. Raises `BriefingNotFound`, `BriefingGone`."""
        with self._signals.span("batch", batch_id=batch_id) as span:
            tally = _Tally()
            async for entry in self._entries(batch_id):
                tally.add(entry)
            progress = tally.progress(batch_id)
            if progress is None:
                raise await self._absent(batch_id)
            if progress.percent == 100:
                await self._require_kept(batch_id)
            span.set(total=progress.total, percent=progress.percent)
        self._signals.record("app.briefing.in_batch", progress.percent)
        return progress

    async def page(
        self, batch_id: str, caller: Caller, *, status: str | None = None, continuation: str | None = None
    ) -> BatchPage:
        """The next hundred briefings of a batch, of one status where that is asked for.

        Rows whose index roles the caller lacks are left out, so a page may be shorter and have a continuation.

        Raises `InvalidSubmission` for an unknown status, `InvalidContinuation`, `BriefingNotFound`.
        """
        where = check_batch_page(batch_id, status, continuation)
        found, following = await self._collect(batch_id, status, where)
        if not found and continuation is None:
            await self._require_known(batch_id)
        visible = self._parts.access.is_visible
        briefings = tuple(_listed(entry) for entry in found if visible(entry_standing(entry).indexes, caller))
        if briefings and all(briefing.erased for briefing in briefings):
            await self._require_kept(batch_id)
        follows = write_continuation(_list_name(batch_id, status), following.marker, following.after)
        return BatchPage(batch_id=batch_id, briefings=briefings, continuation=follows)

    async def retry(self, batch_id: str, caller: Caller) -> tuple[Receipt, ...]:
        """One new briefing for each failed and each unchecked one; those that have theirs already are given again.

        Raises as a submission does, and `BriefingNotFound`.
        """
        with self._signals.span("retry_batch", batch_id=batch_id) as span:
            await self._require_kept(batch_id)
            entries = [entry async for entry in self._entries(batch_id)]
            if not entries:
                raise await self._absent(batch_id)
            await self._put_stalled_again(batch_id, entries, caller)
            failed = [entry for entry in entries if _is_retried(entry_standing(entry))]
            keys = [RecordKey(batch_id=batch_id, id=id_in_record(entry.name)) for entry in failed]
            records = await for_each(keys, self._store.record, AT_ONCE)
            kept = [record for record in records if record and not record.standing.erased]
            for record in kept:
                self._parts.access.require_erasable(record.standing.indexes, caller)
            orders = [self._retry_order(record) for record in kept]
            for name in {index for order in orders for index in order.definition.indexes}:
                self._parts.access.require_submittable((name,), caller)
            span.set(briefings=len(orders))
            return tuple(await self._parts.submission.accept(orders, check_first=False)) if orders else ()

    async def delete(self, batch_id: str, caller: Caller) -> None:
        """Cancels what has not begun and erases what is final; the batch takes no more briefings.

        Raises `BriefingNotFound`, `Forbidden` without the roles of the indexes of all, and `BriefingBusy` while one
        runs. Then nothing has changed, unless one began meanwhile; the same call later does the rest.
        """
        with self._signals.span("erase", batch_id=batch_id) as span:
            entries = [entry async for entry in self._entries(batch_id)]
            if not entries:
                raise await self._absent(batch_id)
            for entry in entries:
                self._parts.access.require_erasable(entry_standing(entry).indexes, caller)
            await self._require_still(batch_id, entries)
            await self._store.mark_deleted(batch_id)
            await for_each(entries, lambda entry: self._erase(batch_id, entry), AT_ONCE)
            span.set(briefings=len(entries))

    async def _require_still(self, batch_id: str, entries: Iterable[BlobEntry]) -> None:
        """Raises `BriefingBusy` while a run of the batch holds its lease, by the storage's own clock."""
        running = [entry for entry in entries if entry_standing(entry).status == "running"]
        keys = [RecordKey(batch_id=batch_id, id=id_in_record(entry.name)) for entry in running]
        for record in await for_each(keys, self._store.record, AT_ONCE):
            if record is not None and record.is_alive(self._parts.lease_seconds):
                raise _busy()

    async def _erase(self, batch_id: str, entry: BlobEntry) -> None:
        standing = entry_standing(entry)
        pointer = Pointer(id=id_in_record(entry.name), batch_id=batch_id, digest=standing.digest)
        erased: Record | None = None
        if not standing.erased:
            listed = Record(key=pointer.key, standing=standing, etag=entry.etag)
            erased = await self._store.save(listed.tombstone())
        if erased is None:  # it has changed since it was listed, or an earlier call broke off behind it
            erased = await erase_record(self._store, pointer, self._parts.lease_seconds)
        else:
            await self._store.forget_request(pointer.id)
            await self._store.forget_digest(pointer.id)
        await self._parts.announcer.announce(erased)

    async def _put_stalled_again(self, batch_id: str, entries: Iterable[BlobEntry], caller: Caller) -> None:
        """The message again for each that has not moved for an hour: it may be lost."""
        open_ones = [entry for entry in entries if not entry_standing(entry).final and _is_old(entry)]
        keys = [RecordKey(batch_id=batch_id, id=id_in_record(entry.name)) for entry in open_ones]
        records = await for_each(keys, self._store.record, AT_ONCE)
        stalled = [record for record in records if record is not None and record.has_stalled()]
        for record in stalled:
            self._parts.access.require_erasable(record.standing.indexes, caller)
        await for_each(stalled, lambda record: self._parts.submission.put_again(record, self._order(record)), AT_ONCE)

    def _order(self, record: Record) -> Order:
        standing = record.standing
        same = self._parts.definitions.exactly(standing.briefing, standing.version)
        return Order(
            key=record.key,
            definition=same or self._parts.definitions.newest(standing.briefing),
            parameters=record.parameters,
            digest=standing.digest,
            retry_of=standing.retry_of,
        )

    def _retry_order(self, record: Record) -> Order:
        definition = self._parts.definitions.newest(record.standing.briefing)
        batch, original = record.key.batch_id, record.key.id
        return Order(
            key=RecordKey(batch_id=batch, id=retry_id(batch, original)),
            definition=definition,
            parameters=record.parameters,
            digest=content_digest(batch, definition.name, record.parameters, original),
            retry_of=original,
        )

    async def _entries(self, batch_id: str) -> AsyncIterator[BlobEntry]:
        marker: str | None = None
        while True:
            page = await self._store.blobs.list_page(batch_prefix(batch_id), marker=marker, size=LIST_PAGE)
            for entry in page.entries:
                yield entry
            if page.marker is None:
                return
            marker = page.marker

    async def _collect(
        self, batch_id: str, status: str | None, where: Continuation
    ) -> tuple[Sequence[BlobEntry], Continuation]:
        """A page of entries, and where the next one begins."""
        # Of one status only few may be on a page of the storage, so those are as large as can be.
        size = PAGE if status is None else LIST_PAGE
        found: list[BlobEntry] = []
        while True:
            page = await self._store.blobs.list_page(batch_prefix(batch_id), marker=where.marker, size=size)
            for entry in page.entries:
                if entry.name > where.after and status in (None, entry_standing(entry).status):
                    if len(found) == PAGE:
                        return found, Continuation(where.marker, found[-1].name)
                    found.append(entry)
            where = Continuation(page.marker)
            if page.marker is None or (status is None and found):
                return found, where

    async def _require_known(self, batch_id: str) -> None:
        entries, _ = await self._collect(batch_id, None, Continuation())
        if not entries:
            raise await self._absent(batch_id)
        await self._require_kept(batch_id)

    async def _require_kept(self, batch_id: str) -> None:
        if await self._store.is_deleted(batch_id):
            raise BriefingGone("the batch was deleted")

    async def _absent(self, batch_id: str) -> BriefingNotFound | BriefingGone:
        if await self._store.is_deleted(batch_id):
            return BriefingGone("the batch was deleted")
        return BriefingNotFound("no batch of this id is known")


def check_batch_page(batch_id: str, status: str | None, continuation: str | None) -> Continuation:
    """Where a list of a batch goes on. Raises `InvalidSubmission` for an unknown status, `InvalidContinuation`."""
    if status is not None and status not in STATUSES:
        raise InvalidSubmission(f"status must be one of {', '.join(STATUSES)}", code="invalid_status")
    return read_continuation(continuation, _list_name(batch_id, status))


def _list_name(batch_id: str, status: str | None) -> str:
    return f"{batch_id}?{status or ''}"


class _Tally:
    """Counts entries as they are listed. Times stay texts: of a hundred thousand only the first is of interest."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._created = ""
        self._last: datetime | None = None

    def add(self, entry: BlobEntry) -> None:
        """Counts one."""
        self._counts[entry.metadata["status"]] += 1
        created = entry.metadata["created"]
        if not self._created or created < self._created:
            self._created = created
        self._last = max(self._last or entry.modified, entry.modified)

    def progress(self, batch_id: str) -> BatchProgress | None:
        """What was counted; None for nothing."""
        if self._last is None:
            return None
        started = datetime.fromisoformat(self._created)
        return BatchProgress(
            batch_id=batch_id,
            counts={status: self._counts[status] for status in STATUSES if self._counts[status]},
            started_at=started,
            # The storage tells its times in whole seconds: the first would lie before the start.
            updated_at=max(self._last, started),
        )


async def erase_record(store: RecordStore, pointer: Pointer, lease_seconds: float) -> Record:
    """Leaves nothing of a record but its standing, as deleted. Raises `BriefingBusy` while a run holds its lease.

    An id without a record is left by a submission that broke off, whose message may be on the queue: it is cancelled too.
    """
    while True:
        found = await store.record(pointer.key)
        if found is not None and found.standing.erased:
            break
        if found is None:
            standing = Standing(status="queued", briefing="", version=0, digest=pointer.digest, created_at=now())
            found = await store.create(Record(key=pointer.key, standing=standing).tombstone())
        else:
            if found.is_alive(lease_seconds):
                raise _busy()
            found = await store.save(found.tombstone())
        if found is not None:
            break
    # After the record, so that nothing can run without its request; and again for one that broke off in between.
    await store.forget_request(pointer.id)
    await store.forget_digest(pointer.id)
    return found


def _busy() -> BriefingBusy:
    return BriefingBusy("a briefing runs, so it cannot be deleted now")


def _is_old(entry: BlobEntry) -> bool:
    """Whether a look at the record is worth it: half the hour leaves room for a clock that is behind the storage's."""
    return (now() - entry.modified).total_seconds() >= STALLED_SECONDS / 2


def _is_retried(standing: Standing) -> bool:
    return standing.status in RETRIED and not standing.erased


def _listed(entry: BlobEntry) -> ListedBriefing:
    standing = entry_standing(entry)
    return ListedBriefing(
        id=id_in_record(entry.name),
        status=standing.status,
        briefing=standing.briefing,
        created_at=standing.created_at,
        finished_at=standing.finished_at,
        reason=standing.reason,
        retry_of=standing.retry_of,
        erased=standing.erased,
    )
