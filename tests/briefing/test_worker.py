"""The worker: one message, one outcome, whatever came before it."""

from __future__ import annotations

import asyncio
import json
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.answers import (
    ContentFiltered,
    DailyLimit,
    Draft,
    ModelFailed,
    ModelIncomplete,
    ModelRefused,
    ModelThrottled,
    ModelTimeout,
    Task,
    Usage,
)
from shared.briefing import Redeliver, StorageUnavailable
from shared.briefing.definitions import Definitions
from shared.briefing.record_store import RecordStore
from shared.briefing.records import REJECTIONS_PREFIX, now
from shared.briefing.waiting import GIVE_UP_AFTER
from shared.retrieval import (
    IdentityUnavailable,
    IndexMisconfigured,
    IndexSettings,
    InvalidQuery,
    NotConfigured,
    RetrievalError,
    SearchFailed,
    SearchRefused,
    SearchThrottled,
    SearchTimeout,
)
from tests.briefing.doubles import (
    INDEXES,
    Faults,
    FaultyBlobs,
    FaultyQueue,
    Killed,
    SampleRetrieval,
    ScriptedWriter,
    Step,
)
from tests.briefing.workbench import FAST, NOBODY, Workbench, body, message, profile

GOOD = "Good [Evidence 1]."
_NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def scripted(*script: str | Draft | BaseException) -> ScriptedWriter:
    """A writer that follows a script."""
    return ScriptedWriter(list(script))


async def test_a_message_becomes_a_completed_briefing() -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), "m1", 1) == "completed"
    view = await bench.view("a")
    assert (view.status, view.attempts, view.reason, view.definition_version) == ("completed", 1, None, 1)
    assert view.started_at is not None
    assert view.finished_at is not None
    assert view.created_at <= view.started_at <= view.finished_at
    assert "Oakfield Primary School" in (view.answer or "")
    assert {citation.number for citation in view.citations} == {1, 2, 3}


@pytest.mark.parametrize("encoded", [False, True], ids=["plain", "base64"])
async def test_a_message_of_any_application_is_run(encoded: bool) -> None:
    bench = Workbench()
    assert await bench.briefings().handle_message(body(message(), encoded=encoded), "x") == "completed"
    assert (await bench.view("m1")).batch_id == "mb"
    assert (await bench.briefings().batch("mb")).counts == {"completed": 1}


@pytest.mark.parametrize(
    ("members", "reason", "id_known"),
    [
        pytest.param("garbage", "unreadable_message", False, id="garbage"),
        pytest.param(message(briefing="none", wait=6), "unknown_definition", True, id="unknown definition"),
        pytest.param(message(version=9, wait=6), "unknown_definition", True, id="unknown version"),
        pytest.param(message(parameters={"urn": 5}), "invalid_parameters", True, id="wrong parameters"),
        pytest.param(message(version="1"), "invalid_message", True, id="wrong member"),
        pytest.param(message(wait=-1), "invalid_message", True, id="wrong wait"),
        pytest.param(message(wait=True), "invalid_message", True, id="no number of waits"),
        pytest.param(message(id=None), "invalid_message", False, id="no id"),
        pytest.param(message(batchId=None), "invalid_message", True, id="no batch"),
        pytest.param(message(parameters=None, request="x" * 64), "request_missing", True, id="no stored request"),
    ],
)
async def test_what_cannot_be_taken_is_rejected_once(members: Any, reason: str, id_known: bool) -> None:
    bench = Workbench()
    written = members.encode() if isinstance(members, str) else body(members)
    for delivery in (1, 2):  # as when the first one died before the acknowledgement
        assert await bench.briefings().handle_message(written, "x", delivery, _NOON) == "rejected"
    page = await bench.briefings().rejections()
    assert [(rejection.reason, rejection.message_id) for rejection in page.rejections] == [(reason, "x")]
    if id_known:
        view = await bench.view("m1")
        assert (view.status, view.reason) == ("rejected", reason)
        assert view.problems
    assert [json.loads(text)["status"] for text in bench.memory.done.texts] == (["rejected"] if id_known else [])


async def test_a_rejection_does_not_touch_a_briefing_of_the_same_id() -> None:
    bench = Workbench()
    await bench.submitted("a")
    for wrong in (message(id="a", batchId="b1", parameters={"urn": "900002"}), message(id="a", batchId="b1", version="x")):
        assert await bench.briefings().handle_message(body(wrong), "x") == "rejected"
    assert (await bench.view("a")).status == "queued"


async def test_a_queued_briefing_whose_definition_has_gone_is_rejected() -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")
    bench.definitions = Definitions(())
    for _ in range(6):
        assert await bench.briefings().handle_message(text.encode(), "x") == "waiting"
        text = bench.memory.queue.texts[-1]
    assert bench.memory.queue.delays[-6:] == [600] * 6
    assert await bench.briefings().handle_message(text.encode(), "x") == "rejected"
    view = await bench.view("a")
    assert (view.status, view.reason) == ("rejected", "unknown_definition")


async def test_the_same_message_later_does_not_call_the_writer_again() -> None:
    bench = Workbench(writer=scripted(GOOD))
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), "m1") == "completed"
    calls, stored = len(_tasks(bench)), bench.memory.blobs.blobs["records/b1~a.json"]
    for last in (False, True):
        assert await bench.briefings().handle_message(text.encode(), "m2", last_delivery=last) == "already_final"
    assert len(_tasks(bench)) == calls
    assert bench.memory.blobs.blobs["records/b1~a.json"] == stored
    assert len(bench.memory.done.texts) == 1


@pytest.mark.parametrize("ids", [("m1", "m2"), ("m1", "m1"), (None, None)], ids=["two", "one twice", "unnamed"])
async def test_the_same_message_twice_at_once_is_written_once(ids: tuple[str | None, str | None]) -> None:
    bench = Workbench(writer=ScriptedWriter([GOOD], before=lambda _: asyncio.sleep(0.05)))
    [text] = await bench.submitted("a")
    briefings = bench.briefings()
    outcomes = await asyncio.gather(*(briefings.handle_message(text.encode(), name) for name in ids))
    assert "completed" in outcomes
    assert set(outcomes) <= {"completed", "already_final", "accepted"}
    assert len(_tasks(bench)) == 3  # the sections of one run
    assert (await bench.record("a")).standing.attempts == 1


async def test_a_long_run_keeps_its_hold() -> None:
    bench = Workbench(writer=ScriptedWriter([GOOD], before=lambda _: asyncio.sleep(FAST.lease_seconds * 4)))
    bench.settings = replace(FAST, lease_seconds=0.3)
    [text] = await bench.submitted("a")
    first = asyncio.create_task(bench.briefings().handle_message(text.encode(), "m1"))
    await asyncio.sleep(bench.settings.lease_seconds * 2)
    assert await bench.briefings().handle_message(text.encode(), "m2") == "accepted"
    assert await first == "completed"
    assert (await bench.record("a")).standing.attempts == 1


async def test_a_run_left_behind_is_taken_over_and_cannot_save_any_more() -> None:
    release = asyncio.Event()
    slow = ScriptedWriter([GOOD], before=lambda _: release.wait())
    bench = Workbench(writer=slow)
    [text] = await bench.submitted("a")
    stuck = asyncio.create_task(bench.briefings().handle_message(text.encode(), "m1"))
    await asyncio.sleep(0.05)
    stuck.cancel()  # as when its process dies: nothing is renewed or saved any more
    await asyncio.gather(stuck, return_exceptions=True)
    assert (await bench.view("a")).status == "running"
    bench.memory.blobs.lag_seconds = 60  # the storage's clock, not ours, tells that the hold is old
    bench.writer = scripted(GOOD)
    assert await bench.briefings().handle_message(text.encode(), "m1", 2) == "completed"
    assert (await bench.view("a")).attempts == 2


async def test_a_run_that_lost_its_record_neither_saves_nor_writes_on() -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")

    async def finished_by_another(_: Task) -> None:
        record = await bench.record("a")
        done = record.standing_as(status="failed", reason="x", run="other")
        await RecordStore(bench.memory.blobs).save(done)
        await asyncio.sleep(FAST.lease_seconds)  # long enough that the next call asks whether it still holds it

    writer = ScriptedWriter([GOOD], before=finished_by_another)
    bench.writer = writer
    bench.settings = replace(FAST, max_concurrency=1)
    assert await bench.briefings().handle_message(text.encode(), "m1") == "already_final"
    assert (await bench.view("a")).reason == "x"
    assert len(writer.tasks) == 1


CURABLE = [
    SearchThrottled("x", retry_after=100.0),
    SearchFailed("x", retry_after=100.0),
    SearchTimeout("x", retry_after=100.0),
    IdentityUnavailable("x"),
    SearchRefused("x"),
    IndexMisconfigured("x"),
    NotConfigured("x"),
]


@pytest.mark.parametrize("fault", CURABLE, ids=lambda fault: fault.code)
async def test_what_time_or_an_operator_cures_is_waited_for(fault: RetrievalError) -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")
    for wait in (1, 2, 3):
        bench.retrieval = SampleRetrieval(faults=[fault] * 3)
        # Even at what the queue would call the last delivery.
        assert await bench.briefings().handle_message(text.encode(), f"m{wait}", 5, last_delivery=True) == "waiting"
        view = await bench.view("a")
        assert (view.status, view.reason, view.attempts) == ("waiting", fault.code, wait)
        assert view.retry_at is not None
        text, delay = bench.memory.queue.texts[-1], bench.memory.queue.delays[-1]
        assert json.loads(text)["wait"] == wait
        assert delay >= (100 if fault.retry_after else 1)
        assert abs((view.retry_at - now()).total_seconds() - delay) < 5
    bench.retrieval = SampleRetrieval()
    assert await bench.briefings().handle_message(text.encode(), "m4", 1) == "completed"
    assert (await bench.view("a")).attempts == 4


async def test_an_older_copy_of_a_waiting_message_is_passed_over() -> None:
    bench = Workbench(retrieval=SampleRetrieval(faults=[SearchRefused("x")] * 3))
    [text] = await bench.submitted("a")
    await bench.briefings().handle_message(text.encode(), "m1", 1)
    newer = bench.memory.queue.texts[-1]
    bench.retrieval = SampleRetrieval()
    writer = scripted(GOOD)
    bench.writer = writer
    assert await bench.briefings().handle_message(text.encode(), "m1", 2) == "accepted"
    assert writer.tasks == []
    assert await bench.briefings().handle_message(newer.encode(), "m2", 1) == "completed"
    assert await bench.briefings().handle_message(newer.encode(), "m3", 1) == "already_final"
    assert len(writer.tasks) == 3


async def test_a_death_between_putting_back_and_noting_it_costs_no_run() -> None:
    bench = Workbench(retrieval=SampleRetrieval(faults=[SearchRefused("x")] * 3))
    [text] = await bench.submitted("a")

    def plan(_at: int, when: str, step: Step) -> None:
        if step[0] == "put" and when == "after":
            raise Killed

    dying = replace(bench.memory.storage, queue=FaultyQueue(bench.memory.queue, Faults(plan)))
    with pytest.raises(Killed):
        await Workbench(storage=dying, retrieval=bench.retrieval).briefings().handle_message(text.encode(), "m1", 1)
    bench.memory.blobs.lag_seconds = 60
    newer = bench.memory.queue.texts[-1]
    bench.retrieval, bench.writer = SampleRetrieval(), scripted(GOOD)
    assert await bench.briefings().handle_message(newer.encode(), "m2", 1) == "completed"
    assert await bench.briefings().handle_message(text.encode(), "m1", 2) == "already_final"


async def test_a_briefing_is_given_up_after_seven_days() -> None:
    bench = Workbench(retrieval=SampleRetrieval(faults=[SearchRefused("x")] * 3))
    [text] = await bench.submitted("a")
    record = await bench.record("a")
    old = record.standing_as(created_at=now() - GIVE_UP_AFTER)
    await RecordStore(bench.memory.blobs).save(old)
    assert await bench.briefings().handle_message(text.encode(), "m1", 1) == "failed"
    assert (await bench.view("a")).reason == "gave_up"


async def test_a_waiting_briefing_can_be_deleted() -> None:
    bench = Workbench(retrieval=SampleRetrieval(faults=[SearchRefused("x")] * 3))
    [text] = await bench.submitted("a")
    await bench.briefings().handle_message(text.encode(), "m1", 1)
    await bench.briefings().delete("a", NOBODY)
    assert await bench.briefings().handle_message(bench.memory.queue.texts[-1].encode(), "m2", 1) == "already_final"
    assert (await bench.briefings().batch("b1")).counts == {"cancelled": 1}


FINAL_AT_ONCE = [ContentFiltered("x"), InvalidQuery("x"), InvalidQuery("x", code="too_many_clauses")]


@pytest.mark.parametrize("fault", FINAL_AT_ONCE, ids=lambda fault: fault.code)
async def test_what_nobody_can_cure_fails_at_once(fault: RetrievalError) -> None:
    bench = Workbench(writer=scripted(fault))
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), "m1", 1) == "failed"
    assert (await bench.view("a")).reason == fault.code


MODEL_FAULTS = [
    ModelThrottled("x", retry_after=100.0),
    ModelTimeout("x", retry_after=100.0),
    ModelRefused("x"),
    DailyLimit("x", retry_after=5000.0),
    StorageUnavailable("x", retry_after=100.0),
]


@pytest.mark.parametrize("fault", MODEL_FAULTS, ids=lambda fault: getattr(fault, "code", ""))
async def test_faults_of_the_model_wait(fault: RetrievalError) -> None:
    bench = Workbench(writer=scripted(fault))
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), "m1", 1) == "waiting"
    assert (await bench.view("a")).reason == fault.code
    assert bench.memory.queue.delays[-1] >= (fault.retry_after or 1)


@pytest.mark.parametrize("fault", [ModelIncomplete("x"), ModelFailed("x")], ids=lambda fault: fault.code)
async def test_a_faulty_reply_of_the_model_is_final_at_the_third_attempt(fault: RetrievalError) -> None:
    bench = Workbench(writer=scripted(fault))
    [text] = await bench.submitted("a")
    outcomes = []
    for delivery in (1, 2, 3):
        outcomes.append(await bench.briefings().handle_message(text.encode(), f"m{delivery}", 1))
        text = bench.memory.queue.texts[-1]
    assert outcomes == ["waiting", "waiting", "failed"]
    assert (await bench.view("a")).reason == fault.code


async def test_a_wait_that_fits_the_deadline_is_waited_out() -> None:
    bench = Workbench(writer=scripted(ModelThrottled("x", retry_after=0.1), GOOD))
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), "m1") == "completed"
    assert (await bench.view("a")).attempts == 1


async def test_a_passed_deadline_waits() -> None:
    bench = Workbench(writer=ScriptedWriter([GOOD], before=lambda _: asyncio.sleep(5)))
    bench.settings = replace(FAST, deadline_seconds=0.2)
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), "m1", 1) == "waiting"
    assert (await bench.view("a")).reason == "deadline_passed"


async def test_a_mistake_of_ours_says_nothing_of_itself() -> None:
    bench = Workbench(writer=scripted(KeyError("secret content")))
    [text] = await bench.submitted("a")
    with pytest.raises(Redeliver, match="internal_error") as raised:
        await bench.briefings().handle_message(text.encode(), "m1", 1)
    assert "secret" not in "".join(traceback.format_exception(raised.value))
    assert await bench.briefings().handle_message(text.encode(), "m1", 2, last_delivery=True) == "failed"
    assert (await bench.view("a")).reason == "delivery_failed"


async def test_no_evidence_does_not_call_the_writer() -> None:
    bench = Workbench(writer=scripted(GOOD))
    [text] = await bench.submitted("a", urn="999999")
    assert await bench.briefings().handle_message(text.encode(), "m1") == "no_evidence"
    view = await bench.view("a")
    assert (view.answer, view.unchecked_answer, _tasks(bench)) == (None, None, [])
    assert [section.status for section in view.sections] == ["no_evidence"] * 3


async def test_a_text_that_fails_its_checks_twice_is_never_an_answer() -> None:
    bench = Workbench(writer=scripted(Draft("No marker at all.", Usage(3, 2))))
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), "m1") == "failed_checks"
    view = await bench.view("a")
    assert view.answer is None
    assert "No marker at all." in (view.unchecked_answer or "")
    assert {problem.code for problem in view.problems} == {"no_citation"}
    assert view.usage == Usage(18, 12)  # two tries of three sections
    assert [task.rejected is not None for task in _tasks(bench)] == [False, True] * 3


async def test_an_index_that_needs_a_callers_token_fails_in_words() -> None:
    personal = IndexSettings(name="schools", permission_filter=True)
    bench = Workbench(indexes=(personal, *INDEXES[1:]))
    assert await bench.briefings().handle_message(body(message()), "m1") == "failed"
    assert (await bench.record("m1", "mb")).standing.reason == "caller_token_required"


@pytest.mark.parametrize("when", ["before the first delivery", "while it waits for another"])
async def test_a_message_waits_for_storage_that_is_down(when: str) -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")

    def plan(number: int, moment: str, _: Step) -> None:
        if when.startswith("before") or number > 1:
            raise StorageUnavailable("down")

    down = replace(bench.memory.storage, blobs=FaultyBlobs(bench.memory.blobs, Faults(plan)))
    assert await Workbench(storage=down).briefings().handle_message(text.encode(), "m1", 1) == "waiting"
    assert (bench.memory.queue.texts[-1], bench.memory.queue.delays[-1]) == (text, 60)
    assert await bench.briefings().handle_message(text.encode(), "m2", 1) == "completed"


async def test_where_nothing_can_be_stored_or_put_back_the_queue_keeps_the_message() -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")

    def plan(*_: object) -> None:
        raise StorageUnavailable("down")

    faults = Faults(plan)
    storage = bench.memory.storage
    down = replace(storage, blobs=FaultyBlobs(storage.blobs, faults), queue=FaultyQueue(storage.queue, faults))
    with pytest.raises(Redeliver, match="storage_unavailable"):
        await Workbench(storage=down).briefings().handle_message(text.encode(), "m1", 5, last_delivery=True)


async def test_each_final_record_is_announced() -> None:
    bench = Workbench()
    texts = await bench.submitted("a", "b")
    for text in texts:
        await bench.briefings().handle_message(text.encode(), "m")
    told = [json.loads(text) for text in bench.memory.done.texts]
    assert told == [
        {"id": "a", "batchId": "b1", "status": "completed"},
        {"id": "b", "batchId": "b1", "status": "completed"},
    ]


async def test_a_message_of_an_unknown_id_in_a_deleted_batch_is_cancelled() -> None:
    bench = Workbench(writer=scripted(GOOD))
    await bench.briefings().submit("mb", [profile("other")], NOBODY)
    await bench.briefings().delete_batch("mb", NOBODY)
    assert await bench.briefings().handle_message(body(message()), "x") == "cancelled"
    assert _tasks(bench) == []


@pytest.mark.parametrize("name", ["a\nb", "é", "x" * 5000, ""])
async def test_any_id_of_a_message_can_be_kept(name: str) -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")
    assert await bench.briefings().handle_message(text.encode(), name) == "completed"
    kept = bench.memory.blobs.blobs["records/b1~a.json"].metadata["message"]
    assert kept.isascii()
    assert len(kept) <= 100


async def test_names_of_rejections_hold_nothing_of_the_message() -> None:
    bench = Workbench()
    await bench.briefings().handle_message(b"SECRET-CANARY", "x/../y?z")
    assert all("SECRET" not in blob.content.decode() for blob in bench.memory.blobs.blobs.values())
    [name] = [name for name in bench.memory.blobs.blobs if name.startswith(REJECTIONS_PREFIX)]
    assert "x" not in name.removeprefix(REJECTIONS_PREFIX)


def _tasks(bench: Workbench) -> list[Task]:
    assert isinstance(bench.writer, ScriptedWriter)
    return bench.writer.tasks
