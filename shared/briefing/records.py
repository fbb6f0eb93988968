"""Records of briefings as values, and as blobs: the standing in the metadata, the request and the result inside.

A blob is written in one step, so standing and result cannot disagree; the standing alone tells how a batch goes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, Self

from shared.retrieval import Problem

from . import names
from .storage import Blob, BlobEntry, NewBlob

Status = Literal[
    "queued",
    "running",
    "retrying",
    "completed",
    "failed_checks",
    "no_evidence",
    "failed",
    "rejected",
    "cancelled",
]

FINAL: tuple[Status, ...] = ("completed", "failed_checks", "no_evidence", "failed", "rejected", "cancelled")
STATUSES: tuple[Status, ...] = ("queued", "running", "retrying", *FINAL)


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
    retry_of: str | None = None
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
            "retryof": self.retry_of or "",
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
            retry_of=metadata.get("retryof"),
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
        return names.record(self.batch_id, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record as it was read or will be written. `etag` is None for one that is not stored yet.

    `result` is what the run found out, in the form of `results.py`; `quiet_seconds` is how long nobody has touched it.
    """

    key: RecordKey
    standing: Standing
    parameters: Mapping[str, Any] = field(default_factory=dict)
    indexes: tuple[str, ...] = ()
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
            "indexes": self.indexes,
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
            indexes=tuple(content.get("indexes", ())),
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
        emptied = self.standing_as(status=status, finished_at=finished, erased=True)
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
