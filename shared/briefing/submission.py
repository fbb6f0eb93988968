"""Submission: all briefings of a call or none, each queued once however often the call is repeated.

For each briefing the pointer is written first, then the message is put, then the record is made. A record therefore says
that its message is on the queue; a pointer without one says that a call broke off, and its repetition goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shared.retrieval import MAX_BRIEFINGS_PER_CALL, QUIET, Caller, Problem, RetrievalError, Signals, UnknownName

from .access import Access
from .composer import for_each
from .definitions import Definition, Definitions
from .errors import BriefingConflict, InvalidSubmission
from .jobs import Order
from .parameters import check_parameters
from .record_store import Pointer, RecordStore
from .records import ID_RULE, Record, RecordKey, Status, content_digest, is_id, new_id, repeatable_id
from .storage import Queue

AT_ONCE = 24
"""Storage calls side by side: more would only queue in the client's connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionItem:
    """One briefing asked for. Without an `id` it gets one: in a batch that the caller names the same at each repetition."""

    briefing: Any
    parameters: Any
    id: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one briefing asked for."""

    id: str
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchReceipt:
    """What became of a call: its batch, and each briefing in the order asked for."""

    batch_id: str
    briefings: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionParts:
    """What submission works with. `prepare` is awaited before the storage is first asked."""

    prepare: Callable[[], Awaitable[None]]
    store: RecordStore
    queue: Queue
    definitions: Definitions
    access: Access
    signals: Signals = QUIET


class Submission:
    """Accepts briefings and puts them on the queue."""

    def __init__(self, parts: SubmissionParts) -> None:
        self._prepare = parts.prepare
        self._store = parts.store
        self._queue = parts.queue
        self._definitions = parts.definitions
        self._access = parts.access
        self._signals = parts.signals

    async def submit(self, batch_id: Any, items: Sequence[SubmissionItem], caller: Caller) -> BatchReceipt:
        """Accepts all items or none.

        Raises `InvalidSubmission` or `UnknownName` with paths, `Forbidden`, `NotConfigured`, `BriefingConflict` with paths,
        and the storage errors; after one of those the same call goes on where it stopped.
        """
        with self._signals.span("submit", briefings=len(items)) as span:
            orders = orders_of(self._definitions, batch_id, items)
            for definition in {order.definition.name: order.definition for order in orders}.values():
                self._access.require_submittable(definition.indexes, caller)
            await self._prepare()
            # Ids that were just made up cannot be known to anybody.
            known = batch_id is not None or any(item.id is not None for item in items)
            receipts = await self.accept(orders, check_first=known)
            span.set(batch_id=orders[0].key.batch_id)
        return BatchReceipt(batch_id=orders[0].key.batch_id, briefings=tuple(receipts))

    async def accept(self, orders: Sequence[Order], *, check_first: bool) -> list[Receipt]:
        """Queues the orders that are new. Raises `BriefingConflict` before anything is queued, where that can be known."""
        if check_first:
            await self._require_no_conflict(orders)
        held = await for_each([order.pointer for order in orders], self._store.take, AT_ONCE)
        _refuse_conflicts(orders, held)
        return await for_each(list(zip(orders, held, strict=True)), self._accept_one, AT_ONCE)

    async def _require_no_conflict(self, orders: Sequence[Order]) -> None:
        if await self._store.is_deleted(orders[0].key.batch_id):
            raise BriefingConflict("the batch was deleted", problems=(Problem("$.batchId", "conflict", "was deleted"),))
        held = await for_each([order.key.id for order in orders], self._store.pointer, AT_ONCE)
        _refuse_conflicts(orders, held)
        known = [(place, order) for place, order in enumerate(orders) if held[place] is not None]
        records = await for_each([order.key for _, order in known], self._store.record, AT_ONCE)
        erased = [place for (place, _), record in zip(known, records, strict=True) if record and record.standing.erased]
        if erased:
            raise _conflict(erased, "was deleted")

    async def _accept_one(self, entry: tuple[Order, Pointer | None]) -> Receipt:
        order, held = entry
        found = await self._store.record(order.key) if held is not None else None
        if found is None:
            await self._put(order)
            record = order.record(order.standing(status="queued"))
            # Where the worker was faster, the record is there and says how far it is.
            found = await self._store.create(record) or await self._store.record(order.key)
            self._signals.count("app.briefing.submitted", definition=order.definition.name)
        elif found.has_stalled():
            await self.put_again(found, order)
        if found is not None and found.standing.erased:
            # It was deleted meanwhile: the parameters that were stored since go too.
            await self._store.forget_request(order.key.id)
            raise BriefingConflict("a briefing was deleted")
        return Receipt(id=order.key.id, status=found.standing.status if found else "queued")

    async def put_again(self, record: Record, order: Order) -> None:
        """Puts the message of a record that has stalled. One too many does no harm: it has the record's wait number."""
        await self._put(replace(order, wait=record.standing.wait))

    async def _put(self, order: Order) -> None:
        await put_order(self._store, self._queue, order)


async def put_order(store: RecordStore, queue: Queue, order: Order, delay_seconds: int = 0) -> None:
    """Puts the message of an order, hidden for the delay. Parameters too big for a message are stored beside it."""
    message = order.message()
    if not message.fits:
        await store.keep_request(order.key.id, order.parameters)
        message = replace(message, parameters=None, request=order.digest)
    await queue.put(message.text(), delay_seconds=delay_seconds)


def check_submission(definitions: Definitions, batch_id: Any, items: Sequence[SubmissionItem]) -> None:
    """Raises `InvalidSubmission` or `UnknownName` with the paths of everything that a call got wrong."""
    orders_of(definitions, batch_id, items)


def orders_of(definitions: Definitions, batch_id: Any, items: Sequence[SubmissionItem]) -> list[Order]:
    """The valid orders of a call; raises with every problem and its path."""
    definitions.require_sound()
    batch = batch_id if is_id(batch_id) else new_id()
    reading = _Reading(definitions=definitions, batch=batch, problems=_call_problems(batch_id, items))
    read = [reading.order(item, f"$.briefings[{place}]") for place, item in enumerate(items)]
    if reading.problems:
        raise _invalid(reading.problems)
    return _named([order for order in read if order], items, repeatable=batch_id is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """One pass over a call that collects what is wrong with it."""

    definitions: Definitions
    batch: str
    problems: list[Problem]

    def order(self, item: SubmissionItem, path: str) -> Order | None:
        """The order of an item, None where something is wrong with it."""
        definition = self._definition(item.briefing, path)
        if item.id is not None and not is_id(item.id):
            self.problems.append(Problem(f"{path}.id", "invalid_id", f"must be {ID_RULE}"))
        if definition is None:
            return None
        found = check_parameters(definition.parameters, item.parameters, f"{path}.parameters")
        self.problems.extend(found)
        if found:
            return None
        digest = content_digest(self.batch, definition.name, item.parameters)
        key = RecordKey(batch_id=self.batch, id=str(item.id or ""))
        return Order(key=key, definition=definition, parameters=item.parameters, digest=digest)

    def _definition(self, name: Any, path: str) -> Definition | None:
        try:
            return self.definitions.newest(name)
        except UnknownName as error:
            self.problems.append(error.at(f"{path}.briefing"))
            return None


def _call_problems(batch_id: Any, items: Sequence[SubmissionItem]) -> list[Problem]:
    problems: list[Problem] = []
    if batch_id is not None and not is_id(batch_id):
        problems.append(Problem("$.batchId", "invalid_id", f"must be {ID_RULE}"))
    if not 1 <= len(items) <= MAX_BRIEFINGS_PER_CALL:
        problems.append(Problem("$.briefings", "out_of_range", f"must have 1 to {MAX_BRIEFINGS_PER_CALL} entries"))
    seen: set[str] = set()
    for place, item in enumerate(items):
        if isinstance(item.id, str) and item.id in seen:
            problems.append(Problem(f"$.briefings[{place}].id", "duplicate_id", "stands twice in this call"))
        seen |= {item.id} if isinstance(item.id, str) else set()
    return problems


def _named(orders: Sequence[Order], items: Sequence[SubmissionItem], *, repeatable: bool) -> list[Order]:
    """The orders with the ids that were left out."""
    equal: Counter[str] = Counter()
    named: list[Order] = []
    for order, item in zip(orders, items, strict=True):
        if item.id is None:
            made = repeatable_id(order.key.batch_id, order.digest, equal[order.digest]) if repeatable else new_id()
            equal[order.digest] += 1
            order = replace(order, key=replace(order.key, id=made))
        named.append(order)
    return named


def _refuse_conflicts(orders: Sequence[Order], held: Sequence[Pointer | None]) -> None:
    places = [
        place
        for place, (order, pointer) in enumerate(zip(orders, held, strict=True))
        if pointer is not None and pointer != order.pointer
    ]
    erased = [place for place in places if (pointer := held[place]) is not None and pointer.erased]
    if erased:
        raise _conflict(erased, "was deleted")
    if places:
        raise _conflict(places, "is known with other content")


def _conflict(places: Sequence[int], text: str) -> BriefingConflict:
    problems = tuple(Problem(f"$.briefings[{place}].id", "conflict", text) for place in places)
    return BriefingConflict(f"a briefing {text}", problems=problems)


def _invalid(problems: Sequence[Problem]) -> RetrievalError:
    codes = {problem.code for problem in problems}
    if codes == {"unknown_definition"}:
        return UnknownName("a briefing is not defined", code="unknown_definition", problems=tuple(problems))
    return InvalidSubmission("the briefings cannot be accepted", problems=tuple(problems))
