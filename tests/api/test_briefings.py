"""Briefings over the routes and the queue handler, on real blobs and a real queue."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import ResourceExistsError
from azure.storage.queue.aio import QueueClient

from emulators.azure_search.service import SearchService
from local.azurite import Azurite
from local.subprocesses import free_port
from shared.api import (
    BRIEFING_DEFINITIONS,
    BRIEFING_REJECTIONS,
    DELETE_BATCH,
    DELETE_BRIEFING,
    GET_BATCH,
    GET_BRIEFING,
    LIST_BATCH,
    READY,
    RETRY_BATCH,
    SUBMIT_BRIEFINGS,
    Message,
    run_message,
)
from shared.api.queue import message_outcome, poison_outcome, remove_expired_of
from shared.briefing.definitions import FOLDER as SHIPPED
from tests.support.app import App, app_over, body_of


def storage_settings(azurite: Azurite, container: str) -> dict[str, str]:
    """The emulator, with a container and a queue of the test's own."""
    return {
        "BriefingStorage": azurite.connection_string,
        "AiAgents__Briefings__Container": container,
        "AiAgents__Briefings__QueueName": container,
    }


@pytest.fixture
async def desk(service: SearchService, azurite: Azurite, request: pytest.FixtureRequest) -> AsyncIterator[App]:
    """The app with storage."""
    name = f"t{abs(hash(request.node.nodeid)) % 10**12}"
    async with app_over(service, storage_settings(azurite, name)) as app:
        yield app


def message(**members: Any) -> Message:
    """A queue message as an application would put it."""
    body = {"version": 1, "id": "b1", "batchId": "batch", "briefing": "school-profile", "parameters": {"urn": "900016"}}
    return Message(body=json.dumps(body | members).encode(), id="m1", deliveries=1)


async def submitted(app: App, *ids: str, urn: str = "900016") -> Any:
    """The reply to a submission of these ids in one batch."""
    items = [{"id": one, "briefing": "school-profile", "parameters": {"urn": urn}} for one in ids]
    return await app.call(SUBMIT_BRIEFINGS, {"batchId": "batch", "briefings": items})


async def test_from_submission_to_page(desk: App) -> None:
    reply = await submitted(desk, "b1")
    assert (reply.status, reply.headers["Location"]) == (202, "/api/batches/batch")
    assert body_of(reply) == {
        "batchId": "batch",
        "briefings": [{"id": "b1", "status": "queued", "href": "/api/briefings/b1"}],
    }
    await run_message(desk.services, message())
    where = {"route_params": {"id": "b1"}}
    record = body_of(await desk.call(GET_BRIEFING, **where))
    assert (record["status"], record["attempts"], record["writer"]) == ("completed", 1, {"kind": "extractive"})
    assert {source["number"] for source in record["sources"] if source["cited"]} == {
        citation["number"] for citation in record["citations"]
    }
    progress = body_of(await desk.call(GET_BATCH, route_params={"id": "batch"}))
    assert (progress["counts"], progress["total"], progress["percent"]) == ({"completed": 1}, 1, 100.0)


PAGES = [("html", "text/html"), ("markdown", "text/markdown"), ("text", "text/plain")]


@pytest.mark.parametrize(("form", "content_type"), PAGES)
async def test_pages_for_people(desk: App, form: str, content_type: str) -> None:
    await submitted(desk, "b1")
    await run_message(desk.services, message())
    page = await desk.call(GET_BRIEFING, route_params={"id": "b1"}, query={"format": form})
    assert (page.status, page.content_type) == (200, content_type)
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert page.headers["X-Frame-Options"] == "DENY"
    assert "AI-generated" in page.content().decode()


async def test_the_page_of_a_batch(desk: App) -> None:
    await submitted(desk, "b1", "b2")
    await run_message(desk.services, message())
    where = {"id": "batch"}
    page = await desk.call(GET_BATCH, route_params=where, query={"format": "html", "status": "queued"})
    assert (page.status, page.content_type) == (200, "text/html")
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    text = page.content().decode()
    assert "50 % of 2 briefings are final" in text
    assert 'href="../briefings/b2?format=html"' in text
    assert "briefings/b1" not in text
    for wrong in ({"format": "text"}, {"format": "html", "status": "lost"}, {"format": "html", "continuation": "x"}):
        refused = await desk.call(GET_BATCH, route_params=where, query=wrong)
        assert (refused.status, body_of(refused)["errors"][0]["path"]) == (400, f"?{list(wrong)[-1]}")


async def test_each_citation_of_a_section_names_its_own_evidence(desk: App) -> None:
    """An inspection's date cites that inspection, not another document with the same number in another section."""
    await submitted(desk, "b1", urn="900001")
    await run_message(desk.services, message(parameters={"urn": "900001"}))
    record = body_of(await desk.call(GET_BRIEFING, route_params={"id": "b1"}))
    sections = {section["name"]: section for section in record["sections"]}
    named = {citation["name"] for citation in sections["inspections"]["citations"]}
    assert named == {"Inspection of Oakfield Primary School, 2019", "Inspection of Oakfield Primary School, 2024"}
    assert {citation["name"] for citation in sections["facts"]["citations"]} == {"Oakfield Primary School"}


REFUSED = [
    ("none", {"briefings": []}, 400, "$.briefings"),
    ("too many", {"briefings": [{"briefing": "school-profile", "parameters": {}}] * 1001}, 400, "$.briefings"),
    ("unknown", {"briefings": [{"briefing": "x", "parameters": {}}]}, 400, "$.briefings[0].briefing"),
    ("parameter", {"briefings": [{"briefing": "school-profile", "parameters": {}}]}, 400, "$.briefings[0].parameters.urn"),
    ("twice", {"briefings": [{"id": "a", "briefing": "school-profile", "parameters": {"urn": "900001"}}] * 2}, 400,
     "$.briefings[1].id"),
    ("id", {"briefings": [{"id": "-a", "briefing": "school-profile", "parameters": {"urn": "900001"}}]}, 400,
     "$.briefings[0].id"),
    ("batch", {"batchId": "a/b", "briefings": [{"briefing": "school-profile", "parameters": {"urn": "900001"}}]}, 400,
     "$.batchId"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "path"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
async def test_refused_submissions(desk: App, body: Any, status: int, path: str) -> None:
    reply = await desk.call(SUBMIT_BRIEFINGS, body)
    assert reply.status == status
    assert path in [error["path"] for error in body_of(reply)["errors"]]


async def test_a_known_id_with_other_content_is_a_conflict(desk: App) -> None:
    await submitted(desk, "b1")
    assert body_of(await submitted(desk, "b1"))["briefings"][0]["status"] == "queued"
    reply = await submitted(desk, "b1", urn="900001")
    assert (reply.status, body_of(reply)["code"]) == (409, "conflict")


@pytest.mark.parametrize("route", [GET_BRIEFING, DELETE_BRIEFING, GET_BATCH, LIST_BATCH, RETRY_BATCH, DELETE_BATCH])
@pytest.mark.parametrize("known", ["nobody", "a b", "..", ""])
async def test_unknown_addresses(desk: App, route: Any, known: str) -> None:
    reply = await desk.call(route, route_params={"id": known})
    assert (reply.status, body_of(reply)["code"]) == (404, "not_found")


async def test_a_deleted_briefing_is_gone_and_its_id_taken(desk: App) -> None:
    await submitted(desk, "b1")
    assert (await desk.call(DELETE_BRIEFING, route_params={"id": "b1"})).status == 204
    await run_message(desk.services, message())
    listed = body_of(await desk.call(LIST_BATCH, route_params={"id": "batch"}))["briefings"]
    assert [one["status"] for one in listed] == ["cancelled"]
    assert (await desk.call(DELETE_BRIEFING, route_params={"id": "b1"})).status == 204
    assert (await desk.call(GET_BRIEFING, route_params={"id": "b1"})).status == 410
    assert (await submitted(desk, "b1")).status == 409


async def test_format_and_status_are_checked(desk: App) -> None:
    await submitted(desk, "b1")
    page = await desk.call(GET_BRIEFING, route_params={"id": "b1"}, query={"format": "pdf"})
    assert (page.status, body_of(page)["errors"][0]["path"]) == (400, "?format")
    assert (await desk.call(LIST_BATCH, route_params={"id": "batch"}, query={"status": "lost"})).status == 400
    assert (await desk.call(LIST_BATCH, route_params={"id": "batch"}, query={"continuation": "x"})).status == 400
    assert (await desk.call(BRIEFING_REJECTIONS, query={"continuation": "x"})).status == 400


GARBAGE = [b"", b"not json", b"[]", b'{"id": "b1"}', b"\xff\xfe", base64.b64encode(b'"x"'), b"b'eyJ9'", b"x" * 50_000]


@pytest.mark.parametrize("body", GARBAGE, ids=lambda body: repr(body[:12]))
async def test_an_unusable_message_is_a_stored_rejection_at_once(desk: App, body: bytes) -> None:
    queued = datetime.now(UTC)
    for delivery in (1, 2):
        await run_message(desk.services, Message(body=body, id="m9", deliveries=delivery, queued_at=queued))
    rejections = body_of(await desk.call(BRIEFING_REJECTIONS))["rejections"]
    assert [one["messageId"] for one in rejections] == ["m9"]


async def test_both_encodings_of_a_message_run(desk: App) -> None:
    plain = message().body
    await run_message(desk.services, Message(body=base64.b64encode(plain), id="m1", deliveries=1))
    record = body_of(await desk.call(GET_BRIEFING, route_params={"id": "b1"}))
    assert record["status"] == "completed"


@pytest.mark.parametrize("most", [1, 3, 5])
async def test_a_lasting_fault_waits_also_at_the_last_delivery(azurite: Azurite, most: int) -> None:
    """The count of host.json or of its override; a fault that an operator cures uses none of the deliveries up."""
    settings = storage_settings(azurite, f"last-{most}") | {
        "AzureFunctionsJobHost__extensions__queues__maxDequeueCount": str(most),
        "AiAgents__AISearch__Endpoint": f"http://127.0.0.1:{free_port()}",
        "AiAgents__AISearch__MaxRetryAttempts": "0",
        "AiAgents__Briefings__DeadlineSeconds": "1",
    }
    async with app_over(None, settings) as app:
        await run_message(app.services, Message(body=message().body, id="m1", deliveries=most))
        record = body_of(await app.call(GET_BRIEFING, route_params={"id": "b1"}))
        assert (record["status"], record["reason"], record["answer"]) == ("waiting", "search_failed", None)
        assert record["retryAt"]


WRONG_SETTINGS = [
    {"AiAgents__Briefings__Container": "x"},
    {"AiAgents__Briefings__MaxConcurrency": "many"},
    {"AiAgents__Model__Endpoint": "https://model.example.org"},
]


@pytest.mark.parametrize("wrong", WRONG_SETTINGS, ids=lambda wrong: next(iter(wrong)))
@pytest.mark.parametrize("poison", [False, True])
async def test_a_wrong_setting_costs_no_message(
    service: SearchService, azurite: Azurite, wrong: dict[str, str], poison: bool
) -> None:
    name = f"w{abs(hash((str(wrong), poison))) % 10**12}"
    settings = storage_settings(azurite, name)
    async with app_over(service, settings | wrong) as app:
        queue = await _queue(azurite, f"{name}-poison" if poison else name)
        given = Message(body=message().body, id="m1", deliveries=5)
        code = await (poison_outcome if poison else message_outcome)(app.services, given)
        assert code is None
        properties = await queue.get_queue_properties()
        assert properties.approximate_message_count == 1
        assert [one async for one in queue.receive_messages()] == [], "it stays hidden for a while"
        await queue.close()
    async with app_over(service, settings) as app:
        await run_message(app.services, given)
        assert body_of(await app.call(GET_BRIEFING, route_params={"id": "b1"}))["status"] == "completed"


async def _queue(azurite: Azurite, name: str) -> QueueClient:
    queue = QueueClient.from_connection_string(azurite.connection_string, name)
    with suppress(ResourceExistsError):
        await queue.create_queue()
    return queue


async def test_definitions_are_listed(desk: App) -> None:
    listed = body_of(await desk.call(BRIEFING_DEFINITIONS))["definitions"]
    assert {one["name"] for one in listed} == {"school-profile", "inspection-summary", "school-comparison"}
    assert all(one["parameters"]["type"] == "object" for one in listed)


@pytest.mark.parametrize(("part", "named"), [("queue", {"queue", "poison_queue"}), ("blob", {"blobs"})])
async def test_readiness_names_the_part_of_storage_that_is_down(
    service: SearchService, azurite: Azurite, part: str, named: set[str]
) -> None:
    port = getattr(azurite.ports, part)
    broken = azurite.connection_string.replace(f":{port}/", f":{free_port()}/")
    async with app_over(service, storage_settings(azurite, "half") | {"BriefingStorage": broken}) as app:
        ready = await app.call(READY)
    assert ready.status == 503
    assert {check["name"] for check in body_of(ready)["checks"] if not check["ok"]} == named


async def test_what_a_caller_got_wrong_is_told_before_storage_is_asked(service: SearchService, azurite: Azurite) -> None:
    broken = azurite.connection_string.replace(f":{azurite.ports.blob}/", f":{free_port()}/")
    where: dict[str, Any] = {"route_params": {"id": "batch"}}
    async with app_over(service, storage_settings(azurite, "down") | {"BriefingStorage": broken}) as app:
        replies = [
            await submitted(app, "-a"),
            await app.call(SUBMIT_BRIEFINGS, {"briefings": [{"briefing": "x", "parameters": {}}]}),
            await app.call(LIST_BATCH, **where, query={"status": "lost"}),
            await app.call(LIST_BATCH, **where, query={"continuation": "x"}),
            await app.call(BRIEFING_REJECTIONS, query={"continuation": "x"}),
            await app.call(GET_BATCH, route_params={"id": "a b"}),
        ]
        assert [reply.status for reply in replies] == [400, 400, 400, 400, 400, 404]
        down = await submitted(app, "a")
        assert (down.status, body_of(down)["code"]) == (503, "storage_unavailable")


async def test_the_nightly_removal_keeps_what_is_young_and_never_raises(
    desk: App, service: SearchService, azurite: Azurite
) -> None:
    await submitted(desk, "b1")
    await remove_expired_of(desk.services)
    assert (await desk.call(GET_BRIEFING, route_params={"id": "b1"})).status == 200
    broken = azurite.connection_string.replace(f":{azurite.ports.blob}/", f":{free_port()}/")
    for storage in ({"BriefingStorage": ""}, storage_settings(azurite, "down") | {"BriefingStorage": broken}):
        async with app_over(service, storage) as app:
            await remove_expired_of(app.services)


async def test_without_storage_only_briefings_are_closed(service: SearchService) -> None:
    async with app_over(service, {"BriefingStorage": ""}) as app:
        invalid = await submitted(app, "-b1")
        assert (invalid.status, body_of(invalid)["errors"][0]["path"]) == (400, "$.briefings[0].id")
        reply = await submitted(app, "b1")
        assert (reply.status, body_of(reply)["code"]) == (503, "not_configured")
        paths = {error["path"] for error in body_of(reply)["errors"]}
        assert paths == {"BriefingStorage__queueServiceUri", "BriefingStorage__blobServiceUri"}
        for route, query in (
            (GET_BRIEFING, {"format": "pdf"}),
            (LIST_BATCH, {"status": "lost"}),
            (LIST_BATCH, {"continuation": "x"}),
            (BRIEFING_REJECTIONS, {"continuation": "x"}),
        ):
            wrong = await app.call(route, route_params={"id": "b1"}, query=query)
            assert (wrong.status, body_of(wrong)["errors"][0]["path"]) == (400, f"?{next(iter(query))}")
            closed = await app.call(route, route_params={"id": "b1"})
            assert (closed.status, body_of(closed)["code"]) == (503, "not_configured")
        ready = body_of(await app.call(READY))
        assert {c["name"] for c in ready["checks"] if not c["ok"]} == {f"setting:{path}" for path in paths}


@pytest.mark.parametrize("parameter", ["status", "continuation"])
async def test_a_wrong_query_parameter_is_named(desk: App, parameter: str) -> None:
    routes = (LIST_BATCH,) if parameter == "status" else (LIST_BATCH, BRIEFING_REJECTIONS)
    for route in routes:
        reply = await desk.call(route, route_params={"id": "batch"}, query={parameter: "nonsense"})
        assert reply.status == 400
        assert [(e["path"], e["code"]) for e in body_of(reply)["errors"]] == [(f"?{parameter}", f"invalid_{parameter}")]


async def test_a_folder_of_definitions_replaces_the_shipped_ones(
    service: SearchService, azurite: Azurite, tmp_path: Path
) -> None:
    text = (SHIPPED / "inspection-summary.toml").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(text.replace('name = "inspection-summary"', 'name = "own"'), encoding="utf-8")
    folder = {"AiAgents__Briefings__DefinitionsFolder": str(tmp_path)}
    async with app_over(service, storage_settings(azurite, "own-definitions") | folder) as app:
        listed = body_of(await app.call(BRIEFING_DEFINITIONS))
        shipped = await app.call(SUBMIT_BRIEFINGS, {"briefings": [{"briefing": "school-profile", "parameters": {}}]})
        own = await app.call(SUBMIT_BRIEFINGS, {"briefings": [{"briefing": "own", "parameters": {"urn": "900001"}}]})
    assert [definition["name"] for definition in listed["definitions"]] == ["own"]
    assert (shipped.status, body_of(shipped)["errors"][0]["code"]) == (400, "unknown_definition")
    assert own.status == 202


async def test_a_missing_folder_of_definitions_closes_briefings(service: SearchService, azurite: Azurite) -> None:
    folder = {"AiAgents__Briefings__DefinitionsFolder": "no/such/folder"}
    async with app_over(service, storage_settings(azurite, "no-definitions") | folder) as app:
        reply = await app.call(SUBMIT_BRIEFINGS, {"briefings": [{"briefing": "own", "parameters": {}}]})
    assert (reply.status, body_of(reply)["code"]) == (503, "not_configured")
