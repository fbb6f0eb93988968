"""Faults at every storage call of a run: the process dies, or storage fails before or after it has done what was asked."""

from __future__ import annotations

import asyncio
import json
import random
import re
from contextlib import suppress
from dataclasses import replace

import pytest

from shared.answers import Task
from shared.briefing import FINAL, Briefings, Redeliver, Storage, StorageUnavailable, SubmissionItem
from shared.briefing.records import Standing
from tests.briefing.doubles import Faults, FaultyBlobs, FaultyQueue, Killed, ScriptedWriter, Step, dies_at
from tests.briefing.memory_storage import MemoryStorage
from tests.briefing.workbench import FAST, NOBODY, Workbench, body, message

GOOD = "Good [Evidence 1]."
LATER = 60.0
"""Seconds after which a record that nobody touches is left behind."""


def _with_faults(memory: MemoryStorage, faults: Faults) -> Storage:
    return Storage(
        blobs=FaultyBlobs(memory.blobs, faults),
        queue=FaultyQueue(memory.queue, faults),
        poison=FaultyQueue(memory.poison, faults, "poison"),
        done=FaultyQueue(memory.done, faults, "done"),
    )


def _standing(memory: MemoryStorage, name: str) -> Standing:
    return Standing.from_metadata(memory.blobs.blobs[name].metadata)


async def _steps_of_a_run(direct: bool) -> list[Step]:
    """The storage calls of one run without faults."""
    bench, text = await _given(direct)
    faults = Faults()
    await Workbench(memory=bench.memory, storage=_with_faults(bench.memory, faults)).briefings().handle_message(text, "m1")
    return faults.steps


async def _given(direct: bool) -> tuple[Workbench, bytes]:
    """A message, put by another application or by our own submission."""
    bench = Workbench()
    if direct:
        return bench, body(message(id="a", batchId="b1"))
    [text] = await bench.submitted("a")
    return bench, text.encode()


def _plans() -> list[object]:
    steps = {direct: asyncio.run(_steps_of_a_run(direct)) for direct in (True, False)}
    return [
        pytest.param(direct, number, moment, id=f"{'direct' if direct else 'submitted'}-{moment}-{number}-{step[0]}")
        for direct, found in steps.items()
        for number, step in enumerate(found, 1)
        for moment in ("before", "after")
    ]


@pytest.mark.parametrize(("direct", "number", "moment"), _plans())
async def test_a_process_that_dies_anywhere_leaves_one_final_record(direct: bool, number: int, moment: str) -> None:
    bench, text = await _given(direct)
    writer = ScriptedWriter([GOOD])
    dying = Workbench(
        memory=bench.memory, storage=_with_faults(bench.memory, Faults(dies_at(number, moment))), writer=writer
    )
    with pytest.raises(Killed):
        await dying.briefings().handle_message(text, "m1", 1)
    bench.memory.blobs.lag_seconds = LATER
    final_before = _is_final(bench.memory)
    written_before = len(writer.tasks)
    outcome = await Workbench(memory=bench.memory, writer=writer).briefings().handle_message(text, "m1", 2)
    assert _standing(bench.memory, "records/b1~a.json").status == "completed"
    assert outcome == ("already_final" if final_before else "completed")
    if final_before:
        assert len(writer.tasks) == written_before, "no writer call after a final record"
    told = [json.loads(entry)["id"] for entry in bench.memory.done.texts]
    assert told in (["a"], ["a", "a"]), "told at least once, and again only when it could not be known"


def _is_final(memory: MemoryStorage, briefing_id: str = "a") -> bool:
    found = memory.blobs.blobs.get(f"records/b1~{briefing_id}.json")
    return found is not None and Standing.from_metadata(found.metadata).final


@pytest.mark.parametrize(("direct", "number", "moment"), _plans())
async def test_storage_that_fails_once_anywhere_leaves_one_final_record(direct: bool, number: int, moment: str) -> None:
    bench, text = await _given(direct)

    def plan(at: int, when: str, _: Step) -> None:
        if (at, when) == (number, moment):
            raise StorageUnavailable("down")

    failing = Workbench(memory=bench.memory, storage=_with_faults(bench.memory, Faults(plan)))
    outcome = "redelivered"
    with suppress(Redeliver):
        outcome = await failing.briefings().handle_message(text, "m1", 1)
    if outcome in ("waiting", "redelivered"):
        bench.memory.blobs.lag_seconds = LATER
        copy = text if outcome == "redelivered" else bench.memory.queue.texts[-1].encode()
        outcome = await Workbench(memory=bench.memory).briefings().handle_message(copy, "m2", 1)
    assert outcome in ("completed", "already_final")
    assert _standing(bench.memory, "records/b1~a.json").status == "completed"
    assert bench.memory.done.texts


@pytest.mark.parametrize("last", [False, True])
async def test_storage_that_stays_down_after_the_run_raises_and_the_poison_queue_tells(last: bool) -> None:
    bench, text = await _given(False)

    def plan(at: int, _: str, step: Step) -> None:
        if at > 2:
            raise StorageUnavailable("down", retry_after=100.0)

    down = Workbench(memory=bench.memory, storage=_with_faults(bench.memory, Faults(plan)))
    with pytest.raises(Redeliver, match="storage_unavailable"):
        await down.briefings().handle_message(text, "m1", 5, last_delivery=last)
    bench.memory.blobs.lag_seconds = LATER
    assert await Workbench(memory=bench.memory).briefings().handle_poison(text, "p1") == "failed"
    assert (await bench.view("a")).reason == "delivery_failed"


async def test_the_poison_queue_marks_what_never_began() -> None:
    bench, text = await _given(True)
    assert await bench.briefings().handle_poison(text, "p1") == "failed"
    assert (await bench.view("a")).status == "failed"
    assert await bench.briefings().handle_poison(text, "p2") == "failed"
    assert await bench.briefings().handle_message(text, "m1") == "already_final"
    assert len(bench.memory.done.texts) == 1


async def test_the_poison_queue_keeps_the_reason_of_the_last_run() -> None:
    bench, text = await _given(False)
    bench.writer = ScriptedWriter([StorageUnavailable("x", retry_after=100.0)])
    assert await bench.briefings().handle_message(text, "m1", 1) == "waiting"
    assert await bench.briefings().handle_poison(text, "p1") == "failed"
    assert (await bench.view("a")).reason == "storage_unavailable"


async def test_the_poison_queue_changes_nothing_that_is_final() -> None:
    bench, text = await _given(False)
    await bench.briefings().handle_message(text, "m1")
    assert await bench.briefings().handle_poison(text, "p1") == "completed"


@pytest.mark.parametrize(
    "text", [b"", b"garbage", b"\xff", body(message(version=None)), body(message(briefing="x")), b"x" * 70_000]
)
async def test_the_poison_queue_stores_a_rejection_of_what_cannot_be_read(text: bytes) -> None:
    bench = Workbench()
    assert await bench.briefings().handle_poison(text, "p1") == "rejected"
    assert len((await bench.briefings().rejections()).rejections) == 1


async def test_the_poison_queue_rejects_another_content_under_a_known_id() -> None:
    bench, _ = await _given(False)
    other = body(message(id="a", batchId="b1", parameters={"urn": "900002"}))
    assert await bench.briefings().handle_poison(other, "p1") == "rejected"
    assert await bench.briefings().handle_poison(body(message(id="a", batchId="b9")), "p2") == "rejected"
    assert (await bench.view("a")).status == "queued"


async def test_the_poison_queue_waits_for_a_run_that_may_have_just_died() -> None:
    bench, text = await _given(False)
    storage = _with_faults(bench.memory, Faults(dies_at(3, "before")))
    with pytest.raises(Killed):
        await Workbench(memory=bench.memory, storage=storage).briefings().handle_message(text, "m1", 5)
    assert _standing(bench.memory, "records/b1~a.json").status == "running"
    quick = Workbench(memory=bench.memory, settings=replace(FAST, lease_seconds=0.5))
    assert await quick.briefings().handle_poison(text, "p1") == "failed"


async def test_the_poison_queue_leaves_a_living_run_alone() -> None:
    bench, text = await _given(False)
    settings = replace(FAST, lease_seconds=0.3)
    slow = Workbench(
        memory=bench.memory, settings=settings, writer=ScriptedWriter([GOOD], before=lambda _: asyncio.sleep(3.5))
    )
    run = asyncio.create_task(slow.briefings().handle_message(text, "m1"))
    await asyncio.sleep(0.05)
    assert await Workbench(memory=bench.memory, settings=settings).briefings().handle_poison(text, "p1") == "running"
    assert await run == "completed"


@pytest.mark.parametrize("queue_works", [True, False])
async def test_the_poison_queue_puts_back_what_it_cannot_mark_or_keeps_it(queue_works: bool) -> None:
    bench, text = await _given(False)

    def plan(_at: int, _when: str, step: Step) -> None:
        if step[0] != "put" or not queue_works:
            raise StorageUnavailable("down")

    down = Workbench(memory=bench.memory, storage=_with_faults(bench.memory, Faults(plan)))
    if queue_works:
        assert await down.briefings().handle_poison(text, "p1") == "waiting"
    else:
        with pytest.raises(Redeliver, match="storage_unavailable"):
            await down.briefings().handle_poison(text, "p1")
    assert bench.memory.poison.texts == ([text.decode()] if queue_works else [])
    assert bench.memory.poison.delays == ([3_600] if queue_works else [])


async def test_the_poison_queue_survives_a_mistake_of_ours() -> None:
    bench, text = await _given(False)

    def plan(_at: int, _when: str, step: Step) -> None:
        if step[0] == "read":
            raise KeyError("secret")

    broken = Workbench(memory=bench.memory, storage=_with_faults(bench.memory, Faults(plan)))
    assert await broken.briefings().handle_poison(text, "p1") == "waiting"


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_renewal_that_fails_or_whose_answer_is_lost_does_not_cost_the_run(moment: str) -> None:
    bench, text = await _given(False)
    renewals: list[int] = []

    def plan(number: int, when: str, step: Step) -> None:
        if step[0] == "annotate" and when == moment:
            renewals.append(number)
            if len(renewals) == 2:  # the first one takes the record
                raise StorageUnavailable("down")

    long = Workbench(
        memory=bench.memory,
        storage=_with_faults(bench.memory, Faults(plan)),
        settings=replace(FAST, lease_seconds=0.6),
        writer=ScriptedWriter([GOOD], before=lambda _: asyncio.sleep(1.2)),
    )
    assert await long.briefings().handle_message(text, "m1") == "completed"
    assert len(renewals) > 2
    assert (await bench.view("a")).attempts == 1


BRIEFINGS = 300
MAX_DELIVERIES = 5
DEATH = 0.03
FAULT = 0.03
NAMED = re.compile(r"<(i\d+)>")


@pytest.mark.parametrize("seed", range(3))
async def test_many_briefings_under_random_deaths_and_faults(seed: int) -> None:
    """A queue in memory that delivers again what was not acknowledged, eight at a time, some messages twice."""
    chance = random.Random(seed)
    memory = MemoryStorage()
    late: list[str] = []

    def plan(_at: int, when: str, _: Step) -> None:
        if when == "before" and chance.random() < DEATH:
            raise Killed
        if chance.random() < FAULT:
            raise StorageUnavailable("down", retry_after=0.0 if chance.random() < 0.5 else 100.0)

    async def watch(task: Task) -> None:
        late.extend(name for name in NAMED.findall(task.prompt) if _is_final(memory, name))
        await asyncio.sleep(0)

    await Workbench(memory=memory).briefings().submit("b1", [_about(f"i{number}") for number in range(BRIEFINGS)], NOBODY)
    writer = ScriptedWriter([GOOD], before=watch)
    waiting = [(text, f"m{place}", 1) for place, text in enumerate(memory.queue.texts)]
    waiting += [(text, f"copy{place}", 1) for place, text in enumerate(memory.queue.texts) if place % 10 == 0]
    seen = len(memory.queue.texts)
    while waiting or len(memory.queue.texts) > seen:
        waiting += [(text, f"m{seen + place}", 1) for place, text in enumerate(memory.queue.texts[seen:])]
        seen = len(memory.queue.texts)
        chance.shuffle(waiting)
        batch, waiting = waiting[:8], waiting[8:]
        briefings = Workbench(memory=memory, storage=_with_faults(memory, Faults(plan)), writer=writer).briefings()
        ends = await asyncio.gather(*(_delivered(briefings, *entry) for entry in batch))
        memory.blobs.lag_seconds += LATER  # whatever has died is old by the next delivery
        for (text, name, count), ended in zip(batch, ends, strict=True):
            if not ended and count < MAX_DELIVERIES:
                waiting.append((text, name, count + 1))
            elif not ended:
                await Workbench(memory=memory).briefings().handle_poison(text.encode(), f"p{name}")
    counts = (await Workbench(memory=memory).briefings().batch("b1")).counts
    assert sum(counts.values()) == BRIEFINGS
    assert set(counts) <= set(FINAL)
    assert counts["completed"] > BRIEFINGS * 0.9
    assert late == [], "no writer call after a final record"
    assert {json.loads(text)["id"] for text in memory.done.texts} == {f"i{number}" for number in range(BRIEFINGS)}


def _about(briefing_id: str) -> SubmissionItem:
    """A briefing whose prompts name its id."""
    parameters = {"urn": "900001", "focus": f"<{briefing_id}>"}
    return SubmissionItem(id=briefing_id, briefing="inspection-summary", parameters=parameters)


async def _delivered(briefings: Briefings, text: str, name: str, count: int) -> bool:
    """Whether the delivery was acknowledged."""
    try:
        await briefings.handle_message(text.encode(), name, count, last_delivery=count == MAX_DELIVERIES)
    except (Killed, Redeliver):
        return False
    return True
