"""The MCP tools without a host: results, errors that a model can act on, and indexes that are not offered."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from emulators.azure_search.service import SearchService
from local.sample_settings import INSPECTIONS, SCHOOLS, TRUSTS
from shared.api import EVIDENCE_TOOL, RESOLVE_CITATIONS_TOOL, SEARCH_TOOL
from shared.api.mcp import TOOLS, McpTool, ToolCall, call_tool
from tests.support.app import App, app_over
from tests.support.principals import principal


async def called(app: App, tool: McpTool, arguments: Any) -> Any:
    return json.loads(await call_tool(app.services, tool, json.dumps({"name": tool.name, "arguments": arguments})))


async def test_search_evidence_and_citations_follow_on_each_other(app: App) -> None:
    hits = await called(app, SEARCH_TOOL, {"index": "schools", "query": "choir", "top": 2, "filter": None})
    assert 0 < len(hits["hits"]) <= 2
    evidence = await called(app, EVIDENCE_TOOL, {"index": "inspections", "query": "safeguarding", "size": 3})
    assert "--- inspections Evidence 1 ---" in evidence["text"]
    assert not evidence["text"].startswith("---"), "evidence for a model is fenced"
    answer = {"answer": "Concerns [Evidence 1].", "sources": evidence["sources"], "format": "text"}
    resolved = await called(app, RESOLVE_CITATIONS_TOOL, answer)
    assert resolved["valid"] is True
    assert resolved["citations"][0]["name"] == evidence["sources"][0]["name"]


WRONG = [
    (SEARCH_TOOL, {"query": "choir"}, "invalid_request", ("$.index", "missing")),
    (SEARCH_TOOL, {"index": "schools", "query": " "}, "invalid_request", ("$.query", "blank")),
    (SEARCH_TOOL, {"index": "schools", "query": "a", "top": 1001}, "invalid_request", ("$.top", "out_of_range")),
    (SEARCH_TOOL, {"index": "nowhere", "query": "a"}, "unknown_index", ("$.index", "unknown_index")),
    (SEARCH_TOOL, {"index": "schools", "query": "a", "filter": {}}, "invalid_filter", None),
    (EVIDENCE_TOOL, {"index": "schools", "query": "a", "searches": []}, "invalid_request", ("$.searches", "unknown_key")),
    (EVIDENCE_TOOL, {"index": "schools", "query": "a", "filter": {"equals": {"a b": 1}}}, "invalid_filter", None),
    (EVIDENCE_TOOL, {"index": "schools", "query": "a" * 10_001}, "too_large", ("$.query", "too_large")),
    (RESOLVE_CITATIONS_TOOL, {"answer": "a"}, "invalid_request", ("$.sources", "missing")),
    (RESOLVE_CITATIONS_TOOL, {"answer": "a", "sources": [5]}, "invalid_request", ("$.sources[0]", "wrong_type")),
]


@pytest.mark.parametrize(("tool", "arguments", "code", "flaw"), WRONG)
async def test_a_model_is_told_what_is_wrong(
    app: App, tool: McpTool, arguments: Any, code: str, flaw: tuple[str, str] | None
) -> None:
    error = (await called(app, tool, arguments))["error"]
    assert error["code"] == code
    assert all(problem["path"].startswith("$.") and "searches[" not in problem["path"] for problem in error["errors"])
    assert flaw is None or flaw in [(problem["path"], problem["code"]) for problem in error["errors"]]


@pytest.mark.parametrize("context", ["", "{", "[]", '{"arguments": []}', '{"arguments": "x"}', "[" * 100_000])
async def test_arguments_that_are_no_object(app: App, context: str) -> None:
    error = json.loads(await call_tool(app.services, SEARCH_TOOL, context))["error"]
    assert error["code"] in ("invalid_request", "wrong_type", "too_deep")


async def test_indexes_that_ask_for_roles_or_a_token_are_not_offered(service: SearchService) -> None:
    indexes = [{**SCHOOLS, "AllowedRoles": ["Heads"]}, {**INSPECTIONS, "PermissionFilter": True}, TRUSTS]
    settings = {"AiAgents__AISearch__Indexes": json.dumps(indexes), "AiAgents__KnowledgeAgents": "[]"}
    async with app_over(service, settings) as app:
        for index in ("schools", "inspections"):
            for tool in (SEARCH_TOOL, EVIDENCE_TOOL):
                error = (await called(app, tool, {"index": index, "query": "a"}))["error"]
                assert error["code"] == "unknown_index"
                assert error["message"] == "Unknown index. Available: trusts."
        assert "hits" in await called(app, SEARCH_TOOL, {"index": "trusts", "query": "academy"})


async def test_an_app_that_is_not_configured_says_so(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__AISearch__Endpoint": ""}) as app:
        error = (await called(app, SEARCH_TOOL, {"index": "schools", "query": "a"}))["error"]
        assert error["code"] == "not_configured"


def test_every_tool_describes_itself_and_its_arguments() -> None:
    for tool in TOOLS:
        properties = json.loads(tool.properties_json)
        assert 20 < len(tool.description) < 160
        assert all(
            one.keys() == {"propertyName", "propertyType", "description", "isArray", "isRequired"} for one in properties
        )
        assert all(one["description"].endswith(".") for one in properties)


async def test_a_fault_of_ours_says_nothing_of_itself(app: App) -> None:
    async def broken(call: ToolCall) -> Any:
        raise ZeroDivisionError("secret choir")

    tool = McpTool(name="search", description="Breaks.", properties=(), run=broken)
    assert await called(app, tool, {}) == {
        "error": {"code": "internal_error", "message": "The tool failed; try again later.", "errors": []}
    }


async def test_a_cancelled_call_is_cancelled(app: App) -> None:
    async def stuck(call: ToolCall) -> Any:
        raise asyncio.CancelledError

    tool = McpTool(name="search", description="Stops.", properties=(), run=stuck)
    with pytest.raises(asyncio.CancelledError):
        await called(app, tool, {})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (SEARCH_TOOL, {"index": "schools", "query": "a", "filter": {"raw": "x" * 1024 * 1024}}),
        (RESOLVE_CITATIONS_TOOL, {"answer": "a", "sources": [{"number": 1, "name": "x" * 9 * 1024 * 1024}]}),
    ],
)
async def test_arguments_that_are_too_long(app: App, tool: McpTool, arguments: Any) -> None:
    assert (await called(app, tool, arguments))["error"]["code"] == "too_large"


async def test_callers_that_cannot_be_told_apart_are_refused(service: SearchService) -> None:
    async with app_over(service, {"AiAgents__Auth__Mode": "nonsense"}) as app:
        error = (await called(app, SEARCH_TOOL, {"index": "schools", "query": "a"}))["error"]
        assert error["code"] == "not_configured"


ENTRA = {"AiAgents__Auth__Mode": "entra", "WEBSITE_AUTH_ENABLED": "True"}
READER = principal("Evidence.Read")
INSPECTOR = principal("Evidence.Read", "Inspectors")
UPPER = {"X-MS-CLIENT-PRINCIPAL": READER["x-ms-client-principal"]}
TRANSPORTS = [
    ({"name": "http-streamable", "properties": {"headers": READER}}, "schools", None),
    ({"name": "http-sse", "properties": {"headers": UPPER}}, "schools", None),
    ({"properties": {"headers": READER}}, "inspections", "unknown_index"),
    ({"properties": {"headers": INSPECTOR}}, "inspections", None),
    ({"properties": {"headers": INSPECTOR | {"x-ms-query-source-authorization": "t"}}}, "trusts", "unknown_index"),
    ({"properties": {"headers": principal("Briefings.Read", "Inspectors")}}, "schools", "role_required"),
    ({"properties": {"headers": {"x-ms-client-principal": "bm90IGpzb24="}}}, "schools", "principal_required"),
    ({"properties": {"headers": {"x-ms-client-principal": ["a"]}}}, "schools", "principal_required"),
    ({"properties": {"headers": {"x-ms-client-principal": "a" * 70_000}}}, "schools", "principal_too_long"),
    ({"properties": {"headers": []}}, "schools", "principal_required"),
    ({"properties": None}, "schools", "principal_required"),
    ("http", "schools", "principal_required"),
    (None, "schools", "principal_required"),
]


@pytest.mark.parametrize(("transport", "index", "code"), TRANSPORTS)
async def test_entra_mode_reads_the_caller_of_a_tool(
    service: SearchService, transport: Any, index: str, code: str | None
) -> None:
    indexes = [SCHOOLS, {**INSPECTIONS, "AllowedRoles": ["Inspectors"]}, {**TRUSTS, "PermissionFilter": True}]
    settings = {**ENTRA, "AiAgents__AISearch__Indexes": json.dumps(indexes), "AiAgents__KnowledgeAgents": "[]"}
    async with app_over(service, settings) as app:
        for tool in (SEARCH_TOOL, EVIDENCE_TOOL):
            context = {"name": tool.name, "arguments": {"index": index, "query": "school"}, "transport": transport}
            reply = json.loads(await call_tool(app.services, tool, json.dumps(context)))
            assert reply.get("error", {}).get("code") == code


async def test_headers_mean_nothing_outside_entra_mode(service: SearchService) -> None:
    indexes = [{**SCHOOLS, "AllowedRoles": ["Inspectors"]}]
    settings = {"AiAgents__AISearch__Indexes": json.dumps(indexes), "AiAgents__KnowledgeAgents": "[]"}
    context = {"arguments": {"index": "schools", "query": "a"}, "transport": {"properties": {"headers": INSPECTOR}}}
    async with app_over(service, settings) as app:
        reply = json.loads(await call_tool(app.services, SEARCH_TOOL, json.dumps(context)))
        assert reply["error"]["code"] == "unknown_index"


@pytest.mark.parametrize(
    ("filter_", "code"), [("[" * 70 + "]" * 70, "too_deep"), (f"[{'1,' * 250_000}1]", "too_many_values")]
)
async def test_hostile_arguments_are_refused_before_they_are_parsed(app: App, filter_: str, code: str) -> None:
    context = f'{{"arguments": {{"index": "schools", "query": "a", "filter": {filter_}}}}}'
    assert json.loads(await call_tool(app.services, SEARCH_TOOL, context))["error"]["code"] == code
