"""Briefings put together for tests: storage in memory or on Azurite, sample evidence, a writer of choice."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from shared.answers import AnswerWriter, ExtractiveWriter
from shared.briefing import BriefingParts, Briefings, BriefingSettings, BriefingView, Storage, SubmissionItem
from shared.briefing.definitions import Definitions
from shared.briefing.record_store import RecordStore
from shared.briefing.records import Record, RecordKey
from shared.retrieval import Caller, IndexSettings
from tests.briefing.doubles import INDEXES, SampleRetrieval
from tests.briefing.memory_storage import MemoryStorage

NOBODY = Caller()
URN = "900001"
FAST = BriefingSettings(lease_seconds=0.4, deadline_seconds=20.0)


@dataclass
class Workbench:
    """Briefings with their parts at hand."""

    memory: MemoryStorage = field(default_factory=MemoryStorage)
    storage: Storage | None = None
    writer: AnswerWriter = field(default_factory=ExtractiveWriter)
    retrieval: SampleRetrieval = field(default_factory=SampleRetrieval)
    settings: BriefingSettings = FAST
    indexes: tuple[IndexSettings, ...] = INDEXES
    definitions: Definitions | None = None

    def briefings(self) -> Briefings:
        """New ones on the same storage, as after a restart of the process."""
        parts = BriefingParts(
            retrieval=self.retrieval,
            indexes=self.indexes,
            writer=self.writer,
            storage=self.storage or self.memory.storage,
            definitions=self.definitions,
        )
        return Briefings(self.settings, parts)

    async def submitted(self, *ids: str, batch: str = "b1", urn: str = URN) -> list[str]:
        """Submits school profiles; gives their messages in order."""
        before = len(self.memory.queue.texts)
        await self.briefings().submit(batch, [profile(name, urn) for name in ids], NOBODY)
        return self.memory.queue.texts[before:]

    async def record(self, briefing_id: str, batch: str = "b1") -> Record:
        """A record, which must be there."""
        blobs = self.storage.blobs if self.storage else self.memory.blobs
        found = await RecordStore(blobs).record(RecordKey(batch_id=batch, id=briefing_id))
        assert found is not None
        return found

    async def view(self, briefing_id: str) -> BriefingView:
        """A briefing as readers see it."""
        return await self.briefings().get(briefing_id, NOBODY)


def profile(briefing_id: str | None = None, urn: str = URN) -> SubmissionItem:
    """A school profile to submit."""
    return SubmissionItem(id=briefing_id, briefing="school-profile", parameters={"urn": urn})


def message(**changes: Any) -> dict[str, Any]:
    """A valid queue message with changes; a change to None takes the member away."""
    members: dict[str, Any] = {
        "version": 1,
        "id": "m1",
        "batchId": "mb",
        "briefing": "school-profile",
        "parameters": {"urn": URN},
        **changes,
    }
    return {key: value for key, value in members.items() if value is not None}


def body(members: Any, *, encoded: bool = False) -> bytes:
    """The bytes of a message, plain or in base64."""
    text = json.dumps(members).encode()
    return base64.b64encode(text) if encoded else text
