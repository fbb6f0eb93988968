"""Rejections: messages that could not be taken, each one stored once, newest first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from shared.retrieval import Problem

from .records import ENDING, REJECTIONS_PREFIX
from .storage import Blobs, Continuation, NewBlob, read_continuation, write_continuation

PAGE = 100
REJECTIONS = "rejections"
"""The name of this list in its continuations."""
# Names count down, so that a list by name begins with the newest: the last second that a date can have, less this one.
LAST_SECOND = 253_402_300_799


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A message that was not taken: when, why, and its id and batch where they could be read. Never its text."""

    message_id: str
    at: datetime
    reason: str
    problems: tuple[Problem, ...] = ()
    id: str | None = None
    batch_id: str | None = None
    briefing: str | None = None

    def blob(self) -> NewBlob:
        """The rejection as it is stored. The same message gives the same name, so a second delivery adds nothing."""
        countdown = LAST_SECOND - int(self.at.timestamp())
        digest = hashlib.sha256(self.message_id.encode()).hexdigest()[:32]
        content = {
            "messageId": self.message_id,
            "at": self.at.astimezone(UTC).isoformat(timespec="seconds"),
            "reason": self.reason,
            "problems": [[problem.path, problem.code, problem.message] for problem in self.problems],
            "id": self.id,
            "batchId": self.batch_id,
            "briefing": self.briefing,
        }
        name = f"{REJECTIONS_PREFIX}{countdown:012d}-{digest}{ENDING}"
        return NewBlob(name=name, content=json.dumps(content).encode(), metadata={"reason": self.reason})

    @classmethod
    def from_content(cls, content: bytes) -> Self:
        """The rejection in a blob."""
        members = json.loads(content)
        return cls(
            message_id=members["messageId"],
            at=datetime.fromisoformat(members["at"]),
            reason=members["reason"],
            problems=tuple(Problem(*problem) for problem in members["problems"]),
            id=members["id"],
            batch_id=members["batchId"],
            briefing=members["briefing"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionPage:
    """Rejections, newest first; `continuation` gives the next page."""

    rejections: Sequence[Rejection]
    continuation: str | None = None


async def store_rejection(blobs: Blobs, rejection: Rejection) -> None:
    """Stores a rejection, once for each message."""
    await blobs.create(rejection.blob())


def check_rejections_page(continuation: str | None) -> Continuation:
    """Where the list of rejections goes on. Raises `InvalidContinuation`."""
    return read_continuation(continuation, REJECTIONS)


async def list_rejections(blobs: Blobs, continuation: str | None = None) -> RejectionPage:
    """A page of rejections. Raises `InvalidContinuation`."""
    where = check_rejections_page(continuation)
    page = await blobs.list_page(REJECTIONS_PREFIX, marker=where.marker, size=PAGE)
    read = [await blobs.read(entry.name) for entry in page.entries]
    rejections = [Rejection.from_content(blob.content) for blob in read if blob is not None]
    return RejectionPage(rejections=rejections, continuation=write_continuation(REJECTIONS, page.marker))
