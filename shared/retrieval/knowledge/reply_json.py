"""Replies as JSON, in the shape of the request. Members whose value is not known are left out, never invented."""

from __future__ import annotations

from datetime import UTC, datetime

from ..agents.models import RetrieveRequest
from .replies import Activity, PlanningActivity, RankingActivity, ReasoningActivity, Reference, RetrieveReply, SearchActivity

Json = dict[str, object]


def reply_to_json(reply: RetrieveReply, request: RetrieveRequest) -> Json:
    """The reply's JSON: 2025-05-01-preview for an agent, 2026-04-01 for a knowledge base."""
    content = [{"type": "text", "text": reply.text}]
    if request.shape == "agent":
        return {
            "response": [{"role": "assistant", "content": content}],
            # What reasoning took is a record of the later contract only.
            "activity": [_agent_activity(one) for one in reply.activity if not isinstance(one, ReasoningActivity)],
            "references": [_agent_reference(one) for one in reply.references],
        }
    hidden = {target.index for target in request.targets if not target.include_references}
    made: Json = {"response": [{"content": content}]}
    if request.include_activity:
        made["activity"] = [_base_activity(one) for one in reply.activity]
    return made | {"references": [_base_reference(one) for one in reply.references if one.index not in hidden]}


def _agent_activity(one: PlanningActivity | SearchActivity | RankingActivity) -> Json:
    match one:
        case PlanningActivity():
            kind, figures = "ModelQueryPlanning", _planning(one)
        case SearchActivity():
            query = {"search": one.search, "filter": one.filter}
            kind, figures = "AzureSearchQuery", {"targetIndex": one.index, "query": query, **_searched(one)}
        case RankingActivity():
            kind, figures = "AzureSearchSemanticRanker", {"inputTokens": one.input_tokens, "elapsedMs": one.elapsed_ms}
    return {"type": kind, "id": one.id, **_known(figures)}


def _base_activity(one: Activity) -> Json:
    match one:
        case PlanningActivity():
            kind, figures = "modelQueryPlanning", _planning(one)
        case SearchActivity():
            arguments = {
                "search": one.search,
                "filter": one.filter,
                "sourceDataFields": [{"name": name} for name in one.source_data_fields],
                "searchFields": [],
                "semanticConfigurationName": one.semantic_configuration,
            }
            figures = {"knowledgeSourceName": one.index, **_searched(one), "searchIndexArguments": arguments}
            kind = "searchIndex"
        case RankingActivity():
            kind, figures = "semanticReranker", {"inputTokens": one.input_tokens, "elapsedMs": one.elapsed_ms}
        case ReasoningActivity():
            kind, figures = "agenticReasoning", {"reasoningTokens": one.reasoning_tokens}
    return {"type": kind, "id": one.id, **_known(figures)}


def _planning(one: PlanningActivity) -> Json:
    return {"inputTokens": one.input_tokens, "outputTokens": one.output_tokens, "elapsedMs": one.elapsed_ms}


def _searched(one: SearchActivity) -> Json:
    time = None if one.query_time is None else _instant(one.query_time)
    return {"queryTime": time, "count": one.count, "elapsedMs": one.elapsed_ms, "warning": one.warning}


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _known(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def _agent_reference(one: Reference) -> Json:
    return {
        "type": "AzureSearchDoc",
        "id": one.id,
        "activitySource": one.activity_source,
        "docKey": one.doc_key,
        "sourceData": None if one.source_data is None else dict(one.source_data),
    }


def _base_reference(one: Reference) -> Json:
    return {
        "type": "searchIndex",
        "id": one.id,
        "activitySource": one.activity_source,
        "sourceData": None if one.source_data is None else dict(one.source_data),
        **_known({"rerankerScore": one.reranker_score, "docKey": one.doc_key, "title": one.title}),
    }
