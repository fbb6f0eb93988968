"""Calls to knowledge sources, knowledge bases and agents."""

from __future__ import annotations

from ..errors import ServiceError
from ..http import Reply, Request, json_reply
from ..knowledge.retrieve_answers import Retriever
from ..knowledge.store import STATUS, Definition, describe_definition
from ..state import State, in_context
from .addresses import Address


def list_definitions(state: State, request: Request, address: Address) -> Reply:
    """All definitions of a kind."""
    listed = [
        describe_definition(address.collection, each, request.version)
        for each in state.knowledge.list_all(address.collection)
    ]
    return json_reply(200, in_context(request, f"$metadata#{address.collection}", {"value": listed}))


def create_definition(state: State, request: Request, address: Address) -> Reply:
    """A new definition."""
    return _definition_reply(request, address, state.knowledge.create(address.collection, request.json()), 201)


def get_definition(state: State, request: Request, address: Address) -> Reply:
    """One definition."""
    return _definition_reply(request, address, state.knowledge.get(address.collection, address.key or ""), 200)


def put_definition(state: State, request: Request, address: Address) -> Reply:
    """Create or replace; an update answers as `Prefer` asks."""
    raw, new = state.knowledge.put(address.collection, address.key or "", request.json())
    if not new and "return=representation" not in request.headers.get("prefer", ""):
        return Reply(status=204)
    return _definition_reply(request, address, raw, 201 if new else 200)


def delete_definition(state: State, request: Request, address: Address) -> Reply:
    """Forget a definition."""
    state.knowledge.delete(address.collection, address.key or "")
    return Reply(status=204)


def source_status(state: State, request: Request, address: Address) -> Reply:
    """The status of a knowledge source: an index is always there."""
    state.knowledge.get(address.collection, address.key or "")
    context = f"$metadata#{_model_name(request)}.KnowledgeSources.KnowledgeSourceStatus"
    return json_reply(200, in_context(request, context, STATUS))


def retrieve(state: State, request: Request, address: Address) -> Reply:
    """Retrieve from a knowledge base or an agent."""
    retriever = Retriever(
        knowledge=state.knowledge,
        scope_of=lambda name: state.scope(request, state.indexes.get(name)),
        embedder=state.embedder,
        version=request.version,
    )
    if address.collection == "knowledgesources":
        raise ServiceError(404, "", "A knowledge source cannot be retrieved from.")
    ask = retriever.agent if address.collection == "agents" else retriever.base
    context = f"$metadata#{_model_name(request)}.Agents.AgentRetrievalResponse"
    return json_reply(200, in_context(request, context, ask(address.key or "", request.json())))


def _definition_reply(request: Request, address: Address, raw: Definition, status: int) -> Reply:
    body = describe_definition(address.collection, raw, request.version)
    return json_reply(status, in_context(request, f"$metadata#{address.collection}/$entity", body))


def _model_name(request: Request) -> str:
    version = request.version.replace("-", "_").replace("_preview", "_Preview")
    return f"Microsoft.WindowsAzure.Search.Core.Models.V{version}"
