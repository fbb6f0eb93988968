"""One delivery of one queue message, and the ways it can end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

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
    def inserted(self) -> datetime:
        """When it was put on the queue; now, where the host does not say."""
        moment = self.insertion_time or datetime.now(UTC)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
