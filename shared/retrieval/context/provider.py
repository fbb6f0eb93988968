"""TextSearchProvider: gives a chat model what a search finds for the current conversation.

It follows the provider of that name in the Microsoft Agent Framework; docs/agents.md names where it decides otherwise.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import Forbidden, NotConfigured
from .memory import State, holds_remembered, is_blank, read_texts, remember, search_text, write_texts
from .models import (
    EXTERNAL,
    NOTHING_FOUND,
    SEARCH_FAILED,
    ChatMessage,
    ContextResult,
    Search,
    TextSearchResult,
    ToolDefinition,
    ToolReply,
    injected_message,
    question_of,
    sources_of,
)
from .options import (
    DEFAULT_TOOL_DESCRIPTION,
    DEFAULT_TOOL_NAME,
    ContextOptions,
    MessageFilter,
    SearchTime,
    TextRedactor,
    format_context,
)

# What a provider logs: counts; at trace level texts, redacted unless sensitive data is on; never an exception's text.

TRACE = 5
"""Below DEBUG, as .NET's Trace: content, even redacted, is never a matter of ordinary logging."""

REDACTED = "<redacted>"


class ContextLog:
    """The log of one provider."""

    def __init__(self, logger: logging.Logger, options: ContextOptions, *, sensitive_data_allowed: bool) -> None:
        self._logger = logger
        self._redactor = options.redactor
        self._sensitive = options.enable_sensitive_telemetry_data and sensitive_data_allowed

    def retrieved(self, count: int) -> None:
        """A search gave `count` results."""
        self._logger.info("TextSearchProvider: Retrieved %d search results.", count)

    def searched(self, query: str, text: str) -> None:
        """What was searched before a model call, and the text made of it."""
        self._trace("TextSearchProvider: Search Results\nInput:%s\nOutput:%s", query, text)

    def called(self, query: str, text: str) -> None:
        """What the model asked the tool, and what it got."""
        self._trace("TextSearchProvider Input:%s\nOutput:%s", query, text)

    def failed(self, error: BaseException) -> None:
        """A search failed: its type only, since the message of an exception may hold the query."""
        self._logger.error(
            "TextSearchProvider: Failed to search for data due to error", extra={"error.type": type(error).__name__}
        )

    def _trace(self, template: str, query: str, text: str) -> None:
        if self._logger.isEnabledFor(TRACE):
            self._logger.log(TRACE, template, self._shown(query, "query"), self._shown(text, "evidence"))

    def _shown(self, text: str, kind: str) -> str:
        if not text or self._sensitive:
            return text
        return REDACTED if self._redactor is None else _redacted(self._redactor, text, kind)


def _redacted(redactor: TextRedactor, text: str, kind: str) -> str:
    # A redactor is anybody's code, and what it fails at must neither be shown nor cost the caller the context.
    try:
        return redactor.redact(text, kind)
    except Exception:
        return REDACTED


class TextSearchProvider:
    """Searches before each model call, or offers the search as a tool; remembers the texts of recent turns.

    `search` is any asynchronous function from a text to results. `sensitive_data_allowed` says whether the application
    lets content into its logs at all: without it the option of that name has no effect.
    """

    def __init__(
        self,
        search: Search,
        options: ContextOptions | None = None,
        *,
        logger: logging.Logger | None = None,
        sensitive_data_allowed: bool = False,
    ) -> None:
        self._options = options or ContextOptions()
        self._options.check(search)
        self._search = search
        logger = logger or logging.getLogger(__name__)
        self._log = ContextLog(logger, self._options, sensitive_data_allowed=sensitive_data_allowed)

    @property
    def tool(self) -> ToolDefinition:
        """The search as a tool."""
        name, description = self._options.function_tool_name, self._options.function_tool_description
        return ToolDefinition(
            DEFAULT_TOOL_NAME if name is None else name,
            DEFAULT_TOOL_DESCRIPTION if description is None else description,
        )

    async def invoking(
        self,
        messages: Sequence[ChatMessage] | None,
        state: State | None = None,
        *,
        tools: Iterable[object] = (),
        instructions: str | None = None,
    ) -> ContextResult:
        """What to send to the model: the messages with the context added, or the tools with the search among them.

        `state` None means a conversation without memory. A failed search never raises; Forbidden and NotConfigured,
        a malformed state and what a filter raises come out.
        """
        given = None if messages is None else _whole(messages)
        # A filter is called in either mode, so that one that fails shows at once; a lazy one is not read in vain.
        filtered = () if given is None else self._filtered(self._options.search_input_message_filter, given)
        kept = ContextResult(status="on_demand", messages=given, tools=tuple(tools), instructions=instructions, state=state)
        if self._options.search_time == SearchTime.ON_DEMAND:
            return replace(kept, tools=(*kept.tools, self.tool))
        current = [message for message in filtered or () if not is_blank(message.text)]
        query, state = self._recall(current, state)
        return await self._context(query, replace(kept, messages=given or (), state=state))

    async def invoked(
        self,
        request: Sequence[ChatMessage],
        response: Sequence[ChatMessage],
        state: State | None = None,
        *,
        error: BaseException | None = None,
    ) -> State | None:
        """The state after a turn: its texts are remembered, unless it ended with `error`."""
        if error is not None:
            return state
        new = [*self._to_store(request, response)]
        limit, key = self._options.recent_message_memory_limit, self._options.key
        if state is None or not limit:
            return state
        texts = [m.text for m in new if self._options.remembers(m.role) and not is_blank(m.text)]
        return write_texts(state, key, remember(read_texts(state, key, limit) or (), texts, limit))

    async def run_tool(self, arguments: Mapping[str, object]) -> ToolReply:
        """Runs the tool with a model's arguments. Nothing found and a failed search are said in words.

        Raises InvalidRequest when the question is missing or no text; Forbidden and NotConfigured come out.
        """
        query = search_text((), [question_of(arguments)])
        try:
            results = [] if is_blank(query) else await self._results(query)
            sources = sources_of(results)
            text = format_context(results, self._options) if sources or self._options.context_formatter else ""
        except (Forbidden, NotConfigured):
            raise
        except (Exception, asyncio.CancelledError) as error:
            return ToolReply(status="search_failed", text=self._failure(error))
        if not sources and is_blank(text):
            text = NOTHING_FOUND
        self._log.called(query, text)
        return ToolReply(status="found" if sources else "no_results", text=text, sources=sources)

    async def _context(self, query: str, kept: ContextResult) -> ContextResult:
        if is_blank(query):
            return replace(kept, status="no_results")
        try:
            results = await self._results(query)
            # Before a formatter is asked: it is given the search's own list and may change it.
            sources = sources_of(results)
            text = format_context(results, self._options) if sources else ""
        except (Forbidden, NotConfigured):
            raise
        except (Exception, asyncio.CancelledError) as error:
            self._failure(error)
            return replace(kept, status="search_failed")
        if not sources:
            return replace(kept, status="no_results")
        self._log.searched(query, text)
        added = (injected_message(text),)
        messages = (*(kept.messages or ()), *added)
        return replace(kept, status="found", messages=messages, added=added, sources=sources)

    async def _results(self, query: str) -> list[TextSearchResult]:
        found: Any = await self._search(query)
        results: list[Any] = found if isinstance(found, list) else list(found)
        if any(isinstance(one, Mapping) for one in results):
            results = [TextSearchResult(**one) if isinstance(one, Mapping) else one for one in results]
        self._log.retrieved(len(results))
        return results

    def _failure(self, error: BaseException) -> str:
        """Logs a failed search and gives its words for a model.

        The search is anybody's code and fails in any way, also by a cancellation of its own; only the caller's
        cancellation, which its task knows of, goes through.
        """
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise error
        self._log.failed(error)
        return SEARCH_FAILED

    def _recall(self, current: Sequence[ChatMessage], state: State | None) -> tuple[str, State | None]:
        texts = [message.text for message in current]
        limit, key = self._options.recent_message_memory_limit, self._options.key
        if state is None or not limit:
            return search_text((), texts), state
        stored = read_texts(state, key, limit)
        state = write_texts(state, key, stored)
        remembered = stored or ()
        of_roles = [message.text for message in current if self._options.remembers(message.role)]
        if holds_remembered(remembered, of_roles, limit):
            remembered = ()
        return search_text(remembered, texts), state

    def _to_store(self, request: Sequence[ChatMessage], response: Sequence[ChatMessage]) -> Iterable[ChatMessage]:
        yield from self._filtered(self._options.storage_input_request_message_filter, _whole(request))
        keep = self._options.storage_input_response_message_filter
        answers = [message for message in _whole(response) if not message.injected]
        yield from (keep(answers) if keep else answers)

    def _filtered(self, own: MessageFilter | None, messages: Sequence[ChatMessage]) -> Iterable[ChatMessage]:
        not_ours = [message for message in messages if not message.injected]
        return own(not_ours) if own else [message for message in not_ours if message.origin.source == EXTERNAL]


def _whole(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    if messages is None or any(message is None for message in messages):
        raise TypeError("messages must be a sequence of ChatMessage, without None.")
    return tuple(messages)
