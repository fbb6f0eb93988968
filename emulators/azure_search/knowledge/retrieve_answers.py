"""Retrieve calls and their answers: knowledge bases (from 2025-11) and agents (2025-05), each in its own shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..analysis.embedding import Embedder
from ..schema.models import validate
from ..search.queries import Scope
from .models import Agent, AgentCall, Base, BaseCall, Source
from .retrieve import (
    Activity,
    Retrieval,
    Retrieved,
    configuration_of,
    format_time,
    grounding,
    short_score,
    source_data,
    source_fields,
    title_of,
)
from .retrieve_request import Target, base_queries, index_target, indexes_asked, last_question, source_target, sources_asked
from .store import Knowledge

Body = dict[str, Any]
ScopeOf = Callable[[str], Scope]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever:
    """Answers retrieve calls; `scope_of` gives the index of a name as the caller may see it."""

    knowledge: Knowledge
    scope_of: ScopeOf
    embedder: Embedder
    version: str

    def base(self, name: str, body: Mapping[str, Any]) -> Body:
        """The answer of a knowledge base."""
        raw = self.knowledge.get("knowledgebases", name)
        definition, call = validate(Base, raw, "knowledgeBase"), validate(BaseCall, body, "retrievalRequest")
        queries = base_queries(call)
        names = [each.name for each in definition.knowledge_sources]
        asked = sources_asked(call, names)
        targets = [source_target(each, self._source(each), asked.get(each)) for each in names]
        retrieval = self._retrieval(targets)
        activities, found = retrieval.run(queries, targets, 0)
        answer: Body = {"response": [{"content": [{"type": "text", "text": grounding(retrieval.scopes, found)}]}]}
        if call.include_activity is not False:
            shown = [_base_activity(each, retrieval.scopes[each.target.index]) for each in activities]
            answer["activity"] = [*shown, self._reasoning_activity(len(shown), definition, call)]
        listed = [(number, each) for number, each in enumerate(found) if each.target.references]
        return answer | {"references": [_base_reference(number, each, retrieval) for number, each in listed]}

    def _source(self, name: str) -> Source:
        return validate(Source, self.knowledge.get("knowledgesources", name), "knowledgeSource")

    def _retrieval(self, targets: list[Target]) -> Retrieval:
        return Retrieval(scopes={each.index: self.scope_of(each.index) for each in targets}, embedder=self.embedder)

    def _reasoning_activity(self, number: int, definition: Base, call: BaseCall) -> Body:
        """The closing activity. No model reasons here, so it has no tokens."""
        effort = call.retrieval_reasoning_effort or definition.retrieval_reasoning_effort
        found: Body = {"type": "agenticReasoning", "id": number, "reasoningTokens": 0}
        if effort and self.version.endswith("preview"):
            found["retrievalReasoningEffort"] = effort.model_dump()
        return found

    def agent(self, name: str, body: Mapping[str, Any]) -> Body:
        """The answer of an agent in the shape of 2025-05-01-preview."""
        definition = validate(Agent, self.knowledge.get("agents", name), "knowledgeAgent")
        call = validate(AgentCall, body, "retrievalRequest")
        known = {each.index_name: each for each in definition.target_indexes}
        asked = indexes_asked(call, known)
        targets = [index_target(known[each], asked.get(each)) for each in (asked or known)]
        retrieval = self._retrieval(targets)
        activities, found = retrieval.run([last_question(call.messages)], targets, 0)
        text = grounding(retrieval.scopes, found)
        return {
            "response": [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
            "activity": [
                *map(_agent_activity, activities),
                {"type": "AzureSearchSemanticRanker", "id": len(activities)},
            ],
            "references": [_agent_reference(number, each, retrieval) for number, each in enumerate(found)],
        }


def _base_activity(activity: Activity, scope: Scope) -> Body:
    target = activity.target
    warning = {"warning": activity.warning} if activity.warning else {}
    return {
        "type": "searchIndex",
        "id": activity.number,
        "knowledgeSourceName": target.name,
        "queryTime": format_time(activity.began),
        "count": activity.count,
        "elapsedMs": activity.milliseconds,
        **warning,
        "searchIndexArguments": {
            "search": activity.query,
            "filter": target.filter,
            "sourceDataFields": [{"name": path} for path in source_fields(scope.index, target)],
            "searchFields": [{"name": path} for path in target.search_fields],
            "semanticConfigurationName": configuration_of(scope.index, target.configuration).name,
        },
    }


def _base_reference(number: int, each: Retrieved, retrieval: Retrieval) -> Body:
    index = retrieval.scopes[each.target.index].index
    return {
        "type": "searchIndex",
        "id": str(number),
        "activitySource": each.activity,
        "sourceData": source_data(index, each),
        "rerankerScore": short_score(each.score),
        "docKey": each.key,
        "title": title_of(index, each),
    }


def _agent_activity(activity: Activity) -> Body:
    warning = {"warning": activity.warning} if activity.warning else {}
    return {
        "type": "AzureSearchQuery",
        "id": activity.number,
        "targetIndex": activity.target.index,
        "query": {"search": activity.query, "filter": activity.target.filter},
        "queryTime": format_time(activity.began),
        "count": activity.count,
        "elapsedMs": activity.milliseconds,
        **warning,
    }


def _agent_reference(number: int, each: Retrieved, retrieval: Retrieval) -> Body:
    return {
        "type": "AzureSearchDoc",
        "id": str(number),
        "activitySource": each.activity,
        "docKey": each.key,
        "sourceData": source_data(retrieval.scopes[each.target.index].index, each),
    }
