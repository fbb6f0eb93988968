"""Options of a TextSearchProvider, with the meaning and the defaults of the original."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from .memory import is_blank
from .models import ChatMessage, TextSearchResult

DEFAULT_STATE_KEY = "TextSearchProvider"
DEFAULT_ROLES = ("user",)
DEFAULT_CONTEXT_PROMPT = (
    "## Additional Context\nConsider the following information from source documents when responding to the user:"
)
DEFAULT_CITATIONS_PROMPT = (
    "Include citations to the source document with document name and link if document name and link is available."
)
DEFAULT_TOOL_NAME = "Search"
DEFAULT_TOOL_DESCRIPTION = "Allows searching for additional information to help answer the user question."


class SearchTime(StrEnum):
    """When the search is made: before each model call, or when the model calls the tool."""

    BEFORE_AI_INVOKE = "BeforeAIInvoke"
    ON_DEMAND = "OnDemandFunctionCalling"


class TextRedactor(Protocol):
    """Makes of a text what may stand in a log; `kind` is `query` or `evidence`."""

    def redact(self, text: str, kind: str) -> str:
        """The text to log instead."""


MessageFilter = Callable[[Sequence[ChatMessage]], Iterable[ChatMessage]]
ContextFormatter = Callable[[list[TextSearchResult]], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOptions:
    """Everything has its default; None means the default too.

    A filter of one's own replaces the default one (external messages only; for responses: all). Messages that a
    TextSearchProvider injected are never searched or remembered, whatever the filters.
    """

    search_time: SearchTime = SearchTime.BEFORE_AI_INVOKE
    recent_message_memory_limit: int = 0
    recent_message_roles_included: Sequence[str] | None = None
    search_input_message_filter: MessageFilter | None = None
    storage_input_request_message_filter: MessageFilter | None = None
    storage_input_response_message_filter: MessageFilter | None = None
    state_key: str | None = None
    context_prompt: str | None = None
    citations_prompt: str | None = None
    context_formatter: ContextFormatter | None = None
    function_tool_name: str | None = None
    function_tool_description: str | None = None
    enable_sensitive_telemetry_data: bool = False
    redactor: TextRedactor | None = None

    @property
    def key(self) -> str:
        """The name of the provider's entry in the state."""
        return DEFAULT_STATE_KEY if self.state_key is None else self.state_key

    def remembers(self, role: str) -> bool:
        """Whether messages of this role are remembered; case plays no part."""
        roles = DEFAULT_ROLES if self.recent_message_roles_included is None else self.recent_message_roles_included
        return role.lower() in {name.lower() for name in roles}

    def check(self, search: object) -> None:
        """Raises ValueError or TypeError naming the first wrong option, in the original's order."""
        if is_blank(self.key):
            raise ValueError("state_key must not be blank.")
        if not callable(search):
            raise TypeError("search must be an asynchronous function from a text to results.")
        if self.recent_message_memory_limit < 0:
            raise ValueError("recent_message_memory_limit must be 0 or more.")
        if self.search_time not in tuple(SearchTime):
            raise ValueError(f"search_time must be one of {', '.join(SearchTime)}.")


# The message text of a provider: prompts around framed results, none of which can forge the frame.

# What a model may take for the frame: its labels in any case, a rule of dashes or their look-alikes.
_SPACE = r"[\s\u200b-\u200f\u2060\ufeff]"
_DASH = r"[-\u00ad\u058a\u2010-\u2015\u2212\u2500\u2501\u23af\u23e4\u2e3a\u2e3b\ufe58\ufe63\uff0d\u30fc]"
_FORGED = re.compile(
    rf"(?P<before>(?:{_SPACE}|[>*_#])*)(?=(?:SourceDocName|SourceDocLink|Contents)\s*[:\uff1a\ufe55\u2236\ua789]"
    rf"|{_DASH}{{3,}}{_SPACE}*$)",
    re.IGNORECASE,
)


def format_context(results: Sequence[TextSearchResult], options: ContextOptions) -> str:
    """The text for the model; a formatter of the options makes all of it, whose None counts as the empty text."""
    if options.context_formatter is not None:
        return options.context_formatter(results if isinstance(results, list) else list(results)) or ""
    prompt = DEFAULT_CONTEXT_PROMPT if options.context_prompt is None else options.context_prompt
    closing = DEFAULT_CITATIONS_PROMPT if options.citations_prompt is None else options.citations_prompt
    return "\n".join((prompt, *(_frame(result) for result in results), closing, "", ""))


def _frame(result: TextSearchResult) -> str:
    lines = []
    if not is_blank(result.source_name):
        lines.append(f"SourceDocName: {_defused(result.source_name)}")
    if not is_blank(result.source_link):
        lines.append(f"SourceDocLink: {_defused(result.source_link)}")
    return "\n".join((*lines, f"Contents: {_defused(result.text)}", "----"))


def _defused(text: str | None) -> str:
    """The text with a backslash where, after its first line, a line would begin to read as part of the frame."""
    first, *others = (text or "").splitlines(keepends=True) or [""]
    return first + "".join(_FORGED.sub(r"\g<before>\\", line, count=1) if _FORGED.match(line) else line for line in others)
