"""Knowledge agents: retrieve with the contracts of the search service (spec 6)."""

from .azure_errors import azure_error
from .key import parse_agent_key
from .planning import Planner, QueryPlan
from .replies import (
    PlanningActivity,
    RankingActivity,
    ReasoningActivity,
    Reference,
    RetrieveReply,
    SearchActivity,
)
from .reply_json import reply_to_json
from .request_json import parse_retrieve_request
from .requests import MessageImage, MessageText, RetrieveMessage, RetrieveRequest, Target
from .requests import Shape as RetrieveShape
from .retrieve import retrieve

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
