"""What the triggers call: the routes, and one function for each kind of trigger."""

from shared.settings import load_auth, queue_name

from .citations import CITATIONS, CITATIONS_STREAM
from .front import answer_http, respond
from .health import READY, live
from .indexes import AGENTS, INDEXES
from .replies import Reply
from .requests import Request
from .routes import Route
from .search import EVIDENCE, SEARCH
from .services import Services

__all__ = [
    "AGENTS",
    "CITATIONS",
    "CITATIONS_STREAM",
    "EVIDENCE",
    "INDEXES",
    "READY",
    "SEARCH",
    "Reply",
    "Request",
    "Route",
    "Services",
    "answer_http",
    "live",
    "load_auth",
    "queue_name",
    "respond",
]
