"""The front door of briefings: what the routes and the queue triggers call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from shared.answers import AnswerWriter
from shared.retrieval import QUIET, Caller, Format, IndexSettings, RetrievalError, Signals

from .access import Access
from .batch_page import render_batch_page
from .batches import Batches, BatchPage, BatchParts, BatchProgress, check_batch_page, erase_record
from .composer import Composer, EvidenceFinder
from .definitions import Definition, Definitions, fill_title, load_definitions
from .errors import BriefingGone, BriefingNotFound, InternalFault, Redeliver
from .jobs import Intake
from .messages import Delivery, Outcome
from .page import render_page
from .parameters import complete_parameters
from .record_store import Announcer, RecordStore
from .records import Record, is_id, now
from .rejections import RejectionPage, check_rejections_page, list_rejections
from .retention import remove_expired
from .settings import BriefingSettings
from .storage import Storage
from .submission import BatchReceipt, Receipt, Submission, SubmissionItem, SubmissionParts
from .view import BriefingView, page_view_of, view_of
from .worker import PoisonHandler, Worker, Workshop

# Whether briefings could be run now: each part by name, none of them with a secret.

SECONDS = 4.0
"""For each part: all of readiness answers within five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyCheck:
    """One part of readiness. `problems` are empty when it is well; `code` names the first one.

    `warnings` tell of definitions that cannot be run on the configured indexes: an app need not offer all of them.
    """

    name: str
    problems: tuple[str, ...] = ()
    code: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it is well."""
        return not self.problems


async def check_parts(storage: Storage, definitions: Definitions, access: Access) -> tuple[ReadyCheck, ...]:
    """The checks of blobs, queues and definitions, side by side. Never raises."""
    blobs = _reach("blobs", storage.blobs.check)
    queues = [
        _reach(name, queue.check)
        for name, queue in zip(("queue", "poison_queue", "done_queue"), storage.queues, strict=False)
    ]
    reached = await asyncio.gather(blobs, *queues)
    return (*reached, _check_definitions(definitions, access))


async def _reach(name: str, check: Callable[[], Awaitable[None]]) -> ReadyCheck:
    try:
        async with asyncio.timeout(SECONDS):
            await check()
    except RetrievalError as error:
        return ReadyCheck(name=name, problems=(error.message,), code=error.code)
    except TimeoutError:
        return ReadyCheck(name=name, problems=("did not answer in time",), code="storage_unavailable")
    except Exception:  # readiness names what is wrong, it never fails itself
        return ReadyCheck(name=name, problems=("failed for a reason that is not known",), code=InternalFault.code)
    return ReadyCheck(name=name)


def _check_definitions(definitions: Definitions, access: Access) -> ReadyCheck:
    problems = tuple(f"{problem.path}: {problem.message}" for problem in definitions.problems)
    warnings: list[str] = []
    for definition in definitions.items:
        for index in definition.indexes:
            try:
                access.require_runnable((index,))
            except RetrievalError as error:
                warnings.append(f"The briefing {definition.name} cannot be run: {error.message}")
    code = "not_configured" if problems else None
    return ReadyCheck(name="briefing_definitions", problems=problems, code=code, warnings=tuple(warnings))


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingParts:
    """What briefings are made of. Without `definitions` those of the package are loaded."""

    retrieval: EvidenceFinder
    indexes: tuple[IndexSettings, ...]
    writer: AnswerWriter
    storage: Storage
    definitions: Definitions | None = None
    allowed_link_hosts: tuple[str, ...] = ()
    signals: Signals = QUIET


class Briefings:
    """Briefings of one app. Make one in the loop that uses it; every method raises the storage errors besides its own."""

    def __init__(self, settings: BriefingSettings, parts: BriefingParts) -> None:
        self.settings = settings
        self._parts = parts
        self._storage = parts.storage
        self._definitions = parts.definitions or load_definitions()
        self._prepared = not parts.storage.makes_missing
        self._store = RecordStore(parts.storage.blobs)
        self._access = Access(parts.indexes)
        self._announcer = Announcer(self._store, parts.storage.done)
        self._intake = Intake(self._store, self._definitions, self._announcer)
        self._submission = Submission(self._submission_parts())
        self._batches = Batches(self._batch_parts())
        workshop = self._workshop()
        self._worker = Worker(workshop)
        self._poison = PoisonHandler(workshop, parts.storage.poison)

    async def submit(self, batch_id: Any, items: Sequence[SubmissionItem], caller: Caller) -> BatchReceipt:
        """Accepts all briefings of a call or none, and queues those that are new.

        Raises `InvalidSubmission` and `UnknownName` with paths, `DefinitionsBroken`, `NotConfigured`, `Forbidden`,
        `BriefingConflict` with paths. After a storage error the same call goes on where it stopped.
        """
        return await self._submission.submit(batch_id, items, caller)

    async def get(self, briefing_id: str, caller: Caller, format: Format = "html") -> BriefingView:  # noqa: A002
        """A briefing, its texts in the format. Raises `BriefingNotFound`, `BriefingGone`, `Forbidden`."""
        record = await self._readable(briefing_id, caller)
        return await asyncio.to_thread(view_of, self._with_defaults(record), format, self._parts.allowed_link_hosts)

    async def render(self, briefing_id: str, format: Format, caller: Caller) -> str:  # noqa: A002
        """The readable page of a briefing. Raises as `get`. A browser gets `PAGE_CONTENT_SECURITY_POLICY` with the HTML."""
        record = await self._readable(briefing_id, caller)
        definition = self._definitions.exactly(record.standing.briefing, record.standing.version)
        title = fill_title(definition, record.parameters) if definition else "Briefing"
        return await asyncio.to_thread(self._render, self._with_defaults(record), format, title)

    async def delete(self, briefing_id: str, caller: Caller) -> None:
        """Cancels what has not begun, erases what is final; its id stays taken. Deleting again changes nothing.

        Raises `BriefingNotFound`, `Forbidden` without the roles of its indexes, and `BriefingBusy` while a run holds it.
        """
        known = _known_form(briefing_id)
        await self._prepare()
        with self._parts.signals.span("erase", briefings=1, briefing_id=known):
            pointer = await self._store.pointer(known)
            if pointer is None:
                raise BriefingNotFound("no briefing of this id is known")
            record = await self._store.record(pointer.key)
            self._access.require_erasable(() if record is None else record.standing.indexes, caller)
            await self._announcer.announce(await erase_record(self._store, pointer, self.settings.lease_seconds))

    async def batch(self, batch_id: str) -> BatchProgress:
        """How far a batch is, from its records: one storage call for 5,000. Raises `BriefingNotFound`, `BriefingGone`."""
        known = _known_form(batch_id)
        await self._prepare()
        return await self._batches.progress(known)

    async def batch_page(
        self, batch_id: str, caller: Caller, *, status: str | None = None, continuation: str | None = None
    ) -> BatchPage:
        """The next hundred briefings of a batch, without those whose index roles the caller lacks.

        Raises `InvalidSubmission`, `InvalidContinuation`, and as `batch`.
        """
        known = _known_form(batch_id)
        check_batch_page(known, status, continuation)
        await self._prepare()
        return await self._batches.page(known, caller, status=status, continuation=continuation)

    async def render_batch(
        self, batch_id: str, caller: Caller, *, status: str | None = None, continuation: str | None = None
    ) -> str:
        """The readable page of a batch, in HTML. Raises as `batch` and `batch_page`."""
        progress = await self.batch(batch_id)
        page = await self.batch_page(batch_id, caller, status=status, continuation=continuation)
        return render_batch_page(progress, page, status)

    async def retry_batch(self, batch_id: str, caller: Caller) -> tuple[Receipt, ...]:
        """One new briefing for each failed and each unchecked one of a batch; the same ones whenever it is called."""
        known = _known_form(batch_id)
        await self._prepare()
        return await self._batches.retry(known, caller)

    async def delete_batch(self, batch_id: str, caller: Caller) -> None:
        """Deletes all of a batch, which then takes no more briefings. Raises as `delete`; nothing changes while one runs."""
        known = _known_form(batch_id)
        await self._prepare()
        await self._batches.delete(known, caller)

    def definitions(self) -> Sequence[Definition]:
        """The definitions by name, newest version first; `schema` is that of their parameters."""
        return self._definitions.listed()

    async def rejections(self, continuation: str | None = None) -> RejectionPage:
        """Messages that could not be taken, newest first, a hundred a page. Raises `InvalidContinuation`."""
        check_rejections_page(continuation)
        await self._prepare()
        return await list_rejections(self._storage.blobs, continuation)

    async def handle_message(
        self,
        body: bytes,
        message_id: str | None = None,
        dequeue_count: int | None = None,
        insertion_time: datetime | None = None,
        last_delivery: bool = False,
    ) -> Outcome:
        """One message, one outcome. Raises nothing but `Redeliver`, from nothing, when the queue shall deliver it again."""
        delivery = Delivery(
            body=body,
            message_id=message_id,
            dequeue_count=dequeue_count,
            insertion_time=insertion_time,
            last=last_delivery,
        )
        try:
            await self._prepare()
        except RetrievalError as error:
            raise Redeliver(error.code) from None
        return await self._worker.handle(delivery)

    async def handle_poison(
        self, body: bytes, message_id: str | None = None, insertion_time: datetime | None = None
    ) -> Outcome:
        """Marks what reached the poison queue. Never raises."""
        delivery = Delivery(body=body, message_id=message_id, insertion_time=insertion_time, last=True)
        return await self._poison.handle(delivery)

    async def remove_expired(self) -> int:
        """Removes what nobody has changed for `RetentionDays`; gives the number of blobs. Raises the storage errors."""
        await self._prepare()
        with self._parts.signals.span("erase"):
            return await remove_expired(self._storage.blobs, self.settings.retention_days, now())

    async def check_ready(self) -> tuple[ReadyCheck, ...]:
        """Blobs, queues and definitions, each by name, within five seconds. Never raises."""
        return await check_parts(self._storage, self._definitions, self._access)

    async def close(self) -> None:
        """Ends the connections of writer and storage."""
        await self._parts.writer.close()
        await self._storage.close()

    async def _prepare(self) -> None:
        """Makes container and queues on the first use, in the local emulator only."""
        if not self._prepared:
            await self._storage.check()
            self._prepared = True

    async def _readable(self, briefing_id: str, caller: Caller) -> Record:
        known = _known_form(briefing_id)
        await self._prepare()
        record = await self._record(known)
        if record.standing.erased:
            raise BriefingGone("the briefing was deleted")
        self._access.require_readable(record.standing.indexes, caller)
        return record

    def _with_defaults(self, record: Record) -> Record:
        """The record with the parameters that its definition adds; as it is when that version is gone."""
        definition = self._definitions.exactly(record.standing.briefing, record.standing.version)
        if definition is None or record.standing.erased:
            return record
        return replace(record, parameters=complete_parameters(definition.parameters, record.parameters))

    def _render(self, record: Record, format: Format, title: str) -> str:  # noqa: A002
        return render_page(page_view_of(record, format, self._parts.allowed_link_hosts), title)

    async def _record(self, briefing_id: str) -> Record:
        pointer = await self._store.pointer(briefing_id)
        record = await self._store.record(pointer.key) if pointer else None
        if record is None:
            raise BriefingNotFound("no briefing of this id is known")
        return record

    def _submission_parts(self) -> SubmissionParts:
        return SubmissionParts(
            prepare=self._prepare,
            store=self._store,
            queue=self._storage.queue,
            definitions=self._definitions,
            access=self._access,
            signals=self._parts.signals,
        )

    def _batch_parts(self) -> BatchParts:
        return BatchParts(
            store=self._store,
            submission=self._submission,
            definitions=self._definitions,
            access=self._access,
            announcer=self._announcer,
            lease_seconds=self.settings.lease_seconds,
            signals=self._parts.signals,
        )

    def _workshop(self) -> Workshop:
        parts, settings = self._parts, self.settings
        return Workshop(
            settings=settings,
            store=self._store,
            intake=self._intake,
            composer=Composer(parts.retrieval, parts.writer, settings.max_concurrency, parts.signals),
            announcer=self._announcer,
            access=self._access,
            queue=self._storage.queue,
            signals=parts.signals,
        )


def _known_form(text: str) -> str:
    """An id as it came in an address; raises `BriefingNotFound` for what can be none."""
    if not is_id(text):
        raise BriefingNotFound("no briefing or batch of this id is known")
    return text
