"""Knowledge agents: retrieve with the contracts of the search service (spec 6)."""

from ..knowledge.azure_errors import azure_error
from ..knowledge.key import parse_agent_key
from ..knowledge.replies import (
    PlanningActivity,
    RankingActivity,
    ReasoningActivity,
    Reference,
    RetrieveReply,
    SearchActivity,
)
from ..knowledge.reply_json import reply_to_json
from .models import MessageImage, MessageText, RetrieveMessage, RetrieveRequest, Target
from .models import Shape as RetrieveShape
from .planning import Planner, QueryPlan
from .retrieve import retrieve
from .wire import parse_retrieve_request

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
