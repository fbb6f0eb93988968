"""Settings of briefings: frozen values, made by the caller (the app loads them from its environment)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

POISON_SUFFIX = "-poison"
"""The Functions host moves what failed too often to a queue of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingSettings:
    """How briefings are queued, run and kept (`AiAgents__Briefings__…`).

    `max_concurrency` bounds sections and writers at work in one process; `deadline_seconds` is the time of one run, below
    the host's `functionTimeout`; a running record not touched for `lease_seconds` was left behind by a process that died.
    `definitions_folder` holds the definitions that are offered; None: the shipped samples.
    """

    queue_name: str = "briefings"
    container: str = "briefings"
    done_queue_name: str | None = None
    max_concurrency: int = 4
    deadline_seconds: float = 240.0
    retention_days: int = 90
    lease_seconds: float = 10.0
    definitions_folder: Path | None = None

    @property
    def poison_queue_name(self) -> str:
        """The queue to which the host moves what failed too often."""
        return self.queue_name + POISON_SUFFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """Where blobs and queues are (`BriefingStorage__…`): two service addresses, or a connection string of the emulator.

    `credential` is `managedidentity` (or None for the app's own); `client_id` names a user-assigned identity.
    """

    queue_service_uri: str | None = None
    blob_service_uri: str | None = None
    credential: Literal["managedidentity"] | None = None
    client_id: str | None = None
    connection_string: str | None = field(default=None, repr=False)
