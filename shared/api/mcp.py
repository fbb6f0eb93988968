"""The tools that agent hosts call over MCP: search, evidence and resolve_citations, with the bodies of their routes.

In `entra` mode the caller is read, as on the routes, from the HTTP headers that the MCP extension hands over in the
transport's properties (`McpTriggerTransportHelper` of Azure/azure-functions-mcp-extension). A tool carries no token of its
caller for the documents of an index, so an index with `PermissionFilter` is not offered, and neither is one whose roles
the caller lacks.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from shared.retrieval import (
    MAX_BODY_BYTES,
    MAX_CITATIONS_BODY_BYTES,
    Caller,
    InvalidRequest,
    NotConfigured,
    Problem,
    RetrievalError,
    TooLarge,
    UnknownName,
    can_read,
    check_json_bounds,
)
from shared.retrieval.concurrency import LONG_BODY_BYTES, run_in_thread_if

from .auth import Role, caller_of
from .citations import handle_citations
from .json import Model, read_model
from .requests import Request
from .responses import Failure, HttpError, failure_of
from .routes import Call
from .schemas.citations import CitationsBody
from .schemas.search import EvidenceBody, EvidenceSearchBody, SearchBody
from .search import EvidenceCall, SearchCall, handle_evidence, handle_search
from .services import Services, current_services

ROLE: Role = "Evidence.Read"
MAX_CONTEXT_CHARACTERS = MAX_CITATIONS_BODY_BYTES + MAX_BODY_BYTES
"""Characters of what the host hands over: the longest arguments, with the headers of the call beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProperty:
    """An argument of a tool: its JSON type, an array of it, required or not."""

    name: str
    type: str
    description: str
    array: bool = False
    required: bool = False

    def as_json(self) -> dict[str, object]:
        """As the MCP extension of the Functions host takes it."""
        return {
            "propertyName": self.name,
            "propertyType": self.type,
            "description": self.description,
            "isArray": self.array,
            "isRequired": self.required,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool: who makes it, and the arguments that are given."""

    services: Services
    caller: Caller
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool: what a model reads of it, and what it does with the arguments."""

    name: str
    description: str
    properties: tuple[ToolProperty, ...]
    run: Callable[[ToolCall], Awaitable[Any]]

    @property
    def properties_json(self) -> str:
        """The arguments as the trigger takes them."""
        return json.dumps([one.as_json() for one in self.properties])


async def answer_tool(tool: McpTool, context: str, trace_context: object = None) -> str:
    """What a call of the host gives, with the services of this process, inside the trace that the host began."""
    services = current_services()
    with services.telemetry.invocation(trace_context, ()):
        return await call_tool(services, tool, context)


async def call_tool(services: Services, tool: McpTool, context: str) -> str:
    """The tool's result as JSON text, or `{"error": {code, message, errors}}` that a model can act on.

    `context` is what the host hands over: a JSON object whose `arguments` are the model's and whose `transport` has the HTTP
    headers of the call. Only a cancellation is raised.
    """
    with services.signals.span("tool", tool=tool.name) as span:
        text = await _answered(services, tool, context)
        span.set(outcome="failed" if text.startswith('{"error":') else "completed")
    return text


async def _answered(services: Services, tool: McpTool, context: str) -> str:
    try:
        _check_settings(services)
        given = await run_in_thread_if(len(context) > LONG_BODY_BYTES, partial(_parse, context))
        caller = caller_of(Request(method="MCP", headers=_headers(given)), services.settings.auth.mode, ROLE)
        caller = replace(caller, query_source_authorization=None)
        call = ToolCall(services=services, caller=caller, arguments=_arguments(given))
        async with services.capacity.place():
            return json.dumps(await tool.run(call), ensure_ascii=False).encode(errors="replace").decode()
    except (RetrievalError, HttpError) as error:
        return _told(failure_of(error))
    except asyncio.CancelledError:
        raise
    except Exception as error:
        # The host would log and export the whole text of whatever leaves here, so nothing does.
        services.log_fault(f"mcp/{tool.name}", error)
        return _told(Failure(status=500, code="internal_error", message="The tool failed; try again later."))


def _check_settings(services: Services) -> None:
    if services.settings.auth.problem:
        raise NotConfigured(services.settings.auth.problem)
    if services.telemetry_unsafe:
        raise NotConfigured("Telemetry would leave the app unredacted.", code="telemetry_unsafe")
    services.settings.require("auth", "telemetry", "app", "retrieval")


def _parse(context: str) -> Any:
    """What the host hands over; None where it is no JSON. Raises as `check_json_bounds`."""
    if len(context) > MAX_CONTEXT_CHARACTERS:
        raise TooLarge("The arguments are too long.")
    check_json_bounds(context.encode(errors="replace"))
    try:
        return json.loads(context)
    except (ValueError, RecursionError):
        return None


def _headers(given: Any) -> dict[str, str]:
    """The HTTP headers of the call, names in lower case; none where the transport hands over no object of texts."""
    found: Any = given
    for name in ("transport", "properties", "headers"):
        found = found.get(name) if isinstance(found, Mapping) else None
    members = found.items() if isinstance(found, Mapping) else ()
    return {name.lower(): value for name, value in members if isinstance(value, str)}


def _arguments(given: Any) -> Mapping[str, Any]:
    arguments = given.get("arguments", {}) if isinstance(given, Mapping) else None
    if not isinstance(arguments, Mapping):
        message = "The arguments must be a JSON object."
        raise InvalidRequest(message, problems=(Problem("$", "wrong_type", message),))
    return {name: value for name, value in arguments.items() if value is not None}


def _told(failure: Failure) -> str:
    # The one search of the evidence tool is the arguments themselves.
    errors = [
        {"path": problem.path.replace("$.searches[0]", "$"), "code": problem.code, "message": problem.message}
        for problem in failure.problems
    ]
    return json.dumps({"error": {"code": failure.code, "message": failure.message, "errors": errors}}, ensure_ascii=False)


def _require_offered(call: ToolCall, name: str, path: str) -> None:
    """Raises UnknownName for an index that is not offered to the caller, as for one that does not exist."""
    indexes = call.services.retrieval_settings.indexes
    offered = [index.name for index in indexes if can_read(index, call.caller) and not index.permission_filter]
    if name not in offered:
        message = f"Unknown index. Available: {', '.join(offered) or 'none'}."
        raise UnknownName(message, problems=(Problem(path, UnknownName.code, message),))


def _body(arguments: Mapping[str, Any], limit: int) -> bytes:
    body = json.dumps(arguments, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if len(body) > limit:
        raise TooLarge(f"The arguments may have at most {limit} bytes.")
    return body


async def _read(raw: bytes, model: type[Model]) -> Model:
    return await run_in_thread_if(len(raw) > LONG_BODY_BYTES, partial(read_model, raw, model))


def _route_call(call: ToolCall, body: Any, raw: bytes) -> Call:
    return Call(request=Request(method="MCP", body=raw), caller=call.caller, body=body, request_id="")


async def _search(call: ToolCall) -> Any:
    raw = _body(call.arguments, MAX_BODY_BYTES)
    body = await _read(raw, SearchBody)
    _require_offered(call, body.index, "$.index")
    asked = await run_in_thread_if(len(raw) > LONG_BODY_BYTES, partial(SearchCall.of, body))
    return (await handle_search(call.services, _route_call(call, asked, raw))).body


async def _evidence(call: ToolCall) -> Any:
    raw = _body(call.arguments, MAX_BODY_BYTES)
    search = await _read(raw, EvidenceSearchBody)
    _require_offered(call, search.index, "$.index")
    body = EvidenceBody(searches=[search], fenced=True)
    asked = await run_in_thread_if(len(raw) > LONG_BODY_BYTES, partial(EvidenceCall.of, body))
    return (await handle_evidence(call.services, _route_call(call, asked, raw))).body


async def _resolve_citations(call: ToolCall) -> Any:
    raw = _body(call.arguments, MAX_CITATIONS_BODY_BYTES)
    return (await handle_citations(call.services, _route_call(call, await _read(raw, CitationsBody), raw))).body


_HOW_MANY = "How many documents, 10 if left out."
_INDEX = ToolProperty(name="index", type="string", description="Name of the index to read.", required=True)
_QUERY = ToolProperty(name="query", type="string", description="What to look for, in plain words.", required=True)
_FILTER = ToolProperty(
    name="filter",
    type="object",
    description='Exact conditions, such as {"equals": {"town": "Bath"}}; a list of values means any of them.',
)

SEARCH_TOOL = McpTool(
    name="search",
    description="Searches an index and gives the documents found, best first.",
    properties=(
        _INDEX,
        _QUERY,
        _FILTER,
        ToolProperty(name="top", type="integer", description=_HOW_MANY),
    ),
    run=_search,
)
EVIDENCE_TOOL = McpTool(
    name="evidence",
    description="Gives numbered evidence for a question. Cite it as [Evidence 1] and hand the answer to resolve_citations.",
    properties=(
        _INDEX,
        _QUERY,
        _FILTER,
        ToolProperty(name="size", type="integer", description=_HOW_MANY),
    ),
    run=_evidence,
)
RESOLVE_CITATIONS_TOOL = McpTool(
    name="resolve_citations",
    description="Checks the markers such as [Evidence 1] in an answer and replaces them by the sources' names and links.",
    properties=(
        ToolProperty(name="answer", type="string", description="The answer with its markers.", required=True),
        ToolProperty(
            name="sources", type="object", description="The sources that evidence gave.", array=True, required=True
        ),
        ToolProperty(name="format", type="string", description="html (if left out), markdown or text."),
        ToolProperty(name="required", type="boolean", description="Whether the answer must cite; true if left out."),
    ),
    run=_resolve_citations,
)
TOOLS = (SEARCH_TOOL, EVIDENCE_TOOL, RESOLVE_CITATIONS_TOOL)
