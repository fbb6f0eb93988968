"""One delivery of one queue message, and the ways it can end."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from .identity import is_id
from .records import Status

Outcome = Status | Literal["already_final", "accepted"]
"""The status that the delivery left, or `already_final`, or `accepted`: another delivery is at work on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What the host tells about a message. `last` is set when the queue will not deliver it again."""

    body: bytes
    message_id: str | None = None
    dequeue_count: int | None = None
    insertion_time: datetime | None = None
    last: bool = False

    @property
    def message_name(self) -> str | None:
        """The message's id as records can keep it: metadata takes no more than an id of ours may hold."""
        if self.message_id is None or is_id(self.message_id):
            return self.message_id
        return hashlib.sha256(self.message_id.encode(errors="replace")).hexdigest()

    @property
    def inserted(self) -> datetime:
        """When it was put on the queue; now, where the host does not say."""
        moment = self.insertion_time or datetime.now(UTC)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
