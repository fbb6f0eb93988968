"""What the triggers call: the routes, and one function for each kind of trigger."""

from shared.settings import load_auth, queue_name

from .answers import ANSWERS
from .briefings import (
    BRIEFING_DEFINITIONS,
    BRIEFING_REJECTIONS,
    DELETE_BATCH,
    DELETE_BRIEFING,
    GET_BATCH,
    GET_BRIEFING,
    LIST_BATCH,
    RETRY_BATCH,
    SUBMIT_BRIEFINGS,
)
from .citations import CITATIONS, CITATIONS_STREAM
from .context import CONTEXT, CONTEXT_REMEMBER, TOOL, TOOL_DEFINITION
from .health import READY
from .mcp import EVIDENCE_TOOL, RESOLVE_CITATIONS_TOOL, SEARCH_TOOL, answer_tool
from .pipeline import answer_http, answer_live, respond
from .queue import Message, handle_poison_message, handle_queue_message, remove_expired, run_message
from .requests import Request
from .responses import Reply
from .retrieve import AGENT_RETRIEVE, AGENT_RETRIEVE_PLAIN, KNOWLEDGE_BASE_RETRIEVE
from .routes import Route
from .search import AGENTS, EVIDENCE, INDEXES, SEARCH
from .services import Services

__all__ = [
    "AGENTS",
    "AGENT_RETRIEVE",
    "AGENT_RETRIEVE_PLAIN",
    "ANSWERS",
    "BRIEFING_DEFINITIONS",
    "BRIEFING_REJECTIONS",
    "CITATIONS",
    "CITATIONS_STREAM",
    "CONTEXT",
    "CONTEXT_REMEMBER",
    "DELETE_BATCH",
    "DELETE_BRIEFING",
    "EVIDENCE",
    "EVIDENCE_TOOL",
    "GET_BATCH",
    "GET_BRIEFING",
    "INDEXES",
    "KNOWLEDGE_BASE_RETRIEVE",
    "LIST_BATCH",
    "READY",
    "RESOLVE_CITATIONS_TOOL",
    "RETRY_BATCH",
    "SEARCH",
    "SEARCH_TOOL",
    "SUBMIT_BRIEFINGS",
    "TOOL",
    "TOOL_DEFINITION",
    "Message",
    "Reply",
    "Request",
    "Route",
    "Services",
    "answer_http",
    "answer_live",
    "answer_tool",
    "handle_poison_message",
    "handle_queue_message",
    "load_auth",
    "queue_name",
    "remove_expired",
    "respond",
    "run_message",
]
