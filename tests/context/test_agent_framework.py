"""The provider inside an agent of the Agent Framework, with a chat client that follows a script."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed; the provider for it is optional")

from agent_framework import Agent, AgentSession, ContextProvider, InMemoryHistoryProvider, Message

from shared.retrieval.agent_framework import SearchContextProvider
from shared.retrieval.context import ContextOptions, SearchTime, TextSearchProvider, TextSearchResult
from tests.context.scripted_chat import ScriptedChat
from tests.context.test_provider import Script

FERRY = TextSearchResult(text="At 06:40.", source_name="Ferries", source_link="https://harbour.example")


class Notes(ContextProvider):
    """Another provider that adds a message of its own."""

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        context.extend_messages(self, [Message("user", ["note: the sea is calm"])])


def provider(search: Script, **options: Any) -> SearchContextProvider:
    return SearchContextProvider(TextSearchProvider(search, ContextOptions(**options)))


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages]


async def test_context_is_added_and_remembered_in_the_session() -> None:
    search, chat = Script(FERRY), ScriptedChat("At 06:40.", "At 22:10.")
    agent = Agent(client=chat, context_providers=[provider(search, recent_message_memory_limit=5)])
    session = agent.create_session()
    await agent.run("When does the first ferry leave?", session=session)
    await agent.run("And the last?", session=session)
    assert search.queries == ["When does the first ferry leave?", "When does the first ferry leave?\nAnd the last?"]
    assert any("Contents: At 06:40." in text for text in texts(chat.received[0]))
    state = session.state["TextSearchProvider"]
    assert state == {"TextSearchProvider": {"recentMessagesText": ["When does the first ferry leave?", "And the last?"]}}


async def test_it_composes_with_history_and_another_provider() -> None:
    search, chat = Script(FERRY), ScriptedChat("one", "two")
    providers = [InMemoryHistoryProvider(), Notes("notes"), provider(search, recent_message_memory_limit=5)]
    agent = Agent(client=chat, context_providers=providers)
    session = agent.create_session()
    await agent.run("ferry?", session=session)
    await agent.run("and back?", session=session)
    assert search.queries == ["ferry?", "ferry?\nand back?"]
    last = texts(chat.received[1])
    assert "note: the sea is calm" in last
    assert last.count("ferry?") == 1
    assert "one" in last


async def test_a_session_restored_from_json_goes_on() -> None:
    search, chat = Script(FERRY), ScriptedChat("one", "two")
    agent = Agent(
        client=chat, context_providers=[InMemoryHistoryProvider(), provider(search, recent_message_memory_limit=5)]
    )
    session = agent.create_session()
    await agent.run("ferry?", session=session)
    restored = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    await agent.run("and back?", session=restored)
    assert search.queries == ["ferry?", "ferry?\nand back?"]


async def test_injected_messages_handed_back_as_input_are_not_searched() -> None:
    search, chat = Script(FERRY), ScriptedChat("one", "two")
    agent = Agent(client=chat, context_providers=[provider(search)])
    await agent.run("ferry?")
    again = [Message.from_dict(json.loads(json.dumps(message.to_dict()))) for message in chat.received[0]]
    await agent.run([*again, Message("user", ["and back?"])])
    assert search.queries == ["ferry?", "ferry?\nand back?"]


async def test_a_failed_search_does_not_fail_the_run() -> None:
    chat = ScriptedChat("I do not know.")
    agent = Agent(client=chat, context_providers=[provider(Script(error=OSError("away")))])
    response = await agent.run("ferry?")
    assert response.text == "I do not know."
    assert texts(chat.received[0]) == ["ferry?"]


async def test_the_model_calls_the_search_as_a_tool() -> None:
    search = Script(FERRY)
    chat = ScriptedChat(("Search", {"userQuestion": "first ferry"}), "At 06:40.")
    agent = Agent(client=chat, context_providers=[provider(search, search_time=SearchTime.ON_DEMAND)])
    response = await agent.run("When does the first ferry leave?")
    assert response.text == "At 06:40."
    assert search.queries == ["first ferry"]
    assert [tool.name for tool in chat.tools[0]] == ["Search"]
    result = chat.received[1][-1].contents[0]
    assert "Contents: At 06:40." in str(result.result)


async def test_a_failing_tool_answers_in_words() -> None:
    chat = ScriptedChat(("Search", {"userQuestion": "first ferry"}), "Sorry.")
    agent = Agent(client=chat, context_providers=[provider(Script(error=OSError("away")), search_time=SearchTime.ON_DEMAND)])
    await agent.run("When does the first ferry leave?")
    assert "could not be carried out" in str(chat.received[1][-1].contents[0].result)
