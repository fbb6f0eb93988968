"""Retrieve of knowledge agents and knowledge bases, with the addresses, shapes and errors of the service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from shared.retrieval import (
    MAX_ERRORS,
    AgentSettings,
    NotConfigured,
    Planner,
    RetrieveRequest,
    azure_error,
    parse_agent_key,
    parse_retrieve_request,
    reply_to_json,
    retrieve,
)
from shared.retrieval import RetrieveShape as Shape
from shared.settings import Section

from .json import read_object
from .requests import Request
from .responses import Failure, HttpError, Reply
from .routes import Call, Route
from .services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveCall:
    """A call as read: the agent's name from the address, and the request."""

    agent: str
    request: RetrieveRequest


def read_quoted(request: Request, *, shape: Shape) -> RetrieveCall:
    """`agents('name')/retrieve` or `knowledgebases('name')/retrieve`, addressed as at the service. Raises InvalidRequest."""
    return _read(request, parse_agent_key(request.route_params.get("key", "")), shape)


def read_plain(request: Request) -> RetrieveCall:
    """The plain alias, `agents/name/retrieve`. The host hands names over decoded, but for an encoded slash."""
    return _read(request, request.route_params.get("agentName", "").replace("%2F", "/").replace("%2f", "/"), "agent")


def _read(request: Request, name: str, shape: Shape) -> RetrieveCall:
    body = read_object(request.body)
    return RetrieveCall(agent=name, request=parse_retrieve_request(body, request.query.get("api-version"), shape))


async def handle_retrieve(services: Services, call: Call) -> Reply:
    """What the agent finds, in the shape of the request."""
    asked: RetrieveCall = call.body
    agent = _agent(services, asked.agent)
    planner = await _planner(services, agent, asked.request)
    reply = await retrieve(services.retrieval, agent, asked.request, caller=call.caller, planner=planner)
    return Reply(body=reply_to_json(reply, asked.request))


async def _planner(services: Services, agent: AgentSettings, request: RetrieveRequest) -> Planner | None:
    """The model that plans, where one is configured and there is something to plan. Raises NotConfigured."""
    if agent.engine != "planned" or not request.messages:
        return None
    services.settings.require("model")
    return await services.planner()


def _agent(services: Services, name: str) -> AgentSettings:
    for agent in services.retrieval_settings.agents:
        if agent.name == name and not agent.usable:
            raise NotConfigured(f"The settings of the agent {name} are wrong; readiness names them.")
        if agent.name == name:
            return agent
    raise HttpError(404, "unknown_agent", "There is no agent of this name.")


def azure_reply(failure: Failure, request_id: str) -> Reply:
    """The failure as the service words errors; the request id is in the header alone."""
    return Reply(
        status=failure.status,
        body=azure_error(failure.code, failure.message, failure.problems[:MAX_ERRORS]),
        headers=failure.headers,
    )


_NEEDS: tuple[Section, ...] = ("retrieval", "agents")


def _route(name: str, read: Callable[[Request], RetrieveCall]) -> Route:
    return Route(name=name, handle=handle_retrieve, read=read, needs=_NEEDS, fail=azure_reply)


AGENT_RETRIEVE = _route("agents('{agentName}')/retrieve", partial(read_quoted, shape="agent"))
KNOWLEDGE_BASE_RETRIEVE = _route("knowledgebases('{agentName}')/retrieve", partial(read_quoted, shape="knowledge_base"))
AGENT_RETRIEVE_PLAIN = _route("agents/{agentName}/retrieve", read_plain)
