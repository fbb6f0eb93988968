"""MCP tools of an app, called by the client of the `mcp` package over streamable HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import azure.functions as func
import pytest
from mcp import Client, MCPError
from mcp_types import TextContent

from emulators.functions_host import Authentication, HostOptions, HostServer, Keys, Principal
from tests.emulators.functions_host import apps

PATH = "/runtime/webhooks/mcp"
PROPERTIES = json.dumps(
    [{"propertyName": "query", "propertyType": "string", "description": "the query", "isRequired": True}]
)


def tool_app() -> func.FunctionApp:
    app = func.FunctionApp()

    @app.mcp_tool_trigger(arg_name="context", tool_name="echo", description="Says what it got.", tool_properties=PROPERTIES)
    async def echo(context: str) -> str:
        return context

    @app.mcp_tool_trigger(arg_name="context", tool_name="fail", description="Fails.")
    async def fail(context: str) -> str:
        raise RuntimeError("CANARY")

    @app.mcp_tool()  # type: ignore[untyped-decorator]
    def add(one: int, other: int = 2) -> str:
        """Adds two numbers."""
        return str(one + other)

    @app.mcp_tool_trigger(arg_name="context", tool_name="structured", use_result_schema=True)
    async def structured(context: str) -> str:
        return json.dumps({"content": [{"type": "text", "text": "ü"}], "structuredContent": {"a": 1}})

    @app.mcp_tool_trigger(arg_name="context", tool_name="block", use_result_schema=True)
    async def block(context: str) -> str:
        return json.dumps({"type": "text", "text": "one"})

    return app


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[HostServer]:
    mcp = {"serverName": "schools", "serverVersion": "3", "instructions": "Ask about schools."}
    async with HostServer(apps.folder(tmp_path, extensions={"mcp": mcp}), app=tool_app(), settings={}) as running:
        yield running


async def test_lists_the_tools(host: HostServer) -> None:
    async with Client(host.url + PATH) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert sorted(tools) == ["add", "block", "echo", "fail", "structured"]
    assert tools["echo"].description == "Says what it got."
    assert tools["echo"].input_schema == {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "the query"}},
        "required": ["query"],
    }
    assert tools["add"].input_schema["required"] == ["one"]
    assert "echo: tool echo" in host.describe()


async def call(host: HostServer, tool: str, arguments: dict[str, Any]) -> tuple[list[str], bool | None, Any]:
    async with Client(host.url + PATH) as client:
        result = await client.call_tool(tool, arguments)
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    return texts, result.is_error, result.structured_content


async def test_the_function_gets_the_arguments(host: HostServer) -> None:
    texts, failed, _ = await call(host, "echo", {"query": "grüße"})
    seen = json.loads(texts[0])
    assert not failed
    assert (seen["name"], seen["arguments"]) == ("echo", {"query": "grüße"})
    assert seen["transport"]["name"] == "http-streamable"
    assert seen["transport"]["properties"]["headers"]["Content-Type"] == "application/json"


async def test_function_gets_the_principal(tmp_path: Path) -> None:
    front = Authentication({"reader": Principal(name="reader@example.org", id="1", roles=("Evidence.Read",))})
    folder = apps.folder(tmp_path)
    called = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"query": "x"}}}
    forged = {"X_MS_CLIENT_PRINCIPAL": "forged", "MCP_Protocol_Version": "2025-06-18", "X_Own": "grüße"}
    async with HostServer(folder, HostOptions(authentication=front), app=tool_app(), settings={}) as host:
        for token, principal in (("Bearer reader", front.principals["reader"].headers()[0][1]), ("", None)):
            _, content = await post(host, called, **forged, **({"Authorization": token} if token else {}))
            headers = json.loads(content["result"]["content"][0]["text"])["transport"]["properties"]["headers"]
            assert headers.get("X-MS-CLIENT-PRINCIPAL") == principal
            assert "X-MS-CLIENT-PRINCIPAL" in headers or not token
            assert (headers["X-Own"], headers["Content-Type"]) == ("grüße", "application/json")


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("add", {"one": 3}, (["5"], False, None)),
        ("structured", {}, (["ü"], False, {"a": 1})),
        ("block", {}, (["one"], False, None)),
        ("fail", {}, (["An error occurred invoking 'fail'."], True, None)),
    ],
)
async def test_results(host: HostServer, tool: str, arguments: dict[str, Any], expected: object) -> None:
    assert await call(host, tool, arguments) == expected


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("nosuch", "^Unknown tool: 'nosuch'$"),
        ("echo", "^One or more required tool properties are missing values. Please provide: query$"),
    ],
)
async def test_refused_calls(host: HostServer, tool: str, message: str) -> None:
    async with Client(host.url + PATH) as client:
        with pytest.raises(MCPError, match=message):
            await client.call_tool(tool, {})


async def post(host: HostServer, content: object, **headers: str) -> tuple[int, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named["Accept"] = "application/json, text/event-stream"
    async with aiohttp.ClientSession() as session, session.post(host.url + PATH, json=content, headers=named) as answer:
        return answer.status, await answer.json() if answer.status == 200 else None


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


async def test_a_client_of_an_older_protocol(host: HostServer) -> None:
    status, content = await post(host, INITIALIZE)
    assert status == 200
    assert content["result"]["protocolVersion"] == "2025-06-18"
    assert content["result"]["serverInfo"]["name"] == "schools"
    assert content["result"]["instructions"] == "Ask about schools."
    called = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "add", "arguments": {"one": 1}}}
    status, content = await post(host, called, MCP_Protocol_Version="2025-06-18")
    assert content["result"]["content"] == [{"type": "text", "text": "3"}]


async def test_nothing_to_get(host: HostServer) -> None:
    async with aiohttp.ClientSession() as session, session.get(host.url + PATH) as answer:
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")


async def test_without_tools_there_is_no_server(tmp_path: Path) -> None:
    async with HostServer(apps.folder(tmp_path), app=apps.echo_app(), settings={}) as host:
        assert (await post(host, INITIALIZE))[0] == 404


@pytest.mark.parametrize(
    ("level", "key", "status"),
    [(None, "", 401), (None, "system", 200), (None, "master", 200), (None, "function", 403), ("Anonymous", "", 200)],
)
async def test_the_system_key(tmp_path: Path, level: str | None, key: str, status: int) -> None:
    mcp = {"system": {"webhookAuthorizationLevel": level}} if level else {}
    options = HostOptions(keys=Keys(function="function", master="master", mcp="system"))
    async with HostServer(apps.folder(tmp_path, extensions={"mcp": mcp}), options, app=tool_app(), settings={}) as host:
        assert (await post(host, INITIALIZE, x_functions_key=key))[0] == status
