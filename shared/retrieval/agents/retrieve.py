"""Retrieve: what an agent finds for a conversation, by the engine that is configured for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from ..access import NOBODY, Caller, check_rights
from ..client import Retrieval
from ..errors import SearchTimeout
from ..search.retry import SYSTEM_CLOCK, Clock
from ..settings import AgentIndex, AgentSettings
from .models import AGENT_VERSION, KNOWLEDGE_BASE_VERSION, PlanningActivity, RetrieveReply, RetrieveRequest, SearchActivity
from .planned import Planned
from .planning import Planner, check_messages, sub_queries
from .service import ask_service
from .targets import chosen_indexes, resolve_targets


async def retrieve(
    retrieval: Retrieval,
    agent: AgentSettings,
    request: RetrieveRequest,
    *,
    caller: Caller | None = None,
    planner: Planner | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> RetrieveReply:
    """What `agent` finds for `request`, in the shape-free form that `reply_to_json` writes out.

    `planner` makes sub-queries of messages; without one the last things that the user said are searched. Raises a
    RetrievalError with the paths of the request, or what the planner raises. One search that fails fails the call.
    """
    caller = caller or NOBODY
    chosen = chosen_indexes(agent, request)
    check_messages(request, agent, planner)
    _check_rights(retrieval, agent, chosen, caller)
    targets = resolve_targets(agent, request, chosen, retrieval.index)
    version = AGENT_VERSION if request.shape == "agent" else KNOWLEDGE_BASE_VERSION
    with retrieval.signals.span("retrieve", agent=agent.name, engine=agent.engine, api_version=version) as span:
        async with _time_limit(request.max_runtime_seconds):
            if agent.engine == "service":
                reply = await ask_service(retrieval, agent, request, targets, caller)
            else:
                queries = await sub_queries(request, agent, planner, clock)
                engine = Planned(retrieval=retrieval, request=request, caller=caller, clock=clock)
                reply = await engine.reply(targets, queries)
        span.set(messages=len(request.messages), **_figures(reply))
    return reply


def _check_rights(retrieval: Retrieval, agent: AgentSettings, chosen: Sequence[AgentIndex], caller: Caller) -> None:
    """Before a field is named or a model asked. The service reads what its agent names, so all of it has to be allowed."""
    for index in agent.indexes if agent.engine == "service" else chosen:
        check_rights(retrieval.index(index.name), caller)


@asynccontextmanager
async def _time_limit(seconds: int | None) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise SearchTimeout("The time that the request allows is over.") from None


def _figures(reply: RetrieveReply) -> dict[str, object]:
    searches = [one for one in reply.activity if isinstance(one, SearchActivity)]
    return {
        "sub_queries": len({one.search for one in searches}),
        "planned_by_model": any(isinstance(one, PlanningActivity) for one in reply.activity),
        "searches": len(searches),
        "hits": sum(one.count or 0 for one in searches),
        "references": len(reply.references),
        "characters": len(reply.text),
    }
