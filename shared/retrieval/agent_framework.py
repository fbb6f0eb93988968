"""TextSearchProvider as a context provider of the Microsoft Agent Framework for Python.

A door of its own: importing it needs `agent-framework-core`, which the rest of the package does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

try:
    from agent_framework import ContextProvider, FunctionTool, HistoryProvider, Message
except ImportError as error:  # pragma: no cover - the other side of an optional installation
    raise ImportError("The Agent Framework is not installed: pip install agent-framework-core") from error

from .context import ChatMessage, Mark, OtherPart, TextPart, TextSearchProvider, ToolDefinition
from .context.models import ATTRIBUTION, CHAT_HISTORY, CONTEXT_PROVIDER, EXTERNAL, SOURCE_ID


class SearchContextProvider(ContextProvider):
    """Adds what `provider` finds before each run of an agent, or its tool; remembers each finished run in the session.

    Composes with other providers: what they and the chat history add is neither searched nor remembered, unless a filter
    of the provider's options asks for it. `source_id` tells two of them in one agent apart.
    """

    def __init__(self, provider: TextSearchProvider, source_id: str = SOURCE_ID) -> None:
        super().__init__(source_id)
        self._provider = provider

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Searches for the conversation and adds the message or the tool. A failed search adds nothing."""
        result = await self._provider.invoking(_conversation(agent, context), state)
        state.update(result.state or {})
        if result.added:
            context.extend_messages(self, [_injected(message) for message in result.added])
        if result.offered:
            context.extend_tools(self.source_id, [self._tool(tool) for tool in result.offered])

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Remembers the run."""
        answers = context.response.messages if context.response is not None else []
        kept = await self._provider.invoked(_conversation(agent, context), _marked(answers, None), state)
        state.update(kept or {})

    def _tool(self, tool: ToolDefinition) -> FunctionTool:
        async def search(**arguments: Any) -> str:
            reply = await self._provider.run_tool(arguments)
            return reply.text

        return FunctionTool(name=tool.name, description=tool.description, func=search, input_model=tool.parameters)


def _conversation(agent: Any, context: Any) -> list[ChatMessage]:
    """What is about to be sent: what other providers added, marked by its origin, then the new messages."""
    histories = {one.source_id for one in getattr(agent, "context_providers", ()) if isinstance(one, HistoryProvider)}
    found: list[ChatMessage] = []
    for source_id, messages in context.context_messages.items():
        mark = Mark(CHAT_HISTORY if source_id in histories else CONTEXT_PROVIDER, source_id)
        found.extend(_marked(messages, mark))
    return [*found, *_marked(context.input_messages, None)]


def _marked(messages: Iterable[Message], mark: Mark | None) -> list[ChatMessage]:
    """Messages as ours. A message that a provider of ours injected keeps its own mark, wherever it comes from."""
    made: list[ChatMessage] = []
    for message in messages:
        plain = ChatMessage(
            role=str(message.role), contents=_parts(message.contents), properties=message.additional_properties
        )
        own = plain.injected or plain.origin.source != EXTERNAL
        made.append(
            ChatMessage(
                role=plain.role,
                contents=plain.contents,
                mark=None if own else mark,
                author_name=message.author_name,
                properties=plain.properties,
            )
        )
    return made


def _parts(contents: Sequence[Any]) -> tuple[TextPart | OtherPart, ...]:
    return tuple(
        TextPart(content.text or "") if content.type == "text" else OtherPart(str(content.type), content)
        for content in contents
    )


def _injected(message: ChatMessage) -> Message:
    attribution = {"sourceType": CONTEXT_PROVIDER, "sourceId": SOURCE_ID}
    return Message(message.role, [message.text], additional_properties={ATTRIBUTION: attribution})
