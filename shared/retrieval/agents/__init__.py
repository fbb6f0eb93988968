"""Knowledge agents: retrieve with the contracts of the search service."""

from .models import (
    MessageImage,
    MessageText,
    PlanningActivity,
    RankingActivity,
    ReasoningActivity,
    Reference,
    RetrieveMessage,
    RetrieveReply,
    RetrieveRequest,
    SearchActivity,
    Target,
)
from .models import Shape as RetrieveShape
from .planning import Planner, QueryPlan
from .retrieve import retrieve
from .wire import azure_error, parse_agent_key, parse_retrieve_request, reply_to_json

__all__ = [
    "MessageImage",
    "MessageText",
    "Planner",
    "PlanningActivity",
    "QueryPlan",
    "RankingActivity",
    "ReasoningActivity",
    "Reference",
    "RetrieveMessage",
    "RetrieveReply",
    "RetrieveRequest",
    "RetrieveShape",
    "SearchActivity",
    "Target",
    "azure_error",
    "parse_agent_key",
    "parse_retrieve_request",
    "reply_to_json",
    "retrieve",
]
