"""`GET /api/indexes` and `GET /api/agents`: what the caller may use, from the settings alone."""

from __future__ import annotations

from shared.retrieval import AgentSettings, Caller, IndexSettings, RetrievalSettings, may_read

from .responses import Reply
from .routes import Call, Route
from .services import Services


def mode_of(index: IndexSettings) -> str:
    """How queries of the index are sent (spec 3.3)."""
    modes = {
        (False, False): "keyword",
        (True, False): "semantic",
        (False, True): "hybrid",
        (True, True): "hybrid_semantic",
    }
    return modes[index.semantic_configuration is not None, bool(index.vector_fields)]


async def handle_indexes(services: Services, call: Call) -> Reply:
    """Names, modes and fields of the indexes that the caller may read."""
    settings = services.retrieval_settings
    readable = [index for index in settings.indexes if may_read(index, call.caller)]
    return Reply(
        body={
            "indexes": [
                {
                    "name": index.name,
                    "mode": mode_of(index),
                    "contentFields": list(index.content_fields),
                    "filterFields": None if index.filter_fields is None else list(index.filter_fields),
                    "requiredFilterFields": list(index.required_filter_fields),
                }
                for index in readable
            ]
        }
    )


async def handle_agents(services: Services, call: Call) -> Reply:
    """Names, engines and indexes of the agents whose indexes the caller may all read."""
    settings = services.retrieval_settings
    agents = [agent for agent in settings.agents if _may_use(agent, settings, call.caller)]
    return Reply(
        body={
            "agents": [
                {"name": agent.name, "engine": agent.engine, "indexes": [index.name for index in agent.indexes]}
                for agent in agents
            ]
        }
    )


def _may_use(agent: AgentSettings, settings: RetrievalSettings, caller: Caller) -> bool:
    named = {index.name for index in agent.indexes}
    return all(may_read(index, caller) for index in settings.indexes if index.name in named)


INDEXES = Route(name="indexes", handle=handle_indexes, needs=("retrieval",))
AGENTS = Route(name="agents", handle=handle_agents, needs=("retrieval", "agents"))
