"""The worker: one message, one outcome. Every step can be the last one of its process."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import uuid4

from shared.retrieval import QUIET, RetrievalError, Signals, SpanHandle

from .access import Access
from .composer import Composer, Result, Run
from .errors import DeadlinePassed, InternalFault, Redeliver
from .jobs import Intake, Order
from .lease import Claim, LostRecord, Patience
from .messages import MAX_QUEUE_BYTES, Delivery, Message, Outcome, Unreadable, read_message
from .record_store import Announcer, RecordStore
from .records import Record, Status, now
from .settings import BriefingSettings
from .storage import Queue
from .submission import put_order
from .waiting import GAVE_UP, ends_briefing, is_given_up, wait_seconds

MAX_LOOKS = 200
"""How often one delivery looks at a record that others keep changing, before it leaves it to the next delivery."""
LONGEST_LOOK_WAIT = 1.0
UNKNOWN_DEFINITION = "unknown_definition"
ROLL_OUT_WAITS, ROLL_OUT_SECONDS = 6, 600
"""An unknown definition is waited for during an hour."""
PUT_BACK_SECONDS = 60
LEASES_WAITED = 3
"""How long a delivery waits for a run of its own message that may have died: waiting and running must both fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What a worker works with."""

    settings: BriefingSettings
    store: RecordStore
    intake: Intake
    composer: Composer
    announcer: Announcer
    access: Access
    queue: Queue
    signals: Signals = QUIET


class Worker:
    """Runs the briefings of queue messages."""

    def __init__(self, workshop: Workshop) -> None:
        self._shop = workshop
        self._store = workshop.store

    async def handle(self, delivery: Delivery) -> Outcome:
        """What came of the delivery. Raises `Redeliver`, from nothing, when the queue shall deliver it again."""
        with self._shop.signals.span("briefing", message_bytes=len(delivery.body)) as span:
            span.set(delivery=delivery.dequeue_count or 1)
            try:
                outcome = await self._handle(delivery, span)
            except Redeliver as again:
                span.set(outcome="waiting", error_type=again.code)
                raise
            except RetrievalError as error:  # storage or definitions that fail before or after the run
                span.set(outcome="waiting", error_type=error.code)
                return await self._put_back(delivery, error)
            except Exception as fault:  # whatever it is, the host would log and export its text: it may hold content
                self._tell_fault(fault)
                span.set(outcome="waiting", error_type=InternalFault.code)
                raise Redeliver(InternalFault.code) from None
            span.set(outcome=outcome)
            return outcome

    async def _put_back(self, delivery: Delivery, error: RetrievalError) -> Outcome:
        """The message as it is, for a while: nothing of it could be read or written. Raises `Redeliver` where that fails."""
        if len(delivery.body) <= MAX_QUEUE_BYTES:
            delay = round(max(error.retry_after or 0.0, PUT_BACK_SECONDS))
            with suppress(RetrievalError):
                await self._shop.queue.put(delivery.body.decode(errors="replace"), delay_seconds=delay)
                return "waiting"
        raise Redeliver(error.code) from None

    async def _handle(self, delivery: Delivery, span: SpanHandle) -> Outcome:
        order = await self._shop.intake.read(delivery.body)
        if isinstance(order, Unreadable) and order.reason == UNKNOWN_DEFINITION and await self._may_come(delivery):
            return "waiting"
        if isinstance(order, Unreadable):
            return await self._reject(delivery, order)
        _tell_order(span, order)
        for _ in range(MAX_LOOKS):
            taken = await self._take(order, delivery)
            if isinstance(taken, Unreadable):
                return await self._reject(delivery, taken)
            if not isinstance(taken, Record):
                return taken
            try:
                return await self._run(taken, order, delivery, span)
            except LostRecord:
                continue  # somebody else has changed the record: look at it again
        raise Redeliver("busy")

    async def _may_come(self, delivery: Delivery) -> bool:
        """Whether an unknown definition is waited for: a newer instance may know it while a new version is rolled out."""
        message = read_message(delivery.body)
        if not isinstance(message, Message) or message.wait >= ROLL_OUT_WAITS:
            return False
        later = replace(message, wait=message.wait + 1)
        await self._shop.queue.put(later.text(), delay_seconds=ROLL_OUT_SECONDS)
        return True

    async def _reject(self, delivery: Delivery, why: Unreadable) -> Outcome:
        await self._shop.intake.reject(delivery, why)
        self._shop.signals.event("briefing_rejected", error_type=why.reason, message_bytes=len(delivery.body))
        return "rejected"

    async def _take(self, order: Order, delivery: Delivery) -> Record | Unreadable | Outcome:
        """The record, now running in the name of this delivery; or why it is not to be run."""
        waited = 0.0
        while waited <= LEASES_WAITED * self._shop.settings.lease_seconds:
            found = await self._store.record(order.key)
            if found is None:
                made = await self._first_record(order, delivery)
                if made is not None:
                    return made
                continue
            settled = await self._settled(found, order, delivery)
            if settled is not None:
                return settled
            if found.is_alive(self._shop.settings.lease_seconds):
                pause = min(self._shop.settings.lease_seconds / 4, LONGEST_LOOK_WAIT)
                await asyncio.sleep(pause)
                waited += pause
                continue
            started = _started(found, order, delivery)
            claimed = await self._store.save_standing(started) or await self._started_after_all(started)
            if claimed is not None:
                return claimed
        raise Redeliver("busy")

    async def _started_after_all(self, started: Record) -> Record | None:
        """A repeated write fails on its own first one, when only the answer to that was lost."""
        found = await self._store.record(started.key)
        return found if found is not None and found.standing == started.standing else None

    async def _first_record(self, order: Order, delivery: Delivery) -> Record | Unreadable | Outcome | None:
        """The record of a message that came without one; None when somebody else made it meanwhile."""
        if await self._store.claim(order.pointer) != order.pointer:
            return order.unreadable("conflict", "$.id", "the id is taken by another content")
        record = order.record(order.standing(status="queued"))
        if await self._store.is_deleted(order.key.batch_id):
            await self._store.create(record.tombstone())
            await self._forget(order.key.id)
            return "cancelled"
        started = _started(record, order, delivery)
        return await self._store.create(started) or await self._started_after_all(started)

    async def _settled(self, found: Record, order: Order, delivery: Delivery) -> Unreadable | Outcome | None:
        if found.standing.erased:
            await self._forget(order.key.id)  # a run that lost the record may have stored its parameters since
        elif found.standing.digest != order.digest:
            return order.unreadable("conflict", "$.id", "the id is taken by another content")
        if found.standing.final:
            await self._shop.announcer.announce(found)
            return "already_final"
        if order.wait < found.standing.wait:
            return "accepted"  # a newer message of it waits on the queue
        # The message of a live run stays on the queue until that run is final, so this one is not needed.
        by_other = delivery.message_name is not None and found.standing.message not in (None, delivery.message_name)
        return "accepted" if found.is_alive(self._shop.settings.lease_seconds) and by_other else None

    async def _forget(self, briefing_id: str) -> None:
        await self._store.forget_request(briefing_id)
        await self._store.forget_digest(briefing_id)

    async def _run(self, record: Record, order: Order, delivery: Delivery, span: SpanHandle) -> Outcome:
        waited = (now() - record.standing.created_at).total_seconds()
        span.set(queue_wait=waited)
        self._shop.signals.record("app.briefing.queue_wait", waited, definition=order.definition.name)
        async with Claim(self._store, record, self._shop.settings.lease_seconds) as claim:
            patience = Patience(self._shop.settings.deadline_seconds)
            try:
                result = await self._compose(order, claim, patience)
            except RetrievalError as error:
                span.set(error_type=error.code, error_place=error)
                return await self._fail(claim, order, delivery, error)
            finished = _finished(claim.record, result.status, reason=result.reason, result=result)
            saved = await patience.attempt(lambda: claim.save(finished))
        return await self._close(saved, delivery)

    async def _compose(self, order: Order, claim: Claim, patience: Patience) -> Result:
        self._shop.access.require_runnable(order.definition.indexes)
        run = Run(
            definition=order.definition,
            values=order.definition.values(order.parameters),
            patience=patience,
            guard=claim.require,
        )
        try:
            async with asyncio.timeout(self._shop.settings.deadline_seconds):
                return await self._shop.composer.compose(run)
        except (RetrievalError, LostRecord):
            raise
        except TimeoutError:
            raise DeadlinePassed("the briefing was not finished in its time") from None
        except Exception as fault:  # so that the last delivery of a briefing that always fails still leaves a final record
            self._tell_fault(fault)
            raise InternalFault("the briefing failed for a reason that is not known") from None

    async def _fail(self, claim: Claim, order: Order, delivery: Delivery, error: RetrievalError) -> Outcome:
        standing = claim.record.standing
        if isinstance(error, InternalFault) and not delivery.last:
            await claim.save(claim.record.standing_as(status="waiting", reason=error.code))
            raise Redeliver(error.code) from None
        if isinstance(error, InternalFault):
            reason = REASON
        elif ends_briefing(error, standing.attempts):
            reason = error.code
        elif is_given_up(standing.created_at, now()):
            reason = GAVE_UP
        else:
            return await self._wait(claim, order, error)
        failed = _finished(claim.record, "failed", reason=reason)
        return await self._close(await claim.save(failed), delivery)

    async def _wait(self, claim: Claim, order: Order, error: RetrievalError) -> Outcome:
        """Puts the next message first and notes it in the record then: a death in between leaves one message too many.

        Of the two the one with the lower number is passed over once the record has the higher.
        """
        wait = claim.record.standing.wait + 1
        seconds = wait_seconds(error, order.key.id, wait)
        await put_order(self._store, self._shop.queue, replace(order, wait=wait), seconds)
        retry_at = now() + timedelta(seconds=seconds)
        waiting = claim.record.standing_as(status="waiting", reason=error.code, wait=wait, retry_at=retry_at)
        await claim.save(waiting)
        self._shop.signals.event("briefing_retried", error_type=error.code)
        return "waiting"

    async def _close(self, record: Record, delivery: Delivery) -> Outcome:
        standing = record.standing
        signals, outcome, definition = self._shop.signals, standing.status, standing.briefing
        signals.count("app.briefing.outcomes", outcome=outcome, definition=definition)
        told = {"outcome": outcome, "definition": definition, "definition_version": standing.version}
        signals.event("briefing_finished", **told, delivery=delivery.dequeue_count or 1)
        await self._shop.announcer.announce(record)
        return standing.status

    def _tell_fault(self, fault: BaseException) -> None:
        """Operators learn what it was and where, before it becomes an error without content."""
        self._shop.signals.event("briefing_fault", error_type=fault, error_place=fault)


def _tell_order(span: SpanHandle, order: Order) -> None:
    definition, values = order.definition, list(order.parameters.values())
    only = values[0] if len(values) == 1 and isinstance(values[0], str) else None
    span.set(
        definition=definition.name,
        definition_version=definition.version,
        sections=len(definition.sections),
        briefing_id=order.key.id,
        batch_id=order.key.batch_id,
        subject=only or json.dumps(order.parameters, sort_keys=True, default=str),
    )


def _started(record: Record, order: Order, delivery: Delivery) -> Record:
    """The record in the hands of this delivery."""
    standing = record.standing
    return record.standing_as(
        status="running",
        run=uuid4().hex,
        message=delivery.message_name,
        attempts=standing.attempts + 1,
        started_at=standing.started_at or now(),
        reason=None,
        wait=max(standing.wait, order.wait),
        retry_at=None,
    )


def _finished(record: Record, status: Status, *, reason: str | None = None, result: Result | None = None) -> Record:
    done = record.standing_as(status=status, finished_at=now(), reason=reason)
    return done.with_result(result.to_json()) if result else done


# The poison queue: what our code never finished handling gets its final record here.

REASON = "delivery_failed"
POISON_PUT_BACK_SECONDS = 3_600
"""The wait of a message that could not be marked."""
LOOKS_PER_LEASE = 4
POISON_LEASES_WAITED = 2
LEAST_WAIT = 2.0


class PoisonHandler:
    """Marks what reached the poison queue. It raises `Redeliver` only where it can neither store nor put back."""

    def __init__(self, workshop: Workshop, queue: Queue) -> None:
        self._lease = workshop.settings.lease_seconds
        self._store = workshop.store
        self._intake = workshop.intake
        self._announcer = workshop.announcer
        self._signals = workshop.signals
        self._queue = queue

    async def handle(self, delivery: Delivery) -> Outcome:
        """What the message's briefing came to; `waiting` when it could not be marked and was put back."""
        self._signals.event("poison_message", message_bytes=len(delivery.body))
        try:
            return await self._mark(delivery)
        except RetrievalError as error:
            await self._put_back(delivery, error.code)
        except Exception:  # raising here helps nobody and would export the text of whatever it is
            await self._put_back(delivery, InternalFault.code)
        return "waiting"

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
            if found is not None and not found.standing.erased and found.standing.digest != order.digest:
                return None
            if (
                found is not None
                and found.is_alive(self._lease)
                and waited <= POISON_LEASES_WAITED * self._lease + LEAST_WAIT
            ):
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
            await self._queue.put(delivery.body.decode(errors="replace"), delay_seconds=POISON_PUT_BACK_SECONDS)
        except RetrievalError as error:
            # Neither blobs nor queue: the message stays where it is.
            self._signals.event("briefing_retried", error_type=error.code)
            raise Redeliver(error.code) from None


def _failed(record: Record) -> Record:
    """The record as failed, for the reason that its last run gave where it could."""
    return record.standing_as(status="failed", reason=record.standing.reason or REASON, finished_at=now())


def _first(order: Order) -> Record:
    """The record of a message that no run ever began."""
    return order.record(order.standing(status="failed", reason=REASON, finished_at=now()))
