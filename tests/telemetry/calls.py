"""Calls full of canaries: every route, its good calls and its bad ones, and everything that can go wrong behind it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .canaries import CANARIES as C
from .hostile import FAULTS

RETRIEVE = "?api-version=2025-05-01-preview"
INTENTS = "knowledgebases('schools-agent')/retrieve?api-version=2026-04-01"


@dataclass(frozen=True)
class Call:
    """One call, as bytes and headers."""

    name: str
    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def post(name: str, path: str, body: Any, **headers: str) -> Call:
    """A POST of JSON."""
    return Call(name, "POST", path, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})


def tool_calls() -> list[tuple[str, dict[str, Any]]]:
    """Calls of the MCP tools: name and arguments."""
    sources = [{"number": 1, "name": C["source_name"], "link": f"https://{C['source_link']}.example/"}]
    resolve = {"answer": f"{C['answer']} [Evidence 1] [Evidence 9]", "sources": sources}
    bad = {**resolve, "format": C["malformed"]}
    found: list[tuple[str, dict[str, Any]]] = [("resolve_citations", resolve), ("resolve_citations", bad)]
    for fault in ("", "400", "401", "404", "500", "garbage", "empty"):
        asked = {"index": "schools", "query": _query(fault), "filter": FILTERS["equals"]}
        found += [("search", asked), ("evidence", asked), ("search", {**asked, "index": C["unknown_index"]})]
    return found


def calls() -> list[Call]:
    """All of them."""
    return [*_reads(), *_faults(), *_bad_members(), *_bad_bodies(), *_citations(), *_briefings(), *_addresses()]


def quick_calls() -> list[Call]:
    """Some of each kind, without the slow faults."""
    slow = ("408", "slow", "broken", "502", "503", "504", "429")
    return [call for call in [*_reads(), *_faults(), *_citations(), *_briefings()] if not call.name.endswith(slow)]


def _query(fault: str) -> str:
    return f"{C['query']} fault{fault}"


FILTERS: dict[str, Any] = {
    "template": {"template": "urn eq {urn}", "values": {"urn": C["filter_value"]}},
    "equals": {"equals": {"urn": C["filter_value"]}},
    "raw": {"raw": f"urn eq '{C['raw_filter']}'"},
    "raw broken": {"raw": f"urn eq {C['raw_filter']} ((("},
    "empty set": {"equals": {"urn": []}},
    "bad template": {"template": f"urn eq {{{C['raw_filter']}}}", "values": {C["filter_value"]: 1}},
}


def _reads() -> Iterator[Call]:
    for name, filter_ in FILTERS.items():
        yield post(f"search, {name}", "search", {"index": "schools", "query": C["query"], "filter": filter_, "count": True})
    yield post("search, all", "search", {"index": "schools", "query": "*", "highlight": ["body"], "top": 1000})
    yield post("search, simple", "search", {"index": "schools", "query": f'"{C["query"]}', "syntax": "full"})
    for path in ("indexes", "agents", "tools/search", "health/ready", "health/live", "briefing-definitions"):
        yield Call(path, "GET", f"{path}?q={C['url_query']}&code={C['function_code']}")


def _faults() -> Iterator[Call]:
    for fault in FAULTS:
        search = {"index": "schools", "query": _query(fault), "filter": FILTERS["equals"]}
        prompt = f"{C['prompt']} fault{fault}"
        message = {"role": "user", "content": [{"type": "text", "text": _query(fault)}]}
        yield post(f"search, {fault}", "search", search)
        yield post(f"evidence, {fault}", "evidence", {"searches": [search, {**search, "query": C["query"]}]})
        yield post(f"answers, search {fault}", "answers", {"prompt": C["prompt"], "searches": [search]})
        yield post(f"answers, model {fault}", "answers", {"prompt": prompt, "searches": [{**search, "query": C["query"]}]})
        yield post(f"context, {fault}", "context", {"messages": [{"role": "user", "text": _query(fault)}]})
        yield post(f"tool, {fault}", "tools/search", {"userQuestion": _query(fault)})
        yield post(f"retrieve, {fault}", f"agents/schools-agent/retrieve{RETRIEVE}", {"messages": [message]})
        yield post(f"intents, {fault}", INTENTS, {"intents": [{"type": "semantic", "search": _query(fault)}]})


def _bad_members() -> Iterator[Call]:
    index, agent = C["unknown_index"], C["agent"]
    for name, body in {
        "unknown index": {"index": index, "query": C["query"]},
        "unknown key": {"index": "schools", "query": C["query"], C["unknown_key"]: C["malformed"]},
        "wrong types": {"index": "schools", "query": [C["malformed"]], "top": C["malformed"]},
        "unknown field": {"index": "schools", "query": C["query"], "orderBy": [C["malformed"]], "select": [C["malformed"]]},
        "too long": {"index": "schools", "query": C["query"] * 600},
        "filter as text": {"index": "schools", "query": C["query"], "filter": C["raw_filter"]},
    }.items():
        yield post(f"search, {name}", "search", body)
        yield post(f"evidence, {name}", "evidence", {"searches": [body]})
        yield post(f"answers, {name}", "answers", {"prompt": C["prompt"], "searches": [body]})
    yield post("retrieve, unknown agent", f"agents/{agent}/retrieve{RETRIEVE}", {"messages": []})
    for role in ("user", C["malformed"]):
        message = {"role": role, "content": [{"type": "text", "text": C["message"]}]}
        body = {"messages": [message], "targetIndexParams": [{"indexName": index, "filterAddOn": C["raw_filter"]}]}
        yield post(f"retrieve, role {role[:4]}", f"agents/schools-agent/retrieve{RETRIEVE}", body)
    yield post("retrieve, version", f"agents/schools-agent/retrieve?api-version={C['url_query']}", {"messages": []})
    state = {"TextSearchProvider": {"recentMessagesText": [C["state"]]}}
    messages = [{"role": "user", "text": C["message"]}]
    yield post("context, state", "context", {"messages": messages, "state": state})
    yield post("context, bad state", "context", {"messages": messages, "state": {"TextSearchProvider": C["state"]}})
    yield post("context, on demand", "context", {"messages": messages, "options": {"searchTime": "OnDemandFunctionCalling"}})
    yield post("remember", "context/remember", {"request": messages, "response": messages, "state": state})


def _bad_bodies() -> Iterator[Call]:
    text = C["malformed"]
    for name, body in {
        "truncated": f'{{"query": "{text}'.encode(),
        "not UTF-8": text.encode() + b"\xff\xfe",
        "a list": f'["{text}"]'.encode(),
        "twice a key": f'{{"{text}": 1, "{text}": 2}}'.encode(),
        "deep": f'{{"query": {"[" * 20_000}"{text}"'.encode(),
        "a number too long": f'{{"{text}": {"9" * 5_000}}}'.encode(),
        "too large": json.dumps({"query": text * 80_000}).encode(),
        "nothing": b"",
    }.items():
        for path in ("search", "evidence", "citations", "citations/stream", "answers", "context", "briefings"):
            yield Call(f"{path}, {name}", "POST", path, body, {"Content-Type": "application/json"})
    yield Call("search, as text", "POST", "search", text.encode(), {"Content-Type": f"text/plain; x={text}"})
    yield Call("search, encoded", "POST", "search", text.encode(), {"Content-Encoding": text})


def _citations() -> Iterator[Call]:
    sources = [{"number": 1, "name": C["source_name"], "link": f"https://{C['source_link']}.example/"}]
    texts = {
        "good": f"{C['answer']} [Evidence 1].",
        "bad": f"{C['answer']} [Evidence 7] 【4:0†{C['answer']}】",
        "none": C["answer"],
    }
    for name, answer in texts.items():
        for form in ("html", "markdown", "text"):
            body = {"answer": answer, "sources": sources, "format": form}
            yield post(f"citations, {name} {form}", "citations", body)
        piece = {"chunk": answer, "sources": sources, "format": "text", "final": True}
        yield post(f"stream, {name}", "citations/stream", piece)
    yield post("citations, no name", "citations", {"answer": C["answer"], "sources": [{"number": 0, "name": ""}]})
    yield post("stream, bad state", "citations/stream", {"chunk": C["chunk"], "state": C["state"], "sources": sources})


def _briefings() -> Iterator[Call]:
    profile = {"briefing": "school-profile", "parameters": {"urn": "100000"}}
    summary = {"briefing": "inspection-summary", "parameters": {"urn": "100000", "focus": C["parameter"]}}
    yield post("submit", "briefings", {"batchId": C["batch_id"], "briefings": [{"id": C["briefing_id"], **summary}]})
    yield post("submit, again otherwise", "briefings", {"briefings": [{"id": C["briefing_id"], **profile}]})
    for fault in ("empty", "400", "403", "500", "garbage"):
        focus = {"urn": "100000", "focus": f"{C['parameter']} fault{fault}"}
        yield post(f"submit, {fault}", "briefings", {"briefings": [{"briefing": "inspection-summary", "parameters": focus}]})
    for name, item in {
        "unknown": {"briefing": C["malformed"], "parameters": {}},
        "bad parameter": {"briefing": "school-profile", "parameters": {"urn": C["parameter"], C["unknown_key"]: 1}},
        "bad id": {"id": f"{C['malformed']} /", **profile},
    }.items():
        yield post(f"submit, {name}", "briefings", {"briefings": [item]})
    for path in (f"briefings/{C['briefing_id']}", f"batches/{C['batch_id']}", f"batches/{C['batch_id']}/briefings"):
        yield Call(f"GET {path}", "GET", f"{path}?q={C['url_query']}")
        yield Call(f"GET none {path}", "GET", f"{path}x?continuation={C['url_query']}&status={C['url_query']}")
    yield post("retries", f"batches/{C['batch_id']}/retries", {})
    yield Call("rejections", "GET", f"briefing-rejections?continuation={C['url_query']}")
    yield Call("delete none", "DELETE", f"briefings/{C['batch_id']}")


def _addresses() -> Iterator[Call]:
    yield Call("unknown route", "GET", f"{C['route']}?x={C['url_query']}")
    yield Call("wrong method", "DELETE", f"search?x={C['url_query']}")
    yield Call(
        "agent key", "POST", f"agents('{C['agent']}')/retrieve{RETRIEVE}", b"{}", {"Content-Type": "application/json"}
    )
