"""Batches: counts that are true whatever happened, pages, retries and deletion."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.answers import Draft
from shared.briefing import (
    BriefingBusy,
    BriefingConflict,
    BriefingGone,
    BriefingNotFound,
    InvalidContinuation,
    InvalidSubmission,
    SubmissionItem,
)
from shared.briefing.batches import BatchProgress
from shared.briefing.record_store import RecordStore
from shared.briefing.records import Record, RecordKey, Standing, Status
from shared.briefing.storage import NewBlob, write_continuation
from shared.retrieval import Caller, Forbidden, IndexSettings, InvalidQuery, SearchFailed
from tests.briefing.doubles import INDEXES, SampleRetrieval, ScriptedWriter
from tests.briefing.memory_storage import MemoryBlobs
from tests.briefing.workbench import NOBODY, Workbench, profile

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


async def _filled(count: int, status: Status = "completed") -> Workbench:
    """A batch of records as a run leaves them, every tenth of them failed."""
    bench = Workbench()
    for number in range(count):
        standing = Standing(
            status=status if number % 10 else "failed",
            briefing="school-profile",
            version=1,
            digest="d",
            created_at=MOMENT,
        )
        record = Record(key=RecordKey(batch_id="big", id=f"i{number:06d}"), standing=standing, parameters={"urn": "900001"})
        await bench.memory.blobs.create(record.blob())
    bench.memory.blobs.calls = 0
    return bench


async def test_progress_counts_each_status() -> None:
    bench = Workbench()
    texts = await bench.submitted("a", "b", "c", "d")
    await bench.briefings().handle_message(texts[0].encode(), "m")
    bench.retrieval = SampleRetrieval(faults=[SearchFailed("x", retry_after=100.0)] * 3)
    await bench.briefings().handle_message(texts[1].encode(), "m")
    bench.retrieval = SampleRetrieval(faults=[InvalidQuery("x")] * 3)
    await bench.briefings().handle_message(texts[2].encode(), "m")
    progress = await bench.briefings().batch("b1")
    assert progress.counts == {"queued": 1, "waiting": 1, "completed": 1, "failed": 1}
    assert (progress.total, progress.percent) == (4, 50.0)
    assert progress.started_at <= progress.updated_at


async def test_a_batch_is_not_updated_before_it_began() -> None:
    bench = Workbench()
    bench.memory.blobs.lag_seconds = -1.0  # a storage that tells its times in whole seconds is behind
    await bench.submitted("a")
    progress = await bench.briefings().batch("b1")
    assert progress.updated_at == progress.started_at


@pytest.mark.parametrize(
    ("counts", "percent"),
    [
        ({"queued": 1}, 0.0),
        ({"completed": 2, "queued": 1}, 66.6),
        ({"completed": 9999, "running": 1}, 99.9),
        ({"failed": 3}, 100.0),
    ],
)
def test_a_batch_is_at_a_hundred_only_when_all_is_final(counts: Any, percent: float) -> None:
    progress = BatchProgress(batch_id="b", counts=counts, started_at=MOMENT, updated_at=MOMENT)
    assert progress.percent == percent


async def test_a_hundred_thousand_briefings_cost_at_most_25_storage_calls() -> None:
    blobs = MemoryBlobs()
    metadata = Standing(status="completed", briefing="school-profile", version=1, digest="d", created_at=MOMENT).metadata()
    for number in range(100_000):
        await blobs.create(NewBlob(name=f"records/big~i{number:06d}.json", content=b"{}", metadata=metadata))
    blobs.calls = 0
    bench = Workbench()
    bench.memory.blobs = blobs
    progress = await bench.briefings().batch("big")
    assert (progress.total, progress.percent) == (100_000, 100.0)
    assert blobs.calls <= 25


@pytest.mark.parametrize("known", ["batch", "page", "page of a status", "retry", "delete"])
async def test_a_batch_that_nobody_submitted_is_not_found(known: str) -> None:
    briefings = Workbench().briefings()
    calls = {
        "batch": briefings.batch("none"),
        "page": briefings.batch_page("none", NOBODY),
        "page of a status": briefings.batch_page("none", NOBODY, status="failed"),
        "retry": briefings.retry_batch("none", NOBODY),
        "delete": briefings.delete_batch("none", NOBODY),
    }
    for name, call in calls.items():
        if name != known:
            call.close()
    with pytest.raises(BriefingNotFound, match="no batch"):
        await calls[known]


async def test_what_can_be_no_id_is_not_found() -> None:
    briefings = Workbench().briefings()
    for text in ("", "a/b", "..", "é", "a" * 101):
        with pytest.raises(BriefingNotFound, match="no briefing or batch"):
            await briefings.batch(text)
        with pytest.raises(BriefingNotFound, match="no briefing or batch"):
            await briefings.get(text, NOBODY)


@pytest.mark.parametrize(("status", "expected"), [(None, 257), ("failed", 26), ("completed", 231), ("queued", 0)])
async def test_pages_give_each_briefing_once(status: str | None, expected: int) -> None:
    bench = await _filled(257)
    found: list[str] = []
    continuation: str | None = None
    while True:
        page = await bench.briefings().batch_page("big", NOBODY, status=status, continuation=continuation)
        assert len(page.briefings) <= 100
        assert all(status in (None, briefing.status) for briefing in page.briefings)
        found += [briefing.id for briefing in page.briefings]
        continuation = page.continuation
        if continuation is None:
            break
    assert found == sorted(set(found))
    assert len(found) == expected


async def test_a_page_goes_on_behind_what_was_shown_though_the_batch_has_grown() -> None:
    bench = await _filled(150)
    page = await bench.briefings().batch_page("big", NOBODY, status="completed")
    await bench.briefings().submit("big", [profile("a-first-one"), profile("i000003x")], NOBODY)
    rest = await bench.briefings().batch_page("big", NOBODY, status="completed", continuation=page.continuation)
    ids = [briefing.id for briefing in (*page.briefings, *rest.briefings)]
    assert len(ids) == len(set(ids)) == 135


@pytest.mark.parametrize(
    "continuation",
    ["", "x", "!!!", "e30", "W10", "a" * 5000, write_continuation("rejections", "m"), write_continuation("other?", "m")],
)
async def test_a_foreign_continuation_is_refused(continuation: str) -> None:
    bench = await _filled(3)
    with pytest.raises(InvalidContinuation, match="not one of this list"):
        await bench.briefings().batch_page("big", NOBODY, continuation=continuation)
    with pytest.raises(InvalidContinuation, match="not one of this list"):
        await bench.briefings().rejections("x" if continuation == write_continuation("rejections", "m") else continuation)


@pytest.mark.parametrize(("marker", "after"), [("a\0b", ""), ("\ud800", ""), ("é", ""), (None, "\ud800"), (None, "a\n")])
async def test_a_continuation_that_no_storage_gives_is_refused(marker: str | None, after: str) -> None:
    bench = await _filled(3)
    with pytest.raises(InvalidContinuation, match="not one of this list"):
        await bench.briefings().batch_page("big", NOBODY, continuation=write_continuation("big?", marker, after))


async def test_a_status_that_none_of_a_batch_has_gives_an_empty_page() -> None:
    bench = await _filled(3)
    page = await bench.briefings().batch_page("big", NOBODY, status="waiting")
    assert (page.briefings, page.continuation) == ((), None)


async def test_an_unknown_status_is_refused() -> None:
    bench = await _filled(3)
    with pytest.raises(InvalidSubmission, match="status must be one of") as raised:
        await bench.briefings().batch_page("big", NOBODY, status="done")
    assert raised.value.code == "invalid_status"


async def _failed_batch() -> Workbench:
    """One completed, one unchecked, one failed briefing."""
    bench = Workbench()
    texts = await bench.submitted("good", "unchecked", "failed")
    await bench.briefings().handle_message(texts[0].encode(), "m")
    bench.writer = ScriptedWriter([Draft("no marker")])
    await bench.briefings().handle_message(texts[1].encode(), "m")
    bench.retrieval = SampleRetrieval(faults=[InvalidQuery("x")] * 3)
    await bench.briefings().handle_message(texts[2].encode(), "m")
    return Workbench(memory=bench.memory)


async def test_each_failed_and_each_unchecked_one_is_retried_once() -> None:
    bench = await _failed_batch()
    before = len(bench.memory.queue.texts)
    receipts = await bench.briefings().retry_batch("b1", NOBODY)
    again = await bench.briefings().retry_batch("b1", NOBODY)
    assert receipts == again
    assert [receipt.status for receipt in receipts] == ["queued", "queued"]
    texts = bench.memory.queue.texts[before:]
    assert len(texts) == 2
    for text in texts:
        assert await bench.briefings().handle_message(text.encode(), "r") == "completed"
    views = [await bench.view(receipt.id) for receipt in receipts]
    assert sorted(view.retry_of or "" for view in views) == ["failed", "unchecked"]
    assert {view.batch_id for view in views} == {"b1"}
    assert (await bench.briefings().batch("b1")).counts == {"completed": 3, "failed_checks": 1, "failed": 1}
    assert {receipt.status for receipt in await bench.briefings().retry_batch("b1", NOBODY)} == {"completed"}


async def test_a_retry_that_failed_is_retried_itself() -> None:
    bench = await _failed_batch()
    first = await bench.briefings().retry_batch("b1", NOBODY)
    failing = Workbench(memory=bench.memory, retrieval=SampleRetrieval(faults=[InvalidQuery("x")] * 3))
    message = next(text for text in bench.memory.queue.texts if json.loads(text)["id"] == first[0].id)
    await failing.briefings().handle_message(message.encode(), "r", last_delivery=True)
    second = await bench.briefings().retry_batch("b1", NOBODY)
    assert len(second) == 3
    assert {receipt.id for receipt in first} < {receipt.id for receipt in second}


async def test_ids_of_retries_are_ids_however_long_the_first_is() -> None:
    bench = Workbench(writer=ScriptedWriter([Draft("no marker")]))
    [text, other] = await bench.submitted("a" * 100, "a" * 99 + "b")
    for message in (text, other):
        await bench.briefings().handle_message(message.encode(), "m")
    receipts = await bench.briefings().retry_batch("b1", NOBODY)
    assert len({receipt.id for receipt in receipts}) == 2
    assert all(len(receipt.id) <= 100 for receipt in receipts)


async def test_retries_ask_for_the_rights_of_a_submission() -> None:
    bench = await _failed_batch()
    bench.indexes = (IndexSettings(name="schools", allowed_roles=("R",)), *INDEXES[1:])
    with pytest.raises(Forbidden, match="needs a role"):
        await bench.briefings().retry_batch("b1", NOBODY)
    assert len(await bench.briefings().retry_batch("b1", Caller(roles=frozenset({"R"})))) == 2


async def test_a_batch_without_failures_has_nothing_to_retry() -> None:
    bench = Workbench()
    await bench.submitted("a")
    assert await bench.briefings().retry_batch("b1", NOBODY) == ()


async def test_deleting_cancels_what_has_not_begun() -> None:
    bench = Workbench(writer=ScriptedWriter(["Good [Evidence 1]."]))
    [text] = await bench.submitted("a")
    await bench.briefings().delete("a", NOBODY)
    assert await bench.briefings().handle_message(text.encode(), "m") == "already_final"
    assert (await bench.briefings().batch("b1")).counts == {"cancelled": 1}
    await _is_gone(bench, "a")
    assert json.loads(bench.memory.done.texts[0])["status"] == "cancelled"


async def test_deleting_erases_what_is_final() -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")
    await bench.briefings().handle_message(text.encode(), "m")
    await bench.briefings().delete("a", NOBODY)
    await bench.briefings().delete("a", NOBODY)
    blob = bench.memory.blobs.blobs["records/b1~a.json"]
    assert (blob.content, blob.metadata["status"]) == (b"{}", "completed")
    assert await bench.briefings().handle_message(text.encode(), "m") == "already_final"
    assert (await bench.briefings().batch("b1")).counts == {"completed": 1}
    page = await bench.briefings().batch_page("b1", NOBODY)
    assert [(briefing.id, briefing.erased) for briefing in page.briefings] == [("a", True)]
    await _is_gone(bench, "a")


@pytest.mark.parametrize("whole_batch", [False, True])
async def test_nothing_of_a_big_request_outlives_its_deletion(whole_batch: bool) -> None:
    bench = Workbench()
    parameters = {"urn": "900001", "focus": "漢" * 9000}
    for briefing_id in ("done", "waiting"):
        item = SubmissionItem(id=briefing_id, briefing="inspection-summary", parameters=parameters)
        await bench.briefings().submit("b1", [item], NOBODY)
    done, waiting = bench.memory.queue.texts
    await bench.briefings().handle_message(done.encode(), "m1")
    if whole_batch:
        await bench.briefings().delete_batch("b1", NOBODY)
    else:
        await bench.briefings().delete("done", NOBODY)
        await bench.briefings().delete("waiting", NOBODY)
    assert all("漢" not in blob.content.decode() for blob in bench.memory.blobs.blobs.values())
    for text in (done, waiting):
        assert await bench.briefings().handle_message(text.encode(), "m2") == "already_final"
    assert (await bench.briefings().rejections()).rejections == []


async def _is_gone(bench: Workbench, briefing_id: str) -> None:
    with pytest.raises(BriefingGone, match="was deleted"):
        await bench.view(briefing_id)
    with pytest.raises(BriefingGone, match="was deleted"):
        await bench.briefings().render(briefing_id, "html", NOBODY)
    with pytest.raises(BriefingConflict, match="was deleted"):
        await bench.briefings().submit("b1", [profile(briefing_id)], NOBODY)
    with pytest.raises(BriefingConflict, match=r"a briefing (is known with other content|was deleted)"):
        await bench.briefings().submit("b1", [profile(briefing_id, "900002")], NOBODY)


async def test_what_runs_is_not_deleted() -> None:
    bench = await _filled(2, "running")
    with pytest.raises(BriefingBusy, match="cannot be deleted now"):
        await bench.briefings().delete_batch("big", NOBODY)
    assert (await bench.briefings().batch("big")).counts == {"failed": 1, "running": 1}


async def test_a_run_whose_lease_is_over_is_deleted() -> None:
    bench = await _filled(2, "running")
    bench.memory.blobs.lag_seconds = 60.0
    await bench.briefings().delete_batch("big", NOBODY)
    assert all(record.standing.erased for record in [await bench.record(f"i00000{number}", "big") for number in range(2)])


async def test_nothing_of_the_content_is_left_in_blobs_not_even_a_digest() -> None:
    bench = Workbench()
    [done, *_] = await bench.submitted("a", "b", "c")
    await bench.briefings().handle_message(done.encode(), "m")
    digests = [(await bench.record(name)).standing.digest for name in "abc"]
    await bench.briefings().delete("a", NOBODY)
    await bench.briefings().delete_batch("b1", NOBODY)
    for name, blob in bench.memory.blobs.blobs.items():
        stored = f"{name} {dict(blob.metadata)} {blob.content.decode()}"
        assert not [digest for digest in digests if digest in stored]
        assert "900001" not in stored
    for name in "abc":
        with pytest.raises(BriefingGone, match="was deleted"):
            await bench.view(name)


async def test_parameters_stored_in_a_race_with_the_deletion_go_too() -> None:
    bench = Workbench(writer=ScriptedWriter(["Good [Evidence 1]."]))
    [text] = await bench.submitted("a")
    await bench.briefings().delete("a", NOBODY)
    # As when a submission or a put-back stores its parameters just after the deletion.
    await RecordStore(bench.memory.blobs).keep_request("a", {"urn": "900001"})
    assert await bench.briefings().handle_message(text.encode(), "m") == "already_final"
    assert "requests/a.json" not in bench.memory.blobs.blobs


async def test_a_lost_message_is_put_again_after_an_hour() -> None:
    bench = Workbench()
    await bench.submitted("a")
    assert await bench.submitted("a") == [], "not queued twice"
    bench.memory.blobs.lag_seconds = 3_600.0
    [again] = await bench.submitted("a")
    await bench.briefings().retry_batch("b1", NOBODY)
    assert len(bench.memory.queue.texts) == 2, "the clock of this machine has not moved an hour"
    assert await bench.briefings().handle_message(again.encode(), "m") == "completed"
    assert await bench.submitted("a") == [], "final ones are not queued again"


async def test_a_retry_of_a_batch_puts_the_messages_again_that_were_lost() -> None:
    bench = Workbench()
    bench.memory.blobs.lag_seconds = -7_200.0
    await bench.submitted("a", "b")
    bench.memory.blobs.lag_seconds = 0.0
    before = len(bench.memory.queue.texts)
    assert await bench.briefings().retry_batch("b1", NOBODY) == ()
    assert len(bench.memory.queue.texts) == before + 2
    for text in bench.memory.queue.texts[before:]:
        assert await bench.briefings().handle_message(text.encode(), "m") == "completed"


async def test_what_a_broken_off_submission_left_is_cancelled() -> None:
    bench = Workbench(writer=ScriptedWriter(["Good [Evidence 1]."]))
    [text] = await bench.submitted("a")
    del bench.memory.blobs.blobs["records/b1~a.json"]  # as when the process died between message and record
    with pytest.raises(BriefingNotFound, match="no briefing"):
        await bench.view("a")
    await bench.briefings().delete("a", NOBODY)
    assert await bench.briefings().handle_message(text.encode(), "m") == "already_final"
    assert (await bench.briefings().batch("b1")).counts == {"cancelled": 1}
    await _is_gone(bench, "a")


async def test_an_unknown_briefing_cannot_be_deleted() -> None:
    with pytest.raises(BriefingNotFound, match="no briefing"):
        await Workbench().briefings().delete("none", NOBODY)


async def test_a_deleted_batch_is_gone_and_takes_no_more() -> None:
    bench = Workbench()
    texts = await bench.submitted("a", "b")
    await bench.briefings().handle_message(texts[0].encode(), "m")
    await bench.briefings().delete_batch("b1", NOBODY)
    await bench.briefings().delete_batch("b1", NOBODY)
    for call in (
        bench.briefings().batch("b1"),
        bench.briefings().batch_page("b1", NOBODY),
        bench.briefings().batch_page("b1", NOBODY, status="failed"),
        bench.briefings().batch_page("b1", NOBODY, status="cancelled"),
        bench.briefings().retry_batch("b1", NOBODY),
    ):
        with pytest.raises(BriefingGone, match="batch was deleted"):
            await call
    for item in (profile("a"), profile("new"), SubmissionItem(briefing="school-profile", parameters={"urn": "900001"})):
        with pytest.raises(BriefingConflict, match="was deleted"):
            await bench.briefings().submit("b1", [item], NOBODY)
    assert await bench.briefings().handle_message(texts[1].encode(), "m") == "already_final"
    for briefing_id in ("a", "b"):
        with pytest.raises(BriefingGone, match="was deleted"):
            await bench.view(briefing_id)


async def test_reading_asks_for_the_roles_of_every_index() -> None:
    bench = Workbench()
    [text] = await bench.submitted("a")
    await bench.briefings().handle_message(text.encode(), "m")
    bench.indexes = (INDEXES[0], IndexSettings(name="inspections", allowed_roles=("R",)))
    with pytest.raises(Forbidden, match="needs a role"):
        await bench.briefings().get("a", NOBODY)
    with pytest.raises(Forbidden, match="needs a role"):
        await bench.briefings().render("a", "text", NOBODY)
    assert (await bench.briefings().get("a", Caller(roles=frozenset({"R"})))).status == "completed"
    bench.indexes = (INDEXES[0],)
    with pytest.raises(Forbidden, match="not configured any more"):
        await bench.briefings().get("a", Caller(roles=frozenset({"R"})))


async def test_rejections_come_newest_first_a_hundred_a_page() -> None:
    bench = Workbench()
    for number in range(105):
        inserted = datetime.fromtimestamp(1_700_000_000 + number, UTC)
        await bench.briefings().handle_message(f"garbage {number}".encode(), f"m{number}", 1, inserted)
    page = await bench.briefings().rejections()
    rest = await bench.briefings().rejections(page.continuation)
    ids = [rejection.message_id for rejection in (*page.rejections, *rest.rejections)]
    assert ids == [f"m{number}" for number in reversed(range(105))]
    assert rest.continuation is None


READER = Caller(roles=frozenset({"R"}))


async def _closed_batch() -> Workbench:
    """A batch of one final briefing, whose index asks for a role afterwards."""
    bench = Workbench()
    [text] = await bench.submitted("secret")
    await bench.briefings().handle_message(text.encode(), "m")
    bench.indexes = (IndexSettings(name="schools", allowed_roles=("R",)), *INDEXES[1:])
    return bench


async def test_deleting_asks_for_the_roles_of_the_indexes() -> None:
    bench = await _closed_batch()
    for call in (bench.briefings().delete("secret", NOBODY), bench.briefings().delete_batch("b1", NOBODY)):
        with pytest.raises(Forbidden) as raised:
            await call
        assert raised.value.code == "role_required"
    assert (await bench.briefings().get("secret", READER)).status == "completed"
    await bench.briefings().delete("secret", READER)
    await bench.briefings().delete_batch("b1", READER)


async def test_lists_leave_out_what_the_caller_has_no_role_for() -> None:
    bench = await _closed_batch()
    assert (await bench.briefings().batch_page("b1", NOBODY)).briefings == ()
    assert [row.id for row in (await bench.briefings().batch_page("b1", READER)).briefings] == ["secret"]
    assert (await bench.briefings().batch("b1")).counts == {"completed": 1}


async def test_permissions_of_documents_close_the_page_but_not_the_deletion() -> None:
    bench = await _closed_batch()
    bench.indexes = (IndexSettings(name="schools", permission_filter=True), *INDEXES[1:])
    for token in (None, "made up"):
        caller = Caller(roles=frozenset({"R"}), query_source_authorization=token)
        with pytest.raises(Forbidden) as raised:
            await bench.briefings().get("secret", caller)
        assert raised.value.code == "caller_token_required"
    await bench.briefings().delete("secret", NOBODY)


async def test_an_index_that_is_gone_does_not_hinder_the_deletion() -> None:
    bench = await _closed_batch()
    bench.indexes = INDEXES[1:]
    await bench.briefings().delete_batch("b1", NOBODY)
