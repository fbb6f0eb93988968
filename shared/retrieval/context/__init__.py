"""TextSearchProvider: context from a search for the conversation of a chat model."""

from .index_search import index_search
from .memory import bounded as bounded_state
from .models import (
    ChatMessage,
    ContextResult,
    Mark,
    OtherPart,
    TextPart,
    TextSearchResult,
    ToolDefinition,
    ToolReply,
    injected_message,
)
from .options import ContextOptions, SearchTime, TextRedactor
from .provider import TextSearchProvider

__all__ = [
    "ChatMessage",
    "ContextOptions",
    "ContextResult",
    "Mark",
    "OtherPart",
    "SearchTime",
    "TextPart",
    "TextRedactor",
    "TextSearchProvider",
    "TextSearchResult",
    "ToolDefinition",
    "ToolReply",
    "bounded_state",
    "index_search",
    "injected_message",
]
