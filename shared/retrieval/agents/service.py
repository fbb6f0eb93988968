"""The service engine: the search service's own agent or knowledge base does it, called with the app's identity."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from ..access import Caller
from ..client import Retrieval
from ..errors import (
    IndexMisconfigured,
    InvalidQuery,
    Problem,
    RetrievalError,
    SearchFailed,
    SearchRefused,
    SemanticUnavailable,
)
from ..evidence.rendering import cut
from ..search.azure import ServiceReply
from ..settings import AgentSettings
from .models import (
    AGENT_VERSION,
    KNOWLEDGE_BASE_VERSION,
    Activity,
    MessageText,
    PlanningActivity,
    RankingActivity,
    ReasoningActivity,
    Reference,
    RetrieveMessage,
    RetrieveReply,
    RetrieveRequest,
    SearchActivity,
)
from .planned import LEFT_OUT, SHORTENED
from .planning import last_user_texts, refuse_images
from .targets import ResolvedTarget

# What is sent to the service's own agents and knowledge bases, and how their replies are read.
#
# The two have different shapes and either may stand behind either shape of ours, so both are read into one reply.

Json = dict[str, Any]

_PARTIAL = "The service reports a fault in this step; the reply is partial."


def agent_body(request: RetrieveRequest, targets: Sequence[ResolvedTarget]) -> Json:
    """The body for `agents('…')/retrieve` (2025-05-01-preview); intents become messages of the user."""
    said = [_message(one) for one in request.messages] or [_user(intent) for intent in request.intents]
    return {"messages": said, "targetIndexParams": [_index_params(target) for target in targets]}


def knowledge_base_body(request: RetrieveRequest, queries: Sequence[str], targets: Sequence[ResolvedTarget]) -> Json:
    """The body for `knowledgebases('…')/retrieve` (2026-04-01). Its knowledge sources are named as the indexes."""
    limits = {
        "maxRuntimeInSeconds": request.max_runtime_seconds,
        "maxOutputSizeInTokens": request.max_output_tokens,
    }
    return {
        "intents": [{"type": "semantic", "search": query} for query in queries],
        "includeActivity": True,
        "knowledgeSourceParams": [_source_params(target) for target in targets],
        **_given(limits),
    }


def _message(one: RetrieveMessage) -> Json:
    content = [
        {"type": "text", "text": part.text}
        if isinstance(part, MessageText)
        else {"type": "image", "image": {"url": part.url}}
        for part in one.content
    ]
    return {"role": one.role, "content": content}


def _user(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _index_params(target: ResolvedTarget) -> Json:
    return {"indexName": target.index.name, "maxDocsForReranker": target.max_documents, **_common(target)}


def _source_params(target: ResolvedTarget) -> Json:
    named = {"kind": "searchIndex", "knowledgeSourceName": target.index.name, "includeReferences": True}
    return {**named, **_common(target)}


def _common(target: ResolvedTarget) -> Json:
    members = {
        "filterAddOn": None if target.filter is None else target.filter.text,
        "rerankerThreshold": target.reranker_threshold,
    }
    return {**_given(members), "includeReferenceSourceData": target.include_source_data}


def _given(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def reply_from_service(body: bytes, agent: AgentSettings, targets: Sequence[ResolvedTarget]) -> RetrieveReply:
    """The service's reply, of either shape.

    Raises SearchFailed when it cannot be read, IndexMisconfigured when it holds anything of an index that `agent` does not
    name: the service's own agent or knowledge base may read more than the app's settings let its callers see.
    """
    try:
        members = json.loads(body.decode("utf-8-sig"))
        activity = [made for one in members.get("activity") or [] if (made := _activity(one)) is not None]
        found = {one.id: one.index for one in activity if isinstance(one, SearchActivity)}
        references = tuple(_reference(one, found) for one in members.get("references") or [])
        text = _text(members["response"])
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise SearchFailed("The reply of the search service cannot be read.") from None
    _refuse_other_indexes(activity, references, agent)
    own = _own_filters(activity, targets)
    return RetrieveReply(text=text, references=_bounded(references, targets), activity=tuple(own))


def _refuse_other_indexes(activity: Iterable[Activity], references: Iterable[Reference], agent: AgentSettings) -> None:
    named = {index.name for index in agent.indexes}
    read = {one.index for one in activity if isinstance(one, SearchActivity)} | {one.index for one in references}
    if read - named:
        message = f"The search service's own agent reads an index that the settings of the agent {agent.name} do not name."
        raise IndexMisconfigured(message)


def _text(response: Iterable[Any]) -> str:
    for message in response:
        for part in message["content"]:
            if part.get("type") == "text":
                return str(part["text"])
    return "[]"


def _activity(one: Mapping[str, Any]) -> Activity | None:
    number, elapsed = int(one["id"]), _count(one.get("elapsedMs"))
    match str(one["type"]).lower():
        case "modelqueryplanning":
            tokens = _count(one.get("inputTokens")), _count(one.get("outputTokens"))
            return PlanningActivity(id=number, input_tokens=tokens[0], output_tokens=tokens[1], elapsed_ms=elapsed)
        case "azuresearchquery":
            return _search(one, one.get("query") or {}, one["targetIndex"])
        case "searchindex":
            return _search(one, one.get("searchIndexArguments") or {}, one["knowledgeSourceName"])
        case "azuresearchsemanticranker" | "semanticreranker":
            return RankingActivity(id=number, input_tokens=_count(one.get("inputTokens")), elapsed_ms=elapsed)
        case "agenticreasoning":
            return ReasoningActivity(id=number, reasoning_tokens=_count(one.get("reasoningTokens")))
        case _:
            return None


def _search(one: Mapping[str, Any], arguments: Mapping[str, Any], index: str) -> SearchActivity:
    warning = one.get("warning") or (_PARTIAL if one.get("error") else None)
    return SearchActivity(
        id=int(one["id"]),
        index=str(index),
        search=str(arguments.get("search") or ""),
        filter=arguments.get("filter"),
        query_time=_time(one.get("queryTime")),
        count=_count(one.get("count")),
        elapsed_ms=_count(one.get("elapsedMs")),
        warning=None if warning is None else str(warning),
        source_data_fields=tuple(str(field["name"]) for field in arguments.get("sourceDataFields") or []),
        semantic_configuration=arguments.get("semanticConfigurationName"),
    )


def _reference(one: Mapping[str, Any], found: Mapping[int, str]) -> Reference:
    source, data, score = int(one.get("activitySource") or 0), one.get("sourceData"), one.get("rerankerScore")
    return Reference(
        id=str(one["id"]),
        activity_source=source,
        index=found.get(source, ""),
        doc_key=None if one.get("docKey") is None else str(one["docKey"]),
        title=None if one.get("title") is None else str(one["title"]),
        source_data=data if isinstance(data, Mapping) else None,
        reranker_score=float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None,
    )


def _own_filters(activity: Iterable[Activity], targets: Sequence[ResolvedTarget]) -> Iterable[Activity]:
    """The filters as the caller gave them: that of the agent is not shown."""
    own = {target.index.name: target.own_filter for target in targets}
    for one in activity:
        yield replace(one, filter=own.get(one.index)) if isinstance(one, SearchActivity) else one


def _bounded(references: Iterable[Reference], targets: Sequence[ResolvedTarget]) -> tuple[Reference, ...]:
    """Source data only where it was asked for, and of it what the index's settings let callers see."""
    by_name = {target.index.name: target for target in targets}
    bounded = []
    for one in references:
        target = by_name.get(one.index)
        if target is None or not target.include_source_data or one.source_data is None:
            bounded.append(replace(one, source_data=None))
        else:
            bounded.append(replace(one, source_data=target.shown(one.source_data)))
    return tuple(bounded)


def _time(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


_REFUSED = (401, 403)


async def ask_service(
    retrieval: Retrieval,
    agent: AgentSettings,
    request: RetrieveRequest,
    targets: Sequence[ResolvedTarget],
    caller: Caller,
) -> RetrieveReply:
    """The service's reply. Raises a RetrievalError: what the service says about a fault goes no further."""
    path, body = _call(agent, request, targets)
    reply = await retrieval.post(targets[0].index.name, path, body, caller)
    if reply.refused:
        raise _error(reply, agent)
    made = reply_from_service(reply.body, agent, targets)
    return _within(made, retrieval.settings.max_evidence_characters)


def _call(
    agent: AgentSettings, request: RetrieveRequest, targets: Sequence[ResolvedTarget]
) -> tuple[str, dict[str, object]]:
    if agent.knowledge_agent:
        return _path("agents", agent.knowledge_agent, AGENT_VERSION), agent_body(request, targets)
    refuse_images(request)
    queries = request.intents or last_user_texts(request.messages, agent.max_sub_queries)
    body = knowledge_base_body(request, queries, targets)
    return _path("knowledgebases", agent.knowledge_base or "", KNOWLEDGE_BASE_VERSION), body


def _path(collection: str, name: str, version: str) -> str:
    doubled = name.replace("'", "''")
    return f"/{collection}('{quote(doubled, safe='')}')/retrieve?api-version={version}"


def _error(reply: ServiceReply, agent: AgentSettings) -> RetrievalError:
    if reply.status == 404:
        return IndexMisconfigured(f"The agent {agent.name} does not exist in the search service as it is configured.")
    if reply.status in _REFUSED:
        return SearchRefused("The search service refuses the app's identity.")
    if reply.status == 402:
        return SemanticUnavailable("The semantic ranker of the search service is switched off or over its quota.")
    if reply.status == 400:
        message = "The search service refuses the request: a filter, a threshold or an index of it does not fit."
        return InvalidQuery(message, problems=(Problem("$", InvalidQuery.code, message),))
    return SearchFailed("The search service answered in an unexpected way.")


def _within(reply: RetrieveReply, most: int) -> RetrieveReply:
    """The reply with whole entries, from the first, that stand in `most` characters; a text that is no list stays.

    The first always stays; its content is cut where it alone is longer.
    """
    try:
        entries = json.loads(reply.text)
    except ValueError:
        return reply
    if len(reply.text) <= most or not isinstance(entries, list) or not entries:
        return reply
    kept = len(entries)
    while kept > 1 and len(_dumped(entries[:kept])) > most:
        kept -= 1
    shown = {str(entry.get("ref_id")) for entry in entries[:kept] if isinstance(entry, dict)}
    first = _shortened(entries[0], most) if kept == 1 else entries[0]
    notices = [SHORTENED.format(most)] if first is not entries[0] else []
    notices += [LEFT_OUT.format(len(entries) - kept, most)] if kept < len(entries) else []
    notice = " ".join(notices)
    return RetrieveReply(
        text=_dumped([first, *entries[1:kept]]),
        references=tuple(one for one in reply.references if one.id in shown),
        activity=_first_noted(reply, notice),
    )


def _shortened(entry: Any, most: int) -> Any:
    """The entry with the longest start of its content with which it stands in `most` characters."""
    content = entry.get("content") if isinstance(entry, dict) else None
    if not isinstance(content, str) or len(_dumped([entry])) <= most:
        return entry
    lengths = range(len(content) + 1)
    fitting = bisect_right(lengths, most, key=lambda length: len(_dumped([{**entry, "content": content[:length]}])))
    return {**entry, "content": cut(content, max(0, fitting - 1)).rstrip()}


def _first_noted(reply: RetrieveReply, notice: str) -> tuple[Activity, ...]:
    noted: list[Activity] = []
    for one in reply.activity:
        if isinstance(one, SearchActivity) and notice:
            one, notice = replace(one, warning=" ".join(filter(None, (one.warning, notice)))), ""
        noted.append(one)
    return tuple(noted)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
