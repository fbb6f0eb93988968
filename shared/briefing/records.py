"""Records of briefings as values, and as blobs: the standing in the metadata, the request and the result inside.

A blob is written in one step, so standing and result cannot disagree; the standing alone tells how a batch goes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Self
from uuid import uuid4

from shared.retrieval import Problem

from .storage import Blob, BlobEntry, NewBlob

# Names of the blobs in the container of briefings.
#
# | blob | what | written |
# |---|---|---|
# | `ids/{id}.json` | pointer: the batch of an id and the digest of its content | once, never changed |
# | `records/{batch}~{id}.json` | the record of a briefing: status in the metadata, request and result | by ETag only |
# | `requests/{id}.json` | a request too big for a message | once, never changed |
# | `rejections/{time}-{message}.json` | a message that could not be taken | once, never changed |
# | `deleted/{batch}.json` | the batch was deleted: it takes no more briefings | once |
# | `tokens/{day}.json` | the model tokens used that day | by ETag only |
#
# `~` cannot stand in an id, so no batch's prefix begins another's; the ending keeps a dot off the end of a name, which
# Azure would cut.

REJECTIONS_PREFIX = "rejections/"
ENDING = ".json"


def pointer_blob(briefing_id: str) -> str:
    """The pointer of an id."""
    return f"ids/{briefing_id}{ENDING}"


def batch_prefix(batch_id: str) -> str:
    """How the names of a batch's records begin."""
    return f"records/{batch_id}~"


def record_blob(batch_id: str, briefing_id: str) -> str:
    """The record of a briefing."""
    return f"{batch_prefix(batch_id)}{briefing_id}{ENDING}"


def id_in_record(name: str) -> str:
    """The briefing id in the name of a record."""
    return name.partition("~")[2].removesuffix(ENDING)


def request_blob(briefing_id: str) -> str:
    """The stored request of an id."""
    return f"requests/{briefing_id}{ENDING}"


def deleted_batch_blob(batch_id: str) -> str:
    """The mark of a deleted batch."""
    return f"deleted/{batch_id}{ENDING}"


def tokens_blob(day: str) -> str:
    """The count of a day, `2026-11-30`."""
    return f"tokens/{day}{ENDING}"


Status = Literal[
    "queued",
    "running",
    "waiting",
    "completed",
    "failed_checks",
    "no_evidence",
    "not_answered",
    "failed",
    "rejected",
    "cancelled",
]

FINAL: tuple[Status, ...] = (
    *("completed", "failed_checks", "no_evidence", "not_answered", "failed", "rejected", "cancelled"),
)
STATUSES: tuple[Status, ...] = ("queued", "running", "waiting", *FINAL)


STALLED_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a briefing stands: all that a list of its batch shows. Stored as metadata, in ASCII."""

    status: Status
    briefing: str
    version: int
    digest: str
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    attempts: int = 0
    reason: str | None = None
    wait: int = 0
    """How often it was put back to wait."""
    retry_at: datetime | None = None
    retry_of: str | None = None
    indexes: tuple[str, ...] = ()
    """The indexes that it is made from: their roles bound who may see it in a list."""
    run: str | None = None
    """The run that holds the record while it is running, or that made it final."""
    message: str | None = None
    """The queue message of that run."""
    erased: bool = False
    announced: bool = False
    """Whether the done message was put."""

    @property
    def final(self) -> bool:
        """Whether it will not change any more, but for being erased."""
        return self.status in FINAL

    def metadata(self) -> dict[str, str]:
        """The standing as metadata; what is absent is left out."""
        members = {
            "status": self.status,
            "briefing": self.briefing,
            "version": str(self.version),
            "digest": self.digest,
            "created": _time_text(self.created_at),
            "started": _time_text(self.started_at),
            "finished": _time_text(self.finished_at),
            "attempts": str(self.attempts),
            "reason": self.reason or "",
            "wait": str(self.wait or ""),
            "retryat": _time_text(self.retry_at),
            "retryof": self.retry_of or "",
            "indexes": ",".join(self.indexes),
            "run": self.run or "",
            "message": self.message or "",
            "erased": "yes" if self.erased else "",
            "announced": "yes" if self.announced else "",
        }
        return {key: value for key, value in members.items() if value}

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, str]) -> Self:
        """The standing of a record's blob."""
        created = _time(metadata.get("created"))
        return cls(
            status=metadata["status"],  # type: ignore[arg-type]  # written by `metadata` only
            briefing=metadata.get("briefing", ""),
            version=int(metadata.get("version", "0")),
            digest=metadata.get("digest", ""),
            created_at=created or datetime.fromtimestamp(0, UTC),
            started_at=_time(metadata.get("started")),
            finished_at=_time(metadata.get("finished")),
            attempts=int(metadata.get("attempts", "0")),
            reason=metadata.get("reason"),
            wait=int(metadata.get("wait", "0")),
            retry_at=_time(metadata.get("retryat")),
            retry_of=metadata.get("retryof"),
            indexes=tuple(filter(None, metadata.get("indexes", "").split(","))),
            run=metadata.get("run"),
            message=metadata.get("message"),
            erased="erased" in metadata,
            announced="announced" in metadata,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKey:
    """The place of a record."""

    batch_id: str
    id: str

    @property
    def blob(self) -> str:
        """The name of its blob."""
        return record_blob(self.batch_id, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record as it was read or will be written. `etag` is None for one that is not stored yet.

    `result` is what the run found out, in the form of `results.py`; `quiet_seconds` is how long nobody has touched it.
    """

    key: RecordKey
    standing: Standing
    parameters: Mapping[str, Any] = field(default_factory=dict)
    result: Mapping[str, Any] | None = None
    problems: tuple[Problem, ...] = ()
    etag: str | None = None
    quiet_seconds: float = 0.0

    def blob(self) -> NewBlob:
        """The record as it is stored."""
        content = {
            "id": self.key.id,
            "batchId": self.key.batch_id,
            "parameters": self.parameters,
            "result": self.result,
            "problems": [[problem.path, problem.code, problem.message] for problem in self.problems],
        }
        text = "{}" if self.standing.erased else json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return NewBlob(name=self.key.blob, content=text.encode(), metadata=self.standing.metadata())

    @classmethod
    def from_blob(cls, key: RecordKey, blob: Blob) -> Self:
        """The record in a blob."""
        content = json.loads(blob.content)
        return cls(
            key=key,
            standing=Standing.from_metadata(blob.metadata),
            parameters=content.get("parameters", {}),
            result=content.get("result"),
            problems=tuple(Problem(*problem) for problem in content.get("problems", ())),
            etag=blob.etag,
            quiet_seconds=(blob.read_at - blob.modified).total_seconds(),
        )

    def standing_as(self, **changes: Any) -> Self:
        """The same record in another standing."""
        return replace(self, standing=replace(self.standing, **changes))

    def is_alive(self, lease_seconds: float) -> bool:
        """Whether a run has touched it within the lease. The storage tells whole seconds, so one more is allowed."""
        return self.standing.status == "running" and self.quiet_seconds < lease_seconds + 1

    def has_stalled(self) -> bool:
        """Whether it is not final and nothing has moved for an hour, also past its next try: its message may be lost."""
        standing = self.standing
        overdue = standing.retry_at is None or now() >= standing.retry_at + timedelta(seconds=STALLED_SECONDS)
        return not standing.final and self.quiet_seconds >= STALLED_SECONDS and overdue

    def with_etag(self, etag: str | None) -> Self:
        """The same record, to be saved over the one with this ETag."""
        return replace(self, etag=etag)

    def with_result(self, result: Mapping[str, Any]) -> Self:
        """The same record with what a run found out."""
        return replace(self, result=result)

    def tombstone(self) -> Self:
        """What is left of it when it is deleted: the standing alone, without a word of content."""
        status: Status = self.standing.status if self.standing.final else "cancelled"
        finished = self.standing.finished_at or now()
        emptied = self.standing_as(status=status, finished_at=finished, erased=True, digest="", retry_at=None)
        return replace(emptied, parameters={}, result=None, problems=())


def now() -> datetime:
    """The time as records keep it: UTC, to the millisecond, so that a standing read equals the one written."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def entry_standing(entry: BlobEntry) -> Standing:
    """The standing of a record in a list."""
    return Standing.from_metadata(entry.metadata)


def _time_text(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


# Ids of briefings and batches: their form, the ones made here, and the digest that tells equal content from other.

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
ID_RULE = "1 to 100 letters, digits, dots, underscores and hyphens, the first a letter or digit"
KEPT_IN_RETRY = 80
"""How much of an id its retry shows: the rest of the hundred characters is for what tells it apart."""


def is_id(value: object) -> bool:
    """Whether it can be the id of a briefing or batch."""
    return isinstance(value, str) and ID.fullmatch(value) is not None


def new_id() -> str:
    """An id that nobody has."""
    return uuid4().hex


def repeatable_id(batch_id: str, digest: str, ordinal: int) -> str:
    """The id of a briefing that came without one into a named batch: the same when the call is repeated.

    `ordinal` counts equal briefings of one call.
    """
    return hashlib.sha256(f"{batch_id}\n{digest}\n{ordinal}".encode()).hexdigest()[:32]


def retry_id(batch_id: str, briefing_id: str) -> str:
    """The id of the one retry of a briefing: the same whenever it is asked for."""
    digest = hashlib.sha256(f"retry\n{batch_id}\n{briefing_id}".encode()).hexdigest()[:12]
    return f"{briefing_id[:KEPT_IN_RETRY]}-retry-{digest}"


def content_digest(batch_id: str, briefing: str, parameters: Mapping[str, Any], retry_of: str | None = None) -> str:
    """A digest of what was asked for. The definition's version is not part: a repeated call may meet a newer one."""
    content = {"batchId": batch_id, "briefing": briefing, "parameters": parameters, "retryOf": retry_of}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
