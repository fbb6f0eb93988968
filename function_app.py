"""Triggers only: each names its route, methods and bindings, makes one call and converts one reply."""

from __future__ import annotations

import os

import azure.functions as func

from shared import api
from shared.api import Message, Reply, Request, Route

AUTH = api.load_auth(os.environ)
LEVEL = func.AuthLevel.ANONYMOUS if AUTH.anonymous else func.AuthLevel.FUNCTION
QUEUE = api.queue_name(os.environ)

app = func.FunctionApp(http_auth_level=LEVEL)


async def answer(route: Route, req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """The route's reply to an HTTP request."""
    return to_http_response(await api.answer_http(route, to_request(req), context.trace_context))


def to_request(req: func.HttpRequest) -> Request:
    """An HTTP request as values."""
    return Request(
        method=req.method or "",
        route_params=dict(req.route_params),
        query=dict(req.params),
        headers={name.lower(): value for name, value in req.headers.items()},
        body=req.get_body(),
    )


def to_http_response(reply: Reply) -> func.HttpResponse:
    """A reply as the host takes it."""
    return func.HttpResponse(
        reply.content(), status_code=reply.status, headers=dict(reply.headers), mimetype=reply.content_type
    )


@app.route(route="search", methods=["POST"])
async def search(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Hits of one index."""
    return await answer(api.SEARCH, req, context)


@app.route(route="evidence", methods=["POST"])
async def evidence(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Numbered evidence with its sources."""
    return await answer(api.EVIDENCE, req, context)


@app.route(route="citations", methods=["POST"])
async def citations(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """An answer with its markers checked and resolved."""
    return await answer(api.CITATIONS, req, context)


@app.route(route="citations/stream", methods=["POST"])
async def citations_stream(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """The same for an answer in pieces."""
    return await answer(api.CITATIONS_STREAM, req, context)


@app.route(route="answers", methods=["POST"])
async def answers(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Evidence, writer, check and citations in one call."""
    return await answer(api.ANSWERS, req, context)


@app.route(route="briefings", methods=["POST"])
async def submit_briefings(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Takes briefings and queues them."""
    return await answer(api.SUBMIT_BRIEFINGS, req, context)


@app.route(route="briefings/{id}", methods=["GET"])
async def get_briefing(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """One briefing, as JSON or as a page."""
    return await answer(api.GET_BRIEFING, req, context)


@app.route(route="briefings/{id}", methods=["DELETE"])
async def delete_briefing(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Cancels or erases one briefing."""
    return await answer(api.DELETE_BRIEFING, req, context)


@app.route(route="batches/{id}", methods=["GET"])
async def get_batch(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """How far a batch is."""
    return await answer(api.GET_BATCH, req, context)


@app.route(route="batches/{id}", methods=["DELETE"])
async def delete_batch(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Cancels or erases the briefings of a batch."""
    return await answer(api.DELETE_BATCH, req, context)


@app.route(route="batches/{id}/briefings", methods=["GET"])
async def list_batch(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """The briefings of a batch, a page at a time."""
    return await answer(api.LIST_BATCH, req, context)


@app.route(route="batches/{id}/retries", methods=["POST"])
async def retry_batch(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Queues failed briefings of a batch anew."""
    return await answer(api.RETRY_BATCH, req, context)


@app.route(route="briefing-definitions", methods=["GET"])
async def briefing_definitions(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """What can be briefed on, and the parameters it takes."""
    return await answer(api.BRIEFING_DEFINITIONS, req, context)


@app.route(route="briefing-rejections", methods=["GET"])
async def briefing_rejections(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Queue messages that could not be used."""
    return await answer(api.BRIEFING_REJECTIONS, req, context)


@app.route(route="indexes", methods=["GET"])
async def indexes(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """The indexes that the caller may read."""
    return await answer(api.INDEXES, req, context)


@app.route(route="agents", methods=["GET"])
async def agents(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """The agents that the caller may use."""
    return await answer(api.AGENTS, req, context)


@app.route(route="context", methods=["POST"])
async def context(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Context for a conversation, or the tool to offer."""
    return await answer(api.CONTEXT, req, context)


@app.route(route="context/remember", methods=["POST"])
async def context_remember(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Keeps a finished turn in the caller's state."""
    return await answer(api.CONTEXT_REMEMBER, req, context)


@app.route(route="tools/search", methods=["GET"])
async def tool_definition(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """The search tool as a model is told of it."""
    return await answer(api.TOOL_DEFINITION, req, context)


@app.route(route="tools/search", methods=["POST"])
async def tool_search(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """What the search tool found."""
    return await answer(api.TOOL, req, context)


@app.route(route="agents{key}/retrieve", methods=["POST"])
async def agent_retrieve(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Retrieve of an agent, addressed as at the service: `agents('name')/retrieve`."""
    return await answer(api.AGENT_RETRIEVE, req, context)


@app.route(route="agents/{agentName}/retrieve", methods=["POST"])
async def agent_retrieve_plain(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """The same by a plain address."""
    return await answer(api.AGENT_RETRIEVE_PLAIN, req, context)


@app.route(route="knowledgebases{key}/retrieve", methods=["POST"])
async def knowledge_base_retrieve(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Retrieve in the shape of knowledge bases: `knowledgebases('name')/retrieve`."""
    return await answer(api.KNOWLEDGE_BASE_RETRIEVE, req, context)


@app.route(route="health/live", methods=["GET"], auth_level=func.AuthLevel.ANONYMOUS)
def live(req: func.HttpRequest) -> func.HttpResponse:
    """The process answers."""
    return to_http_response(api.answer_live(to_request(req)))


@app.route(route="health/ready", methods=["GET"])
async def ready(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    """Whether everything that the app needs can be reached."""
    return await answer(api.READY, req, context)


@app.mcp_tool_trigger(
    arg_name="call",
    tool_name=api.SEARCH_TOOL.name,
    description=api.SEARCH_TOOL.description,
    tool_properties=api.SEARCH_TOOL.properties_json,
)
async def search_tool(call: str, context: func.Context) -> str:
    """The search, for agent hosts over MCP."""
    return await api.answer_tool(api.SEARCH_TOOL, call, context.trace_context)


@app.mcp_tool_trigger(
    arg_name="call",
    tool_name=api.EVIDENCE_TOOL.name,
    description=api.EVIDENCE_TOOL.description,
    tool_properties=api.EVIDENCE_TOOL.properties_json,
)
async def evidence_tool(call: str, context: func.Context) -> str:
    """Numbered evidence, for agent hosts over MCP."""
    return await api.answer_tool(api.EVIDENCE_TOOL, call, context.trace_context)


@app.mcp_tool_trigger(
    arg_name="call",
    tool_name=api.RESOLVE_CITATIONS_TOOL.name,
    description=api.RESOLVE_CITATIONS_TOOL.description,
    tool_properties=api.RESOLVE_CITATIONS_TOOL.properties_json,
)
async def resolve_citations_tool(call: str, context: func.Context) -> str:
    """Checked and resolved citations, for agent hosts over MCP."""
    return await api.answer_tool(api.RESOLVE_CITATIONS_TOOL, call, context.trace_context)


@app.timer_trigger(arg_name="timer", schedule="0 17 3 * * *")
async def retention(timer: func.TimerRequest, context: func.Context) -> None:
    """Removes briefings older than RetentionDays, each night."""
    await api.remove_expired(context.trace_context)


# Without a usable queue name no queue is listened to: readiness names the setting.
if QUEUE is not None:
    # As bytes: of a text the host would lay the JSON's members over the message's own id, dequeueCount and insertionTime.
    @app.queue_trigger(arg_name="msg", queue_name=QUEUE, connection="BriefingStorage", data_type=func.DataType.BINARY)
    async def briefing(msg: func.QueueMessage, context: func.Context) -> None:
        """One message, one outcome."""
        await api.handle_queue_message(to_queue_message(msg), context.trace_context)

    @app.queue_trigger(
        arg_name="msg", queue_name=f"{QUEUE}-poison", connection="BriefingStorage", data_type=func.DataType.BINARY
    )
    async def briefing_poison(msg: func.QueueMessage, context: func.Context) -> None:
        """Marks what the queue gave up on; what cannot be marked or put back stays on the queue."""
        await api.handle_poison_message(to_queue_message(msg), context.trace_context)


def to_queue_message(msg: func.QueueMessage) -> Message:
    """A queue message as values."""
    return Message(body=msg.get_body(), id=msg.id or "", deliveries=msg.dequeue_count, queued_at=msg.insertion_time)
