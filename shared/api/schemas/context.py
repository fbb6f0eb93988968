"""Bodies of `/api/context`, `/api/context/remember` and `/api/tools/search`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from shared.retrieval import (
    MAX_MESSAGES,
    MAX_QUERY_CHARACTERS,
    ChatMessage,
    ContextOptions,
    ContextResult,
    SearchTime,
    Source,
    ToolDefinition,
    ToolReply,
    bounded_state,
    injected_message,
)

from ..json import Flaw
from .base import Body, NotBlank, at_most, within

ROLES = ("user", "assistant", "system", "developer", "tool")
_MAX_LIMIT = 2**31 - 1


def _role(value: str) -> str:
    if value.lower() not in ROLES:
        raise Flaw("out_of_range", f"This must be one of {', '.join(ROLES)}.")
    return value


Role = Annotated[str, AfterValidator(_role)]


class MessageBody(Body):
    """A message; `injected` marks one that this app gave as context."""

    role: Role
    text: str
    injected: bool = False


Messages = Annotated[list[MessageBody], Field(max_length=MAX_MESSAGES)]


class OptionsBody(Body):
    """The options that a caller may set; null means what the settings say."""

    search_time: Literal["BeforeAIInvoke", "OnDemandFunctionCalling"] | None = None
    recent_message_memory_limit: Annotated[int, within(0, _MAX_LIMIT)] | None = None
    recent_message_roles_included: Annotated[list[Role], Field(fail_fast=True)] | None = None
    state_key: NotBlank | None = None
    context_prompt: str | None = None
    citations_prompt: str | None = None
    function_tool_name: str | None = None
    function_tool_description: str | None = None


class ContextBody(Body):
    """Body of `POST /api/context`."""

    messages: Messages
    state: dict[str, Any] | None = None
    options: OptionsBody | None = None


class RememberBody(Body):
    """Body of `POST /api/context/remember`: a finished turn."""

    request: Messages
    response: Messages
    state: dict[str, Any] | None = None
    options: OptionsBody | None = None


class ToolBody(Body):
    """Body of `POST /api/tools/search`."""

    user_question: Annotated[str, at_most(MAX_QUERY_CHARACTERS)]


def options_of(configured: ContextOptions, body: OptionsBody | None) -> ContextOptions:
    """The options of a call: those of the settings, but for what the caller sets."""
    given = {} if body is None else body.model_dump(exclude_none=True)
    if "search_time" in given:
        given["search_time"] = SearchTime(given["search_time"])
    return replace(configured, **given)


def messages_of(bodies: Iterable[MessageBody]) -> list[ChatMessage]:
    """The messages as values, marks included."""
    return [injected_message(one.text) if one.injected else ChatMessage.of(one.role, one.text) for one in bodies]


def state_of(state: Mapping[str, Any] | None, options: ContextOptions) -> dict[str, Any]:
    """The caller's state within its size. Raises InvalidRequest for a malformed one, also where no call would read it."""
    return bounded_state(state or {}, options.key)


def tool_json(tool: ToolDefinition) -> dict[str, Any]:
    """The tool as a model's definition of it."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def context_json(result: ContextResult) -> dict[str, Any]:
    """The reply of `/api/context`: the messages and tools to add, never those that came in."""
    return {
        "status": result.status,
        "messages": [{"role": one.role, "text": one.text, "injected": True} for one in result.added],
        "tools": [tool_json(tool) for tool in result.offered],
        "sources": [_source_json(source) for source in result.sources],
        "state": dict(result.state or {}),
    }


def tool_reply_json(reply: ToolReply) -> dict[str, Any]:
    """The reply of the tool."""
    return {"status": reply.status, "text": reply.text, "sources": [_source_json(source) for source in reply.sources]}


def _source_json(source: Source) -> dict[str, Any]:
    return {"number": source.number, "index": source.index, "key": source.key, "name": source.name, "link": source.link}
