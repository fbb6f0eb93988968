"""Retrieve of knowledge agents and knowledge bases, with the addresses, shapes and errors of the service (spec 6)."""

from __future__ import annotations

from functools import partial
from typing import Any

from shared.retrieval import (
    AgentSettings,
    azure_error,
    parse_agent_key,
    parse_retrieve_request,
    reply_to_json,
    retrieve,
)
from shared.retrieval import RetrieveShape as Shape
from shared.settings import Section

from .json_body import read_object
from .replies import Failure, HttpError, Reply
from .routes import Call, Route
from .services import Services


async def handle_quoted(services: Services, call: Call, *, shape: Shape) -> Reply:
    """`agents('name')/retrieve` or `knowledgebases('name')/retrieve`, addressed as at the service."""
    return await _retrieve(services, call, parse_agent_key(call.request.route_params.get("key", "")), shape)


async def handle_plain(services: Services, call: Call) -> Reply:
    """The plain alias, `agents/name/retrieve`. The host hands names over decoded, but for an encoded slash."""
    name = call.request.route_params.get("agentName", "").replace("%2F", "/").replace("%2f", "/")
    return await _retrieve(services, call, name, "agent")


async def _retrieve(services: Services, call: Call, name: str, shape: Shape) -> Reply:
    request = parse_retrieve_request(call.body, call.request.query.get("api-version"), shape)
    agent = _agent(services, name)
    reply = await retrieve(services.retrieval, agent, request, caller=call.caller, planner=services.planner)
    return Reply(body=reply_to_json(reply, request))


def _agent(services: Services, name: str) -> AgentSettings:
    for agent in services.retrieval_settings.agents:
        if agent.name == name:
            return agent
    raise HttpError(404, "unknown_agent", "There is no agent of this name.")


def azure_reply(failure: Failure, request_id: str) -> Reply:
    """The failure as the service words errors; the request id is in the header alone."""
    return Reply(
        status=failure.status,
        body=azure_error(failure.code, failure.message, failure.problems),
        headers=failure.headers,
    )


_NEEDS: tuple[Section, ...] = ("retrieval", "agents")


def _route(name: str, handle: Any) -> Route:
    return Route(name=name, handle=handle, parse=read_object, needs=_NEEDS, fail=azure_reply)


AGENT_RETRIEVE = _route("agents('{agentName}')/retrieve", partial(handle_quoted, shape="agent"))
KNOWLEDGE_BASE_RETRIEVE = _route("knowledgebases('{agentName}')/retrieve", partial(handle_quoted, shape="knowledge_base"))
AGENT_RETRIEVE_PLAIN = _route("agents/{agentName}/retrieve", handle_plain)
