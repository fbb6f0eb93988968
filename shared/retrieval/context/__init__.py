"""TextSearchProvider: context from a search for the conversation of a chat model (spec 7)."""

from .index_search import index_search
from .models import ChatMessage, Mark, OtherPart, TextPart, injected_message
from .options import ContextOptions, SearchTime, TextRedactor
from .provider import TextSearchProvider
from .results import ContextResult, TextSearchResult, ToolReply
from .state import bounded as bounded_state
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
    "bounded_state",
    "index_search",
    "injected_message",
]
