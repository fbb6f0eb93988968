"""TextSearchProvider: context from a search for the conversation of a chat model (spec 7)."""

from .messages import ChatMessage, Mark, OtherPart, TextPart
from .options import ContextOptions, SearchTime, TextRedactor
from .provider import TextSearchProvider
from .results import ContextResult, TextSearchResult, ToolReply
from .tool import ToolDefinition

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
]
