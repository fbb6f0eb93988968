"""The MCP server of the host: tools over streamable HTTP, each call one call of a function.

Imported only when an app has tools: it brings the whole `mcp` package. Stateless, as there is one host: no session is
opened, every answer is JSON, and nothing is streamed from the host on its own.
"""

from __future__ import annotations

import asyncio
import json
from asyncio import Event
from collections.abc import MutableMapping, Sequence
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types import Tool as ListedTool

from .addresses import Target
from .configuration import McpConfiguration
from .dispatcher import Dispatcher
from .invocations import Invocation, Outcome
from .messages import Request, Response
from .tools import Tool

MAX_BODY = 104_857_600
TRANSPORT = "http-streamable"
SENT_HEADERS = "functions_host.headers"
KNOWN_NAMES = {
    name.lower(): name
    for name in (
        *("Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection", "Content-Length"),
        *(
            "Content-Type",
            "Cookie",
            "Host",
            "Origin",
            "Referer",
            "Transfer-Encoding",
            "User-Agent",
            "tracestate",
            "traceparent",
        ),
    )
}


class McpServer:
    """Lists the tools of an app and calls them."""

    def __init__(self, tools: Sequence[Tool], configuration: McpConfiguration, dispatcher: Dispatcher) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._dispatcher = dispatcher
        server: Server[Any] = Server(
            configuration.server_name,
            version=configuration.server_version,
            instructions=configuration.instructions,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=MAX_BODY
        )
        self._stopping = Event()
        self._started = Event()
        self._running = asyncio.create_task(self._run())

    async def answer(self, request: Request, target: Target) -> Response:
        """One HTTP exchange of the protocol; without sessions there is nothing to GET or DELETE."""
        if request.method != "POST":
            return Response(405, (("Allow", "POST"),))
        await self._started.wait()
        exchange = AsgiExchange(request, target, await request.read())
        await self._manager.handle_request(exchange.scope, exchange.receive, exchange.send)
        return exchange.answer()

    async def close(self) -> None:
        """Ends the open exchanges."""
        self._stopping.set()
        await self._running

    async def _run(self) -> None:
        async with self._manager.run():
            self._started.set()
            await self._stopping.wait()

    async def _list(self, context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        listed = [
            ListedTool(name=tool.name, description=tool.description, input_schema=tool.schema())
            for tool in self._tools.values()
        ]
        return ListToolsResult(tools=listed)

    async def _call(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: '{params.name}'")
        arguments = params.arguments or {}
        missing = [known.name for known in tool.properties if known.required and arguments.get(known.name) is None]
        if missing:
            names = ", ".join(missing)
            raise MCPError(
                INVALID_PARAMS, f"One or more required tool properties are missing values. Please provide: {names}"
            )
        headers = context.request.scope[SENT_HEADERS] if context.request is not None else {}
        content = {
            "name": tool.name,
            "arguments": arguments,
            "sessionid": next((value for name, value in headers.items() if name.lower() == "mcp-session-id"), ""),
            "transport": {"name": TRANSPORT, "properties": {"headers": headers}},
        }
        outcome = await self._dispatcher.invoke(
            Invocation(function=tool.function, trigger={}, body=json.dumps(content, ensure_ascii=False).encode())
        )
        return _result(tool, outcome)


def _headers(request: Request) -> dict[str, str]:
    """The headers as the MCP extension hands them to a tool (`McpTriggerTransportHelper`), repeated ones joined.

    Kestrel spells the names that it knows in one way and leaves the others as they were sent.
    """
    spellings = {name.lower(): KNOWN_NAMES.get(name.lower(), name) for name, _ in reversed(request.headers)}
    return {spellings[name]: value for name, value in request.joined_headers().items()}


def _result(tool: Tool, outcome: Outcome) -> CallToolResult:
    if not outcome.succeeded:
        return CallToolResult(content=[TextContent(text=f"An error occurred invoking '{tool.name}'.")], is_error=True)
    text = outcome.body.decode()
    if not tool.result_schema:
        return CallToolResult(content=[TextContent(text=text)])
    value = json.loads(text)
    if isinstance(value, dict) and "content" in value:
        return CallToolResult.model_validate(value)
    return CallToolResult.model_validate({"content": value if isinstance(value, list) else [value]})


class AsgiExchange:
    """One request for an ASGI application, and the answer that it makes."""

    def __init__(self, request: Request, target: Target, body: bytes) -> None:
        self._body: bytes | None = body
        self._status = 500
        self._headers: tuple[tuple[str, str], ...] = ()
        self._answer = b""
        self.scope: MutableMapping[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": target.path,
            "raw_path": target.path.encode(),
            "query_string": target.query.removeprefix("?").encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in request.headers],
            SENT_HEADERS: _headers(request),
            "client": ("127.0.0.1", 0),
            "server": ("127.0.0.1", 0),
        }

    async def receive(self) -> MutableMapping[str, Any]:
        """The body, then nothing until the exchange is over."""
        if self._body is None:
            await Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Takes the head and the pieces of the answer."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            own = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message.get("headers", ())]
            self._headers = tuple(entry for entry in own if entry[0].lower() != "content-length")
        else:
            self._answer += message.get("body", b"")

    def answer(self) -> Response:
        """The response that the application sent."""
        return Response(self._status, self._headers, self._answer)
