"""Real MCP clients against the running app: they list the tools, call them, and an agent works with them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client, MCPError


def address(app_url: str) -> str:
    return app_url.removesuffix("/api") + "/runtime/webhooks/mcp"


def text_of(result: Any) -> Any:
    assert not result.is_error
    (content,) = result.content
    return json.loads(content.text)


async def test_a_client_lists_the_tools_with_their_schemas(app_url: str) -> None:
    async with Client(address(app_url)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools.keys() == {"search", "evidence", "resolve_citations"}
    search = tools["search"].input_schema
    assert search["required"] == ["index", "query"]
    assert {name: one["type"] for name, one in search["properties"].items()} == {
        "index": "string",
        "query": "string",
        "filter": "object",
        "top": "integer",
    }
    assert tools["resolve_citations"].input_schema["properties"]["sources"]["type"] == "array"
    assert all(tool.description for tool in tools.values())


async def test_a_client_searches_reads_evidence_and_has_its_citations_resolved(app_url: str) -> None:
    async with Client(address(app_url)) as client:
        where = {"equals": {"town": "Bath"}}
        hits = text_of(await client.call_tool("search", {"index": "schools", "query": "school", "top": 3}))["hits"]
        assert 0 < len(hits) <= 3
        none = await client.call_tool("search", {"index": "schools", "query": "zxqv", "filter": where})
        assert text_of(none)["hits"] == []
        asked = {"index": "inspections", "query": "safeguarding concerns", "size": 3}
        evidence = text_of(await client.call_tool("evidence", asked))
        answer = {"answer": "There were concerns [Evidence 1].", "sources": evidence["sources"], "format": "markdown"}
        resolved = text_of(await client.call_tool("resolve_citations", answer))
    assert resolved["valid"] is True
    assert resolved["citations"][0]["name"] == evidence["sources"][0]["name"]
    assert "[Evidence 1]" not in resolved["answer"]


async def test_a_client_is_told_what_is_wrong(app_url: str) -> None:
    async with Client(address(app_url)) as client:
        wrong = text_of(await client.call_tool("search", {"index": "nowhere", "query": "a"}))
        assert wrong["error"]["code"] == "unknown_index"
        with pytest.raises(MCPError, match="required tool properties"):
            await client.call_tool("search", {"index": "schools"})
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("drop_index", {})


async def test_an_agent_works_with_the_tools(app_url: str) -> None:
    pytest.importorskip("agent_framework", reason="agent-framework-core is not installed; the provider for it is optional")
    from agent_framework import Agent, MCPStreamableHTTPTool

    from tests.context.scripted_chat import ScriptedChat

    call = ("evidence", {"index": "inspections", "query": "safeguarding concerns", "size": 2})
    chat = ScriptedChat(call, "There were concerns [Evidence 1].")
    async with MCPStreamableHTTPTool(name="evidence-app", url=address(app_url), load_prompts=False) as tools:
        response = await Agent(client=chat, tools=tools).run("What did inspectors find?")
    assert response.text == "There were concerns [Evidence 1]."
    assert "--- inspections Evidence 1 ---" in str(chat.received[1][-1].contents[0].result)
