"""Retrieve calls and their answers: knowledge bases (from 2025-11) and agents (2025-05), each in its own shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .embedding import Embedder
from .errors import invalid_request
from .knowledge import Knowledge
from .queries import Scope
from .retrieve import (
    Activity,
    Retrieval,
    Retrieved,
    configuration_of,
    grounding,
    short_score,
    source_data,
    source_fields,
    title_of,
    written_time,
)
from .retrieve_request import (
    BASE_MEMBERS,
    DEFAULT_THRESHOLD,
    MAX_DOCUMENTS,
    SOURCE_MEMBERS,
    TARGET_MEMBERS,
    Target,
    by_name,
    checked_members,
    missing_name,
    queries_of,
    threshold,
)

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
        definition = self.knowledge.get("knowledgebases", name)
        checked_members(body, BASE_MEMBERS, "knowledgeRetrievalRequest")
        queries = queries_of(body, planned=bool(definition.get("models")))
        targets = self._sources(definition, body)
        retrieval = Retrieval(scopes={each.index: self.scope_of(each.index) for each in targets}, embedder=self.embedder)
        activities, found = retrieval.run(queries, targets, 0)
        found = [each for each in found if each.target.references]
        return {
            "response": [{"content": [{"type": "text", "text": grounding(retrieval.scopes, found)}]}],
            "activity": [
                *(_base_activity(each, retrieval.scopes[each.target.index]) for each in activities),
                self._reasoning(len(activities), definition, body),
            ],
            "references": [_base_reference(number, each, retrieval) for number, each in enumerate(found)],
        }

    def _sources(self, definition: Mapping[str, Any], body: Mapping[str, Any]) -> list[Target]:
        asked = by_name(body.get("knowledgeSourceParams"), "knowledgeSourceName", SOURCE_MEMBERS)
        names = [each["name"] for each in definition["knowledgeSources"]]
        unknown = next((name for name in asked if name not in names), None)
        if unknown is not None:
            raise missing_name("knowledge source", unknown)
        return [self._source(name, asked.get(name, {})) for name in names]

    def _source(self, name: str, asked: Mapping[str, Any]) -> Target:
        options = self.knowledge.get("knowledgesources", name)["searchIndexParameters"]
        return Target(
            name=name,
            index=options["searchIndexName"],
            configuration=options.get("semanticConfigurationName"),
            source_fields=tuple(each["name"] for each in options.get("sourceDataFields") or ()),
            search_fields=tuple(each["name"] for each in options.get("searchFields") or ()),
            filter=asked.get("filterAddOn"),
            threshold=threshold(asked, DEFAULT_THRESHOLD),
            references=asked.get("includeReferences") is not False,
            source_data=asked.get("includeReferenceSourceData") is True,
        )

    def _reasoning(self, number: int, definition: Mapping[str, Any], body: Mapping[str, Any]) -> Body:
        """The closing activity; no model reasons here, so its tokens are none."""
        effort = body.get("retrievalReasoningEffort") or definition.get("retrievalReasoningEffort")
        found: Body = {"type": "agenticReasoning", "id": number, "reasoningTokens": 0}
        return found | {"retrievalReasoningEffort": effort} if effort and self.version.endswith("preview") else found

    def agent(self, name: str, body: Mapping[str, Any]) -> Body:
        """The answer of an agent in the shape of 2025-05-01-preview."""
        definition = self.knowledge.get("agents", name)
        checked_members(body, frozenset({"messages", "targetIndexParams"}), "knowledgeAgentRetrievalRequest")
        targets = self._targets(definition, body)
        retrieval = Retrieval(scopes={each.index: self.scope_of(each.index) for each in targets}, embedder=self.embedder)
        activities, found = retrieval.run(queries_of(body, planned=True), targets, 0)
        text = grounding(retrieval.scopes, found)
        return {
            "response": [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
            "activity": [
                *map(_agent_activity, activities),
                {"type": "AzureSearchSemanticRanker", "id": len(activities)},
            ],
            "references": [_agent_reference(number, each, retrieval) for number, each in enumerate(found)],
        }

    def _targets(self, definition: Mapping[str, Any], body: Mapping[str, Any]) -> list[Target]:
        asked = by_name(body.get("targetIndexParams"), "indexName", TARGET_MEMBERS)
        known = {each["indexName"]: each for each in definition["targetIndexes"]}
        unknown = next((name for name in asked if name not in known), None)
        if unknown is not None:
            raise missing_name("index", unknown)
        return [_target(name, known[name], asked.get(name, {})) for name in (asked or known)]


def _target(name: str, known: Mapping[str, Any], asked: Mapping[str, Any]) -> Target:
    documents = asked.get("maxDocsForReranker") or known.get("defaultMaxDocsForReranker") or MAX_DOCUMENTS
    if not isinstance(documents, int) or not 1 <= documents <= 10_000:
        raise invalid_request("retrievalRequest", "'maxDocsForReranker' must be between 1 and 10000.")
    shown = asked.get("includeReferenceSourceData")
    default = known.get("defaultRerankerThreshold")
    return Target(
        name=name,
        index=name,
        filter=asked.get("filterAddOn"),
        threshold=threshold(asked, DEFAULT_THRESHOLD if default is None else float(default)),
        documents=min(documents, MAX_DOCUMENTS),
        source_data=known.get("defaultIncludeReferenceSourceData") is True if shown is None else shown is True,
    )


def _base_activity(activity: Activity, scope: Scope) -> Body:
    target = activity.target
    warning = {"warning": activity.warning} if activity.warning else {}
    return {
        "type": "searchIndex",
        "id": activity.number,
        "knowledgeSourceName": target.name,
        "queryTime": written_time(activity.began),
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
        "queryTime": written_time(activity.began),
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
