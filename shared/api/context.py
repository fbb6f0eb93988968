"""`/api/context`, `/api/context/remember` and the search tool: context for chat models from the configured index."""

from __future__ import annotations

from shared.retrieval import Caller, NotConfigured, TextSearchProvider, check_rights, index_search
from shared.settings import ContextSettings, Section

from .json import body_as
from .responses import Reply
from .routes import Call, Route
from .schemas.context import (
    ContextBody,
    OptionsBody,
    RememberBody,
    ToolBody,
    context_json,
    messages_of,
    options_of,
    state_of,
    tool_json,
    tool_reply_json,
)
from .services import Services


async def handle_context(services: Services, call: Call) -> Reply:
    """The message to add to a conversation, or the tool to offer; a failed search is a status, not an error."""
    body: ContextBody = call.body
    options = options_of(_settings(services).options, body.options)
    state = state_of(body.state, options)
    _check_rights(services, call.caller)
    provider = provider_of(services, call.caller, body.options)
    with services.signals.span("context", search_time=options.search_time.value, messages=len(body.messages)) as span:
        result = await provider.invoking(messages_of(body.messages), state)
        characters = sum(len(message.text) for message in result.added)
        span.set(outcome=result.status, hits=len(result.sources), characters=characters)
    return Reply(body=context_json(result))


async def handle_remember(services: Services, call: Call) -> Reply:
    """The state after a finished turn."""
    body: RememberBody = call.body
    state = state_of(body.state, options_of(_settings(services).options, body.options))
    provider = provider_of(services, call.caller, body.options)
    with services.signals.span("context_remember", messages=len(body.request) + len(body.response)):
        kept = await provider.invoked(messages_of(body.request), messages_of(body.response), state)
    return Reply(body={"state": dict(kept or {})})


async def handle_tool_definition(services: Services, call: Call) -> Reply:
    """The search tool's name, description and JSON schema."""
    return Reply(body=tool_json(provider_of(services, call.caller).tool))


async def handle_tool(services: Services, call: Call) -> Reply:
    """What the search tool answers to a model's question."""
    body: ToolBody = call.body
    _check_rights(services, call.caller)
    with services.signals.span("tool", tool="search") as span:
        reply = await provider_of(services, call.caller).run_tool({"userQuestion": body.user_question})
        span.set(outcome=reply.status, hits=len(reply.sources))
    return Reply(body=tool_reply_json(reply))


def provider_of(services: Services, caller: Caller, options: OptionsBody | None = None) -> TextSearchProvider:
    """A provider over the configured index, reading it for `caller`."""
    settings = _settings(services)
    search = index_search(services.retrieval, settings.index, filter=settings.filter, caller=caller)
    allowed = services.settings.telemetry.sensitive
    return TextSearchProvider(search, options_of(settings.options, options), sensitive_data_allowed=allowed)


def _check_rights(services: Services, caller: Caller) -> None:
    """Raises Forbidden also where there is nothing to search: what a caller may not read does not depend on its words."""
    check_rights(services.retrieval.index(_settings(services).index), caller)


def _settings(services: Services) -> ContextSettings:
    if services.settings.context is None:
        raise NotConfigured("No index is configured for the context.")
    return services.settings.context


_NEEDS: tuple[Section, ...] = ("retrieval", "context")

CONTEXT = Route(name="context", handle=handle_context, read=body_as(ContextBody), needs=_NEEDS)
CONTEXT_REMEMBER = Route(name="context/remember", handle=handle_remember, read=body_as(RememberBody), needs=_NEEDS)
TOOL_DEFINITION = Route(name="tools/search", handle=handle_tool_definition, needs=_NEEDS)
TOOL = Route(name="tools/search", handle=handle_tool, read=body_as(ToolBody), needs=_NEEDS)
