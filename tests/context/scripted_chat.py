"""A chat client that says what a script says and remembers what it received."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from agent_framework import BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message

Call = tuple[str, Mapping[str, Any]]


class ScriptedChat(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """Each entry of `script` is a text, a call `(tool, arguments)`, a list of calls made at once, or an error to raise."""

    def __init__(self, *script: str | Call | list[Call] | Exception) -> None:
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
        if isinstance(said, Exception):
            raise said
        if isinstance(said, str):
            return ChatResponse(messages=[Message("assistant", [said])])
        calls = said if isinstance(said, list) else [said]
        contents = [
            Content.from_function_call(f"call-{len(self.received)}-{number}", name, arguments=dict(arguments))
            for number, (name, arguments) in enumerate(calls)
        ]
        return ChatResponse(messages=[Message("assistant", contents)])
