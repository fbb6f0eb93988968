"""The measured agents of the original: what our Agent Framework provider can show of them.

The framework differs (its Python side puts context before the input and keeps state per provider), so what is compared is
what the provider decides: what is searched, what is remembered, and what text the model gets of it.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed; the provider for it is optional")

from agent_framework import Agent, InMemoryHistoryProvider, tool

from shared.retrieval.agent_framework import SearchContextProvider
from shared.retrieval.context import TextSearchProvider
from tests.context.golden import Delegate, Json, options_of
from tests.context.scripted_chat import ScriptedChat
from tests.truths import load_truth
from tests.truths.rules import Rule, Why

NOT_SHOWN = {
    "agent/before_streaming": "streaming is the chat client's own matter",
    "agent/on_demand_streaming": "streaming is the chat client's own matter",
    "agent/before_run_cancelled": "cancellation is shown in test_provider",
    "agent/before_service_history": "history kept by a model service",
    "agent/before_restored_session": "sessions through JSON are shown in test_agent_framework",
    "agent/before_no_session": "a session of its own is made here for each run",
    "agent/two_providers_same_key": "state is kept apart by source id here",
    "agent/key_of_the_chat_history": "state is kept apart by source id here",
    "agent/on_chat_client": "a provider cannot sit on a chat client here",
    "agent/on_chat_client_tool_loop": "a provider cannot sit on a chat client here",
    "agent/on_chat_client_on_demand": "a provider cannot sit on a chat client here",
    "agent/around_the_agent": "a provider cannot be wrapped around an agent here",
    "agent/around_the_agent_on_demand": "a provider cannot be wrapped around an agent here",
}
DEVIATIONS = {
    "agent/on_demand_no_results": Rule.TOOL_WORDS.why,
    "agent/on_demand_search_fails": Rule.TOOL_WORDS.why,
    "agent/on_demand_bad_arguments": Why("platform", "The framework words its own refusal of arguments."),
    "agent/before_input_filter_all": Rule.INJECTED.why,
    "agent/before_model_fails": Why("platform", "A model that fails is the framework's error."),
}
CASES = [case for case in load_truth("text-search-provider-golden")["cases"] if case["group"] == "agent"]
SHOWN = [case for case in CASES if case["name"] not in NOT_SHOWN]


@tool(name="Weather", description="Tells the weather.")
def weather(town: str) -> str:
    """Sunny."""
    return f"sunny in {town}"


def script_of(case: Json) -> list[Any]:
    said: list[Any] = []
    for entry in case["script"]:
        calls = [(call["name"], call["arguments"]) for call in entry.get("calls", [])]
        said.append(calls if calls else entry.get("text", RuntimeError("model")))
    return said


async def differences(case: Json) -> set[str]:
    """What differs of the searches, the memory and the texts that the model gets."""
    delegate, chat = Delegate(), ScriptedChat(*script_of(case))
    delegate.script = case
    options = case.get("providers", {"": case.get("options")})
    made = {
        name: SearchContextProvider(TextSearchProvider(delegate, options_of(given)), name or "search")
        for name, given in options.items()
    }
    tools = [weather] if "Weather" in (case.get("agent") or {}).get("tools", []) else []
    agent = Agent(
        client=chat, tools=tools, context_providers=[InMemoryHistoryProvider(store_context_messages=True), *made.values()]
    )
    session = agent.create_session()
    found: set[str] = set()
    for turn in case["turns"]:
        seen, calls = len(chat.received), len(delegate.calls)
        try:
            await agent.run([message["text"] for message in turn["request"]], session=session)
        except RuntimeError:
            found.add("error")
        if delegate.calls[calls:] != turn["search_calls"]:
            found.add("search_calls")
        if remembered(session.state, made) != measured_memory(turn):
            found.add("memory")
        for ours, theirs in zip(chat.received[seen:], turn["model_calls"], strict=True):
            if sorted(_texts(ours)) != sorted(_measured_texts(theirs)):
                found.add("model_calls")
    return found


def remembered(state: Any, made: dict[str, SearchContextProvider]) -> list[object]:
    entries = [state.get(provider.source_id, {}) for provider in made.values()]
    return [texts for entry in entries for one in entry.values() if (texts := one.get("recentMessagesText"))]


def measured_memory(turn: Json) -> list[object]:
    bag = turn["state"]["stateBag"]
    return [one["recentMessagesText"] for one in bag.values() if isinstance(one, dict) and one.get("recentMessagesText")]


def _texts(messages: list[Any]) -> list[str]:
    results = [str(part.result) for message in messages for part in message.contents if part.type == "function_result"]
    return [message.text for message in messages if message.text] + results


def _measured_texts(call: Json) -> list[str]:
    parts = [part for message in call["messages"] for part in message.get("contents", [])]
    texts = [message["text"] for message in call["messages"] if message.get("text")]
    return texts + [str(part["result"]) for part in parts if part["type"] == "function_result"]


@pytest.mark.parametrize("case", SHOWN, ids=[case["name"] for case in SHOWN])
async def test_agrees_with_the_measured_agent(case: Json) -> None:
    assert bool(await differences(case)) == (case["name"] in DEVIATIONS)


def test_every_case_is_shown_or_says_why_not() -> None:
    assert set(NOT_SHOWN) | set(DEVIATIONS) <= {case["name"] for case in CASES}
    assert [problem for why in DEVIATIONS.values() if (problem := why.problem())] == []
