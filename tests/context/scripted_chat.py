"""A chat client that says what a script says and remembers what it received."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from agent_framework import BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message


class ScriptedChat(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """Each entry of `script` is a text, or `(tool, arguments)` for a call."""

    def __init__(self, *script: str | tuple[str, Mapping[str, Any]]) -> None:
        super().__init__()
        self.script = list(script)
        self.received: list[list[Message]] = []
        self.tools: list[list[Any]] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse]:
        assert not stream
        return self._answer(list(messages), list(options.get("tools") or []))

    async def _answer(self, messages: list[Message], tools: list[Any]) -> ChatResponse:
        self.received.append(messages)
        self.tools.append(tools)
        said = self.script.pop(0)
        if isinstance(said, str):
            contents: list[Any] = [said]
        else:
            contents = [Content.from_function_call(f"call-{len(self.received)}", said[0], arguments=dict(said[1]))]
        return ChatResponse(messages=[Message("assistant", contents)])
