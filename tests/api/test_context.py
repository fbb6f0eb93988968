"""`/api/context`, remembering and the search tool, over the sample data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from emulators.azure_search.service import SearchService
from local.sample_settings import INSPECTIONS, SCHOOLS
from shared.api import CONTEXT, CONTEXT_REMEMBER, TOOL, TOOL_DEFINITION, Reply
from tests.support.app import App, app_over, body_of

ASKED = {"role": "user", "text": "safeguarding concerns at the last inspection"}
KEY = "TextSearchProvider"
BY_WORDS = {"AiAgents__Context__Index": "schools"}
"""An index that finds by words alone; one with vectors finds something near to anything."""


def turn(*texts: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "text": text} for text in texts], **more}


def flaws(reply: Reply) -> list[tuple[str, str]]:
    return [(error["path"], error["code"]) for error in body_of(reply)["errors"]]


async def test_a_question_gets_one_marked_message_and_its_sources(app: App) -> None:
    reply = await app.call(CONTEXT, {"messages": [ASKED]})
    body = body_of(reply)
    assert (reply.status, body["status"], body["tools"], body["state"]) == (200, "found", [], {})
    (message,) = body["messages"]
    assert message.keys() == {"role", "text", "injected"}
    assert (message["role"], message["injected"]) == ("user", True)
    assert message["text"].startswith("## Additional Context\nConsider the following information")
    assert message["text"].count("\n----\n") == len(body["sources"])
    assert [source["number"] for source in body["sources"]] == list(range(1, len(body["sources"]) + 1))
    assert all(source["name"] and source["index"] == "inspections" for source in body["sources"])


async def test_nothing_found_is_no_message_and_no_fault(service: SearchService) -> None:
    async with app_over(service, BY_WORDS) as app:
        for text in ("zxqv", " "):
            body = body_of(await app.call(CONTEXT, turn(text)))
            assert (body["status"], body["messages"], body["sources"]) == ("no_results", [], [])


async def test_a_conversation_is_remembered_in_the_callers_state(app: App) -> None:
    options = {"recentMessageMemoryLimit": 2}
    first = body_of(await app.call(CONTEXT, turn("safeguarding", options=options)))
    assert first["state"] == {KEY: {}}
    injected = first["messages"][0]
    request = [{"role": "user", "text": "safeguarding"}, injected]
    answer = [{"role": "assistant", "text": "There were concerns."}]
    told = {"request": request, "response": answer, "state": first["state"], "options": options}
    state = body_of(await app.call(CONTEXT_REMEMBER, told))["state"]
    assert state == {KEY: {"recentMessagesText": ["safeguarding"]}}
    again = body_of(await app.call(CONTEXT, turn("zxqv", state=state, options=options)))
    assert again["status"] == "found"
    assert again["state"] == state


async def test_an_injected_message_is_not_searched(app: App) -> None:
    injected = {"role": "user", "text": "safeguarding", "injected": True}
    body = body_of(await app.call(CONTEXT, {"messages": [injected]}))
    assert body["status"] == "no_results"


async def test_the_limit_holds_for_a_state_that_comes_in(app: App) -> None:
    state = {KEY: {"recentMessagesText": ["a", "b", "c"]}, "Other": 1}
    body = body_of(await app.call(CONTEXT, turn("d", state=state, options={"recentMessageMemoryLimit": 2})))
    assert body["state"] == {KEY: {"recentMessagesText": ["b", "c"]}, "Other": 1}


async def test_a_large_state_loses_its_oldest_texts(app: App) -> None:
    texts = [f"{number} " + "x" * 9_000 for number in range(20)]
    state = {KEY: {"recentMessagesText": texts}}
    body = body_of(await app.call(CONTEXT, turn("d", state=state, options={"recentMessageMemoryLimit": 100})))
    kept = body["state"][KEY]["recentMessagesText"]
    assert len(json.dumps(body["state"]).encode()) <= 64 * 1024
    assert kept == texts[-len(kept) :]
    assert len(kept) == 7
    unread = body_of(await app.call(CONTEXT, turn("d", state=state)))["state"]
    assert len(json.dumps(unread).encode()) <= 64 * 1024


async def test_on_demand_gives_the_tool_instead_of_messages(app: App) -> None:
    options = {"searchTime": "OnDemandFunctionCalling", "functionToolName": "look", "functionToolDescription": "Looks."}
    body = body_of(await app.call(CONTEXT, turn("safeguarding", options=options)))
    schema = {"type": "object", "properties": {"userQuestion": {"type": "string"}}, "required": ["userQuestion"]}
    assert (body["status"], body["messages"]) == ("on_demand", [])
    assert body["tools"] == [{"name": "look", "description": "Looks.", "parameters": schema}]


async def test_prompts_of_the_caller(app: App) -> None:
    options = {"contextPrompt": "Notes:", "citationsPrompt": "", "stateKey": "mine", "recentMessageMemoryLimit": 1}
    body = body_of(await app.call(CONTEXT, turn("safeguarding", options=options)))
    assert body["messages"][0]["text"].startswith("Notes:\nSourceDocName: ")
    assert body["state"] == {"mine": {}}


async def test_null_options_are_those_of_the_settings(app: App) -> None:
    options = {"searchTime": None, "recentMessageMemoryLimit": None, "contextPrompt": None}
    assert body_of(await app.call(CONTEXT, turn("safeguarding", options=options)))["status"] == "found"


BAD = [
    ({}, "$.messages", "missing"),
    ({"messages": [{"role": "robot", "text": "a"}]}, "$.messages[0].role", "out_of_range"),
    ({"messages": [{"role": "user"}]}, "$.messages[0].text", "missing"),
    ({"messages": [{"role": "user", "text": 5}]}, "$.messages[0].text", "wrong_type"),
    ({"messages": [{"role": "user", "text": "a", "source": "x"}]}, "$.messages[0].source", "unknown_key"),
    ({"messages": [ASKED] * 201}, "$.messages", "out_of_range"),
    (turn("a", state=[]), "$.state", "wrong_type"),
    (turn("a", state={KEY: 5}), f"$.state.{KEY}", "wrong_type"),
    (turn("a", state={KEY: {"recentMessagesText": [1]}}), f"$.state.{KEY}.recentMessagesText[0]", "wrong_type"),
    (turn("a", options={"searchTime": "Later"}), "$.options.searchTime", "out_of_range"),
    (turn("a", options={"recentMessageMemoryLimit": -1}), "$.options.recentMessageMemoryLimit", "out_of_range"),
    (turn("a", options={"recentMessageMemoryLimit": True}), "$.options.recentMessageMemoryLimit", "wrong_type"),
    (
        turn("a", options={"recentMessageRolesIncluded": ["User", "robot"]}),
        "$.options.recentMessageRolesIncluded[1]",
        "out_of_range",
    ),
    (turn("a", state={"my key": 5}, options={"stateKey": "my key"}), '$.state["my key"]', "wrong_type"),
    (turn("a", options={"stateKey": " "}), "$.options.stateKey", "blank"),
    (turn("a", options={"contextFormatter": "x"}), "$.options.contextFormatter", "unknown_key"),
    (turn("a", options={"enableSensitiveTelemetryData": True}), "$.options.enableSensitiveTelemetryData", "unknown_key"),
]


@pytest.mark.parametrize(("body", "path", "code"), BAD, ids=[f"{path} {code}" for _, path, code in BAD])
async def test_mistakes_of_the_caller_are_no_failed_search(app: App, body: object, path: str, code: str) -> None:
    reply = await app.call(CONTEXT, body)
    assert reply.status == 400
    assert (path, code) in flaws(reply)


async def test_a_state_too_large_without_our_texts_is_refused(app: App) -> None:
    for limit in (0, 1):
        options = {"recentMessageMemoryLimit": limit}
        reply = await app.call(CONTEXT, turn("a", state={"Other": "x" * 70_000}, options=options))
        assert (reply.status, body_of(reply)["code"]) == (413, "too_large")


async def test_a_failed_search_is_a_status(service: SearchService) -> None:
    gone = json.dumps([{**INSPECTIONS, "Name": "gone"}])
    settings = {"AiAgents__AISearch__Indexes": gone, "AiAgents__Context__Index": "gone", "AiAgents__KnowledgeAgents": "[]"}
    async with app_over(service, settings) as app:
        reply = await app.call(CONTEXT, turn("safeguarding"))
        assert (reply.status, body_of(reply)["status"], body_of(reply)["messages"]) == (200, "search_failed", [])
        tool = body_of(await app.call(TOOL, {"userQuestion": "safeguarding"}))
        assert tool["status"] == "search_failed"
        assert tool["text"].startswith("The search could not be carried out")


async def test_a_missing_right_is_403_and_a_missing_setting_503(service: SearchService) -> None:
    closed = {"AiAgents__AISearch__Indexes": json.dumps([SCHOOLS, {**INSPECTIONS, "AllowedRoles": ["Inspectors"]}])}
    async with app_over(service, closed | {"AiAgents__KnowledgeAgents": "[]"}) as app:
        on_demand = turn(options={"searchTime": "OnDemandFunctionCalling"})
        contexts = [(CONTEXT, turn("safeguarding")), (CONTEXT, turn()), (CONTEXT, on_demand)]
        for route, body in (*contexts, (TOOL, {"userQuestion": "safeguarding"}), (TOOL, {"userQuestion": " "})):
            reply = await app.call(route, body)
            assert (reply.status, body_of(reply)["code"]) == (403, "role_required")
    async with app_over(service, {"AiAgents__Context__Index": "", "AiAgents__Context__Unfiltered": ""}) as app:
        reply = await app.call(CONTEXT, turn("safeguarding"))
        assert (reply.status, body_of(reply)["code"]) == (503, "not_configured")


async def test_the_configured_filter_bounds_what_is_found(service: SearchService) -> None:
    settings = {"AiAgents__Context__Unfiltered": "", "AiAgents__Context__Filter": json.dumps({"equals": {"outcome": []}})}
    async with app_over(service, settings) as app:
        assert body_of(await app.call(CONTEXT, {"messages": [ASKED]}))["status"] == "no_results"


async def test_the_tool_describes_itself_and_answers(app: App, service: SearchService) -> None:
    definition = body_of(await app.call(TOOL_DEFINITION))
    assert (definition["name"], definition["parameters"]["required"]) == ("Search", ["userQuestion"])
    found = body_of(await app.call(TOOL, {"userQuestion": "safeguarding concerns"}))
    assert found["status"] == "found"
    assert found["text"].startswith("## Additional Context")
    assert found["sources"][0]["number"] == 1
    async with app_over(service, BY_WORDS) as other:
        nothing = body_of(await other.call(TOOL, {"userQuestion": "zxqv"}))
    assert (nothing["status"], nothing["sources"]) == ("no_results", [])
    assert nothing["text"].startswith("No information was found")


@pytest.mark.parametrize(
    ("body", "status", "flaw"),
    [
        ({}, 400, ("$.userQuestion", "missing")),
        ({"userQuestion": None}, 400, ("$.userQuestion", "wrong_type")),
        ({"userQuestion": "a", "top": 3}, 400, ("$.top", "unknown_key")),
        ({"userQuestion": "a" * 10_001}, 413, ("$.userQuestion", "too_large")),
    ],
)
async def test_wrong_questions_for_the_tool(app: App, body: object, status: int, flaw: tuple[str, str]) -> None:
    reply = await app.call(TOOL, body)
    assert (reply.status, flaws(reply)) == (status, [flaw])
