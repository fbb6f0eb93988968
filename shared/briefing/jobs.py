"""Turns a queue message into the record that it is about; what cannot be taken becomes a stored rejection."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shared.retrieval import Problem

from .definitions import Definition, Definitions
from .messages import Delivery, Message, Unreadable, read_message
from .parameters import check_parameters
from .record_store import Announcer, Pointer, RecordStore
from .records import Record, RecordKey, Standing, content_digest, now
from .rejections import Rejection, store_rejection

WAITING = ("queued", "waiting")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A valid message: what to run, and the place of its record."""

    key: RecordKey
    definition: Definition
    parameters: Mapping[str, Any]
    digest: str
    retry_of: str | None = None
    wait: int = 0

    def message(self) -> Message:
        """The queue message of this order, with its parameters."""
        return Message(
            version=self.definition.version,
            id=self.key.id,
            batch_id=self.key.batch_id,
            briefing=self.definition.name,
            parameters=self.parameters,
            retry_of=self.retry_of,
            wait=self.wait,
        )

    def record(self, standing: Standing) -> Record:
        """A record of this order."""
        return Record(key=self.key, standing=standing, parameters=self.parameters)

    def standing(self, **members: Any) -> Standing:
        """A standing of this order."""
        return Standing(
            briefing=self.definition.name,
            version=self.definition.version,
            digest=self.digest,
            retry_of=self.retry_of,
            indexes=self.definition.indexes,
            created_at=now(),
            **members,
        )

    @property
    def pointer(self) -> Pointer:
        """The pointer of its id."""
        return Pointer(id=self.key.id, batch_id=self.key.batch_id, digest=self.digest)

    def unreadable(self, reason: str, path: str, message: str) -> Unreadable:
        """Why it cannot be taken after all."""
        return Unreadable(
            reason=reason,
            problems=(Problem(path, reason, message),),
            id=self.key.id,
            batch_id=self.key.batch_id,
            briefing=self.definition.name,
        )


class Intake:
    """Reads messages by the definitions there are."""

    def __init__(self, store: RecordStore, definitions: Definitions, announcer: Announcer) -> None:
        self._store = store
        self._definitions = definitions
        self._announcer = announcer

    async def read(self, body: bytes) -> Order | Unreadable:
        """The order in a message. Raises the storage errors, and `DefinitionsBroken` when a broken file may define it."""
        message = read_message(body)
        if isinstance(message, Unreadable):
            return message
        definition = self._definitions.exactly(message.briefing, message.version)
        if definition is None:
            self._definitions.require_sound()
            return _refused(message, "unknown_definition", "$.briefing", "no definition of this name and version is known")
        parameters = message.parameters
        if message.request is not None:
            parameters = await self._store.kept_request(message.id)
            if parameters is None and await self._is_erased(message):
                return _erased_order(message, definition)
        return _order(message, definition, parameters)

    async def _is_erased(self, message: Message) -> bool:
        """Whether the briefing was deleted, and its request with it."""
        record = await self._store.record(RecordKey(batch_id=message.batch_id, id=message.id))
        return record is not None and record.standing.erased

    async def reject(self, delivery: Delivery, why: Unreadable) -> None:
        """Stores the rejection, and a `rejected` record when its id is free or waits with this very content."""
        message_id = delivery.message_id or hashlib.sha256(delivery.body).hexdigest()
        rejection = Rejection(
            message_id=message_id,
            at=delivery.inserted,
            reason=why.reason,
            problems=why.problems,
            id=why.id,
            batch_id=why.batch_id,
            briefing=why.briefing,
        )
        await store_rejection(self._store.blobs, rejection)
        if why.id is not None:
            await self._record_rejection(_rejected_record(why, why.id, f"rejected:{message_id}"))

    async def _record_rejection(self, record: Record) -> None:
        pointer = Pointer(id=record.key.id, batch_id=record.key.batch_id, digest=record.standing.digest)
        if await self._store.claim(pointer) != pointer:
            return  # the id belongs to another content, which this message cannot touch
        kept = await self._store.create(record) or await self._store.record(record.key)
        if kept is not None and kept.standing.status in WAITING:
            kept = await self._store.save(_as_rejected(kept, record))
        if kept is not None:
            await self._announcer.announce(kept)


def _rejected_record(why: Unreadable, briefing_id: str, digest: str) -> Record:
    standing = Standing(
        status="rejected",
        briefing=why.briefing or "",
        version=0,
        digest=why.digest or digest,
        created_at=now(),
        finished_at=now(),
        reason=why.reason,
    )
    # A message without a usable batch is a batch of its own.
    key = RecordKey(batch_id=why.batch_id or briefing_id, id=briefing_id)
    return Record(key=key, standing=standing, problems=why.problems)


def _as_rejected(kept: Record, rejected: Record) -> Record:
    standing = rejected.standing
    changed = kept.standing_as(status="rejected", reason=standing.reason, finished_at=standing.finished_at)
    return replace(changed, problems=rejected.problems)


def _erased_order(message: Message, definition: Definition) -> Order:
    key = RecordKey(batch_id=message.batch_id, id=message.id)
    return Order(key=key, definition=definition, parameters={}, digest=message.request or "")


def _order(message: Message, definition: Definition, parameters: Any) -> Order | Unreadable:
    if parameters is None:
        return _refused(message, "request_missing", "$.request", "the stored request is not there")
    problems = check_parameters(definition.parameters, parameters, "$.parameters")
    if problems:
        return _unreadable(message, "invalid_parameters", problems)
    digest = content_digest(message.batch_id, message.briefing, parameters, message.retry_of)
    if message.request not in (None, digest):
        return _refused(message, "request_missing", "$.request", "the stored request is another one")
    return Order(
        key=RecordKey(batch_id=message.batch_id, id=message.id),
        definition=definition,
        parameters=parameters,
        digest=digest,
        retry_of=message.retry_of,
        wait=message.wait,
    )


def _refused(message: Message, reason: str, path: str, text: str) -> Unreadable:
    return _unreadable(message, reason, (Problem(path, reason, text),))


def _unreadable(message: Message, reason: str, problems: tuple[Problem, ...]) -> Unreadable:
    digest = message.request
    if message.parameters is not None:
        digest = content_digest(message.batch_id, message.briefing, message.parameters, message.retry_of)
    return Unreadable(
        reason=reason,
        problems=problems,
        id=message.id,
        batch_id=message.batch_id,
        briefing=message.briefing,
        digest=digest,
    )
