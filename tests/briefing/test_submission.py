"""Submission: all or nothing, idempotent, and completed by its repetition wherever it broke off."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from shared.briefing import (
    BriefingConflict,
    DefinitionsBroken,
    InvalidSubmission,
    Storage,
    StorageUnavailable,
    SubmissionItem,
)
from shared.briefing.definitions import Definitions
from shared.briefing.messages import MAX_MESSAGE_BYTES, Message, read_message
from shared.retrieval import Caller, Forbidden, IndexSettings, NotConfigured, Problem, RetrievalError, UnknownName
from tests.briefing.doubles import INDEXES, Faults, FaultyBlobs, FaultyQueue, Killed, Step
from tests.briefing.memory_storage import MemoryStorage
from tests.briefing.workbench import NOBODY, Workbench, profile


async def test_what_is_accepted_is_queued_once_and_recorded() -> None:
    bench = Workbench()
    receipt = await bench.briefings().submit("b1", [profile("a"), profile("b")], NOBODY)
    assert receipt.batch_id == "b1"
    assert [(entry.id, entry.status) for entry in receipt.briefings] == [("a", "queued"), ("b", "queued")]
    read = [read_message(text.encode()) for text in bench.memory.queue.texts]
    assert [(message.id, message.batch_id) for message in read if isinstance(message, Message)] == [("a", "b1"), ("b", "b1")]
    record = await bench.record("a")
    assert (record.standing.status, record.parameters, record.standing.indexes) == (
        "queued",
        {"urn": "900001"},
        ("schools", "inspections"),
    )


async def test_a_repeated_call_queues_nothing_and_tells_the_present_status() -> None:
    bench = Workbench()
    [first, _] = await bench.submitted("a", "b")
    await bench.briefings().handle_message(first.encode(), "m1")
    receipt = await bench.briefings().submit("b1", [profile("a"), profile("b"), profile("c")], NOBODY)
    assert [entry.status for entry in receipt.briefings] == ["completed", "queued", "queued"]
    assert len(bench.memory.queue.texts) == 3


async def test_ids_and_batch_are_made_where_they_are_left_out() -> None:
    bench = Workbench()
    receipt = await bench.briefings().submit(None, [profile(), profile()], NOBODY)
    other = await bench.briefings().submit(None, [profile(), profile()], NOBODY)
    ids = [entry.id for entry in (*receipt.briefings, *other.briefings)]
    assert len(set(ids)) == 4
    assert receipt.batch_id != other.batch_id


async def test_ids_that_were_left_out_are_the_same_when_a_named_batch_is_repeated() -> None:
    bench = Workbench()
    first = await bench.briefings().submit("b", [profile(), profile()], NOBODY)
    again = await bench.briefings().submit("b", [profile(), profile()], NOBODY)
    assert first == again
    assert len({entry.id for entry in first.briefings}) == 2
    assert len(bench.memory.queue.texts) == 2


@pytest.mark.parametrize(
    ("batch", "items", "problems"),
    [
        pytest.param("b", [], [("$.briefings", "out_of_range")], id="none"),
        pytest.param("b", [profile(f"i{n}") for n in range(1001)], [("$.briefings", "out_of_range")], id="too many"),
        pytest.param("/", [profile("a")], [("$.batchId", "invalid_id")], id="bad batch id"),
        pytest.param(7, [profile("a")], [("$.batchId", "invalid_id")], id="batch id of another type"),
        pytest.param("b", [profile("a b")], [("$.briefings[0].id", "invalid_id")], id="bad id"),
        pytest.param("b", [profile("a"), profile("a")], [("$.briefings[1].id", "duplicate_id")], id="an id twice"),
        pytest.param(
            "b",
            [profile("a"), profile("b", "12")],
            [("$.briefings[1].parameters.urn", "invalid_parameter")],
            id="bad parameter",
        ),
        pytest.param(
            "b",
            [SubmissionItem(id="a", briefing="school-profile", parameters={"x": 1})],
            [("$.briefings[0].parameters.x", "unknown_parameter"), ("$.briefings[0].parameters.urn", "missing_parameter")],
            id="unknown and missing parameter",
        ),
        pytest.param(
            "b",
            [SubmissionItem(id="a", briefing="school-profile", parameters=[])],
            [("$.briefings[0].parameters", "invalid_parameter")],
            id="parameters of another type",
        ),
        pytest.param(
            "b",
            [SubmissionItem(id="a", briefing="none", parameters={}), profile("b/")],
            [("$.briefings[0].briefing", "unknown_definition"), ("$.briefings[1].id", "invalid_id")],
            id="problems of two kinds",
        ),
    ],
)
async def test_any_invalid_item_refuses_the_call(batch: Any, items: list[SubmissionItem], problems: list[Any]) -> None:
    bench = Workbench()
    with pytest.raises(InvalidSubmission, match="cannot be accepted") as raised:
        await bench.briefings().submit(batch, items, NOBODY)
    assert [(problem.path, problem.code) for problem in raised.value.problems] == problems
    assert (bench.memory.queue.texts, bench.memory.blobs.blobs) == ([], {})


async def test_an_unknown_definition_has_a_code_of_its_own() -> None:
    with pytest.raises(UnknownName, match="not defined") as raised:
        await Workbench().briefings().submit(None, [SubmissionItem(briefing="none", parameters={})], NOBODY)
    assert (raised.value.code, raised.value.problems[0].path) == ("unknown_definition", "$.briefings[0].briefing")


@pytest.mark.parametrize(
    ("batch", "item"),
    [("b1", profile("b", "900002")), ("b2", profile("b"))],
    ids=["other parameters", "another batch"],
)
async def test_a_known_id_with_other_content_refuses_the_call(batch: str, item: SubmissionItem) -> None:
    bench = Workbench()
    await bench.submitted("b")
    stored = dict(bench.memory.blobs.blobs)
    with pytest.raises(BriefingConflict, match="known with other content") as raised:
        await bench.briefings().submit(batch, [profile("a"), item], NOBODY)
    assert [problem.path for problem in raised.value.problems] == ["$.briefings[1].id"]
    assert len(bench.memory.queue.texts) == 1
    assert bench.memory.blobs.blobs == stored


async def test_a_request_too_big_for_a_message_is_stored_and_referred_to() -> None:
    bench = Workbench()
    parameters = {"urn": "900001", "focus": "漢" * 9000}
    item = SubmissionItem(id="big", briefing="inspection-summary", parameters=parameters)
    await bench.briefings().submit("b1", [item], NOBODY)
    [text] = bench.memory.queue.texts
    assert len(text) < 1000 < MAX_MESSAGE_BYTES
    assert "parameters" not in json.loads(text)
    assert await bench.briefings().handle_message(text.encode(), "m") == "completed"
    assert (await bench.view("big")).parameters == {**parameters, "since": "1990-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    "changed", [{"request": "another"}, {"id": "other"}, {"batchId": "other"}], ids=["digest", "id", "batch"]
)
async def test_a_reference_to_another_request_is_rejected(changed: dict[str, str]) -> None:
    bench = Workbench()
    parameters = {"urn": "900001", "focus": "漢" * 9000}
    await bench.briefings().submit(
        "b1", [SubmissionItem(id="big", briefing="inspection-summary", parameters=parameters)], NOBODY
    )
    message = {**json.loads(bench.memory.queue.texts[0]), **changed}
    assert await bench.briefings().handle_message(json.dumps(message).encode(), "m") == "rejected"


SECRET = IndexSettings(name="schools", allowed_roles=("Schools.Read",))
PERSONAL = IndexSettings(name="schools", permission_filter=True)


@pytest.mark.parametrize(
    ("index", "caller", "error", "text"),
    [
        (SECRET, Caller(), Forbidden, "needs a role"),
        (SECRET, Caller(roles=frozenset({"Other"})), Forbidden, "needs a role"),
        (PERSONAL, Caller(query_source_authorization="token"), Forbidden, "cannot carry a caller's token"),
        (IndexSettings(name="else"), Caller(), NotConfigured, "index schools, which is not configured"),
    ],
)
async def test_rights_are_asked_before_anything_is_queued(
    index: IndexSettings, caller: Caller, error: type[RetrievalError], text: str
) -> None:
    bench = Workbench(indexes=(index, *INDEXES[1:]))
    with pytest.raises(error, match=text):
        await bench.briefings().submit(None, [profile("a")], caller)
    assert bench.memory.blobs.blobs == {}


async def test_a_caller_with_the_role_may_submit() -> None:
    bench = Workbench(indexes=(SECRET, *INDEXES[1:]))
    await bench.briefings().submit(None, [profile("a")], Caller(roles=frozenset({"Schools.Read"})))
    assert len(bench.memory.queue.texts) == 1


async def test_a_broken_definition_file_stops_submission() -> None:
    broken = Definitions((), (Problem("x.toml: name", "bad_definition", "is missing"),))
    with pytest.raises(DefinitionsBroken, match="definition is wrong"):
        await Workbench(definitions=broken).briefings().submit(None, [profile("a")], NOBODY)


def _steps_of_one_call() -> int:
    """How many storage calls a call with three new briefings makes."""
    return 1 + 3 + 3 + 3 * 2


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("fault", [StorageUnavailable("down"), Killed()], ids=["fault", "kill"])
@pytest.mark.parametrize("number", range(1, _steps_of_one_call() + 1))
async def test_a_call_that_broke_off_anywhere_is_completed_by_its_repetition(
    number: int, fault: BaseException, moment: str
) -> None:
    memory = MemoryStorage()

    def plan(at: int, when: str, _: Step) -> None:
        if at == number and when == moment:
            raise fault

    faults = Faults(plan)
    faulty = Storage(blobs=FaultyBlobs(memory.blobs, faults), queue=FaultyQueue(memory.queue, faults), poison=memory.poison)
    items = [profile("a"), profile("b"), profile("c")]
    with pytest.raises(type(fault)):
        await Workbench(storage=faulty).briefings().submit("b1", items, NOBODY)
    bench = Workbench(memory=memory)
    receipt = await bench.briefings().submit("b1", items, NOBODY)
    assert [entry.id for entry in receipt.briefings] == ["a", "b", "c"]
    # A message may have been put twice, when the record that tells of it was not written: the second finds it finished.
    assert len(memory.queue.texts) in (3, 4)
    for place, text in enumerate(memory.queue.texts):
        await bench.briefings().handle_message(text.encode(), f"m{place}")
    assert (await bench.briefings().batch("b1")).counts == {"completed": 3}


async def test_two_equal_calls_at_once_queue_each_briefing_once_or_harmlessly_twice() -> None:

    bench = Workbench()
    items = [profile(f"i{number}") for number in range(20)]
    both = await asyncio.gather(*(bench.briefings().submit("b1", items, NOBODY) for _ in range(2)))
    assert [[entry.id for entry in receipt.briefings] for receipt in both] == [[item.id for item in items]] * 2
    assert (await bench.briefings().batch("b1")).total == 20
