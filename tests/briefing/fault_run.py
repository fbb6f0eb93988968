"""Runs the briefing app on the development host and ends processes of its, at random or at a step."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from azure.storage.queue.aio import QueueClient

from local.azurite import Azurite
from shared.answers import ExtractiveWriter
from shared.briefing import BriefingParts, Briefings, BriefingSettings, Storage, SubmissionItem
from tests.briefing.doubles import INDEXES, SampleRetrieval
from tests.briefing.workbench import NOBODY
from tests.support.host import ROOT, HostProcess

APP = Path(__file__).parent / "app"
BATCH = "run"
CALM_SECONDS = 120.0
"""After the last kill, to finish: far more than is needed, since other work may share the machine."""


@dataclass
class FaultRun:
    """One run: the storage it uses, what the app logs, and the host while it lives."""

    azurite: Azurite
    storage: Storage
    settings: BriefingSettings
    log: Path
    deaths: str = "0"
    taken_seconds: float = 3.0
    killed: Counter[str] = field(default_factory=Counter)

    def briefings(self) -> Briefings:
        """To submit and to look: never to run."""
        parts = BriefingParts(retrieval=SampleRetrieval(), indexes=INDEXES, writer=ExtractiveWriter(), storage=self.storage)
        return Briefings(self.settings, parts)

    def host(self) -> HostProcess:
        """A host for the app, not yet started."""
        environment = {
            "PYTHONPATH": str(ROOT),
            "BriefingStorage": self.azurite.connection_string,
            "FAULT_QUEUE": self.settings.queue_name,
            "FAULT_CONTAINER": self.settings.container,
            "FAULT_DONE": self.settings.done_queue_name or "",
            "LEASE_SECONDS": str(self.settings.lease_seconds),
            "DEATHS": self.deaths,
            "FAULT_LOG": str(self.log),
        }
        arguments = ("--taken-visibility", str(self.taken_seconds), "--grace", "1")
        return HostProcess(APP, *arguments, environment=environment)

    async def submit(self, count: int) -> None:
        """Briefings whose prompts name their id."""
        items = [
            SubmissionItem(
                id=f"i{number}", briefing="inspection-summary", parameters={"urn": "900001", "focus": f"<i{number}>"}
            )
            for number in range(count)
        ]
        for start in range(0, count, 1000):
            await self.briefings().submit(BATCH, items[start : start + 1000], NOBODY)

    async def finished(self, seconds: float, total: int) -> dict[str, int]:
        """The counts when all are final, or when the time is over."""
        ends = time.monotonic() + seconds
        while True:
            progress = await self.briefings().batch(BATCH)
            if (progress.percent == 100 and progress.total == total) or time.monotonic() > ends:
                return {str(status): count for status, count in progress.counts.items()}
            await asyncio.sleep(0.5)

    async def under_random_kills(self, total: int, seconds: float, seed: int) -> dict[str, int]:
        """Runs until all are final; for so many seconds hosts and workers are killed at random, then they may live."""
        chance, calm = random.Random(seed), time.monotonic() + seconds
        ends = calm + CALM_SECONDS
        counts: dict[str, int] = {}
        while time.monotonic() < ends:
            host = await asyncio.to_thread(self.host().start)
            try:
                life = ends - time.monotonic() if time.monotonic() > calm else chance.uniform(2.0, 5.0)
                counts = await self.finished(life, total)
                if sum(counts.get(status, 0) for status in ("queued", "running", "waiting")) == 0:
                    await asyncio.to_thread(host.stop)
                    return counts
                self._kill(host, chance)
            finally:
                if host.process.poll() is None:
                    await asyncio.to_thread(host.kill)
        return counts

    def _kill(self, host: HostProcess, chance: random.Random) -> None:
        workers = children_of(host.process.pid)
        if workers and chance.random() < 0.5:
            os.kill(workers[0], signal.SIGKILL)
            self.killed["worker"] += 1
            time.sleep(1.0)
        host.kill()
        self.killed["host"] += 1

    def told(self, what: str) -> list[dict[str, Any]]:
        """The lines of one kind that the app has logged."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        read = [json.loads(line) for line in lines if line.endswith("}")]
        return [line for line in read if line["what"] == what]

    async def done_ids(self) -> list[str]:
        """The ids of the done messages."""
        name = self.settings.done_queue_name or ""
        async with QueueClient.from_connection_string(self.azurite.connection_string, name) as queue:
            messages = queue.receive_messages(messages_per_page=32, visibility_timeout=600)
            return [json.loads(message.content)["id"] async for message in messages]


def children_of(pid: int) -> Sequence[int]:
    """The processes that a process of ours has started."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text(encoding="ascii").split()] if path.exists() else []
