"""Briefings on Azurite: throughput beside a bare receive-and-delete loop, growth with batch size, memory, progress.

python -m bench.briefings                 # all of it, a few minutes
python -m bench.briefings --count 300     # fewer briefings
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from azure.storage.queue.aio import QueueClient

from local.azurite import Azurite
from shared.answers import ExtractiveWriter
from shared.briefing import (
    BriefingParts,
    Briefings,
    BriefingSettings,
    Storage,
    StorageSettings,
    SubmissionItem,
)
from shared.briefing.azure_storage import connect_storage
from shared.retrieval import Caller, Evidence, EvidenceSearch, IndexSettings, Source

SAMPLE = Path(__file__).resolve().parents[1] / "local" / "sample" / "data" / "schools.jsonl"
BATCH_SIZES = (1, 2, 4, 8, 16)
NOBODY = Caller()


class OneSchool:
    """Evidence of one school, without a search: what is measured is the queue, the records and the writer."""

    def __init__(self) -> None:
        school = json.loads(SAMPLE.read_text(encoding="utf-8").splitlines()[0])
        block = "\n".join(f"{key}: {value}" for key, value in school.items() if key != "url")
        source = Source(number=1, name=school["name"], link=school["url"], index="schools", key=school["urn"])
        self._evidence = Evidence(text=f"--- schools Evidence 1 ---\n{block}", sources=(source,), blocks=(block,))

    async def evidence_of(
        self, searches: Sequence[EvidenceSearch], *, max_characters: int | None = None, caller: Caller | None = None
    ) -> Evidence:
        """Always the same school."""
        return self._evidence


@dataclass
class Place:
    """A container and queues of their own."""

    azurite: Azurite
    settings: BriefingSettings
    storage: Storage

    @classmethod
    async def make(cls, azurite: Azurite) -> Place:
        """A new one, its container and queues made."""
        unique = uuid.uuid4().hex[:10]
        settings = BriefingSettings(queue_name=f"q{unique}", container=f"c{unique}", max_concurrency=16)
        storage = connect_storage(StorageSettings(connection_string=azurite.connection_string), settings)
        await storage.check()
        return cls(azurite, settings, storage)

    def briefings(self) -> Briefings:
        """Briefings with the extractive writer."""
        indexes = tuple(IndexSettings(name=name) for name in ("schools", "inspections"))
        parts = BriefingParts(retrieval=OneSchool(), indexes=indexes, writer=ExtractiveWriter(), storage=self.storage)
        return Briefings(self.settings, parts)

    async def submit(self, briefings: Briefings, count: int) -> float:
        """Submits so many school profiles as one batch; gives the seconds."""
        began = time.perf_counter()
        items = [
            SubmissionItem(id=f"i{number:06d}", briefing="school-profile", parameters={"urn": "900001"})
            for number in range(count)
        ]
        for start in range(0, count, 1000):
            await briefings.submit("batch", items[start : start + 1000], NOBODY)
        return time.perf_counter() - began

    async def drain(self, handle: Callable[[Any], Awaitable[object]], batch_size: int) -> tuple[int, float]:
        """Receives, handles and deletes so many at once until the queue is empty; gives their number and the seconds."""
        began, done = time.perf_counter(), 0
        async with QueueClient.from_connection_string(self.azurite.connection_string, self.settings.queue_name) as queue:

            async def one(message: Any) -> None:
                await handle(message)
                await queue.delete_message(message)

            while messages := [entry async for entry in queue.receive_messages(max_messages=batch_size)]:
                for start in range(0, len(messages), batch_size):
                    await asyncio.gather(*(one(message) for message in messages[start : start + batch_size]))
                done += len(messages)
        return done, time.perf_counter() - began


async def bare_rate(azurite: Azurite, count: int, batch_size: int) -> float:
    """Messages a second of the loop that does nothing with them."""
    place = await Place.make(azurite)
    briefings = place.briefings()
    await place.submit(briefings, count)

    async def nothing(_: Any) -> None:
        return None

    done, seconds = await place.drain(nothing, batch_size)
    await briefings.close()
    return done / seconds


async def briefing_rate(azurite: Azurite, count: int, batch_size: int) -> tuple[float, float]:
    """Briefings a second, and submissions a second."""
    place = await Place.make(azurite)
    briefings = place.briefings()
    submitting = await place.submit(briefings, count)

    async def run(message: Any) -> None:
        await briefings.handle_message(message.content.encode(), message.id, message.dequeue_count)

    done, seconds = await place.drain(run, batch_size)
    progress = await briefings.batch("batch")
    assert progress.counts == {"completed": count}, progress.counts
    await briefings.close()
    return done / seconds, count / submitting


async def progress_cost(azurite: Azurite, count: int) -> float:
    """Seconds to read the progress of a finished batch."""
    place = await Place.make(azurite)
    briefings = place.briefings()
    await place.submit(briefings, count)
    began = time.perf_counter()
    await briefings.batch("batch")
    seconds = time.perf_counter() - began
    await briefings.close()
    return seconds


def memory_megabytes() -> float:
    """Resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1_048_576


async def memory_growth(azurite: Azurite, count: int) -> list[float]:
    """Resident memory after each fifth of so many briefings."""
    place = await Place.make(azurite)
    briefings = place.briefings()
    marks: list[float] = []
    handled = 0

    async def run(message: Any) -> None:
        nonlocal handled
        await briefings.handle_message(message.content.encode(), message.id, message.dequeue_count)
        handled += 1
        if handled % (count // 5) == 0:
            marks.append(memory_megabytes())

    await place.submit(briefings, count)
    await place.drain(run, 8)
    await briefings.close()
    return marks


async def measure(count: int, many: int) -> None:
    """Prints the table."""
    with Azurite() as azurite:
        await briefing_rate(azurite, 20, 4)  # imports and connections
        print("| batch size | bare loop /s | briefings /s | share | submitted /s |\n|---|---|---|---|---|")
        for size in BATCH_SIZES:
            bare = await bare_rate(azurite, count, size)
            rate, submitted = await briefing_rate(azurite, count, size)
            print(f"| {size} | {bare:.0f} | {rate:.1f} | {rate / bare:.2f} | {submitted:.0f} |", flush=True)
        print(f"\nprogress of {count} briefings: {await progress_cost(azurite, count) * 1000:.0f} ms, 2 storage calls")
        marks = await memory_growth(azurite, many)
        print(f"memory over {many} briefings: {', '.join(f'{mark:.0f}' for mark in marks)} MB")


def main() -> None:
    """Reads the arguments and measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400, help="briefings for each rate")
    parser.add_argument("--many", type=int, default=5000, help="briefings for the memory")
    given = parser.parse_args()
    asyncio.run(measure(given.count, given.many))


if __name__ == "__main__":
    main()
