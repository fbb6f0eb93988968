"""Retrieval over several indexes: every query searches every target semantically; documents are joined and numbered."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ..analysis.embedding import Embedder
from ..errors import invalid_request
from ..index import SearchIndex
from ..schema.semantic_config import SemanticConfiguration
from ..search.passages import field_text
from ..search.projection import project, read_select
from ..search.queries import Scope
from ..search.search import Search
from ..search.search_request import SearchRequest
from ..storage.vector_filling import fields_to_fill
from .retrieve_request import Target

FILTERED = "All retrieved documents were filtered because they did not meet the reranker score threshold."


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """A document that a target gave, with its score and the activity that found it."""

    target: Target
    key: str
    score: float
    document: Mapping[str, Any]
    activity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One query on one target."""

    number: int
    target: Target
    query: str
    began: datetime
    milliseconds: int
    count: int
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The targets of a call, and all that searching them needs."""

    scopes: Mapping[str, Scope]
    embedder: Embedder

    def run(self, queries: Sequence[str], targets: Sequence[Target], first: int) -> tuple[list[Activity], list[Retrieved]]:
        """Every query on every target; activities are numbered from `first`, each document kept once, best first."""
        activities: list[Activity] = []
        best: dict[tuple[str, str], Retrieved] = {}
        for query in queries:
            for target in targets:
                activity, found = self._search(query, target, first + len(activities))
                activities.append(activity)
                for each in found:
                    known = best.get((target.index, each.key))
                    if known is None or each.score > known.score:
                        best[target.index, each.key] = each
        return activities, sorted(best.values(), key=lambda each: -each.score)

    def _search(self, query: str, target: Target, number: int) -> tuple[Activity, list[Retrieved]]:
        scope = self.scopes[target.index]
        index, configuration = scope.index, configuration_of(scope.index, target.configuration)
        began, start = datetime.now(UTC), time.perf_counter()
        request = SearchRequest(
            search=query,
            filter=target.filter,
            search_fields=",".join(target.search_fields) or None,
            select=index.definition.key.name,
            query_type="semantic",
            semantic_configuration=configuration.name,
            top=target.documents,
            vector_queries=_vector_queries(index, query),
        )
        hits = Search(index=index, request=request, scope=scope, embedder=self.embedder).run().body["value"]
        kept = [hit for hit in hits if hit.get("@search.rerankerScore", -1) >= target.threshold]
        activity = Activity(
            number=number,
            target=target,
            query=query,
            began=began,
            milliseconds=round((time.perf_counter() - start) * 1000),
            count=len(kept),
            warning=FILTERED if hits and not kept else None,
        )
        return activity, [self._to_retrieved(index, hit, target, number) for hit in kept]

    def _to_retrieved(self, index: SearchIndex, hit: Mapping[str, Any], target: Target, number: int) -> Retrieved:
        key = str(hit[index.definition.key.name])
        document = index.store.document(index.store.ordinals[key])
        return Retrieved(target=target, key=key, score=hit["@search.rerankerScore"], document=document, activity=number)


def _vector_queries(index: SearchIndex, query: str) -> tuple[dict[str, Any], ...]:
    """The query as a vector too, for the fields whose vectors the index itself can make of a text."""
    paths = ",".join(field.path for field in fields_to_fill(index.definition))
    return ({"kind": "text", "text": query, "fields": paths},) if paths else ()


def configuration_of(index: SearchIndex, name: str | None) -> SemanticConfiguration:
    """The semantic configuration to rank by: the one named, the default one, or the only one."""
    configurations = index.definition.semantic
    wanted = name or configurations.default or next(iter(configurations.by_name), None)
    found = configurations.by_name.get(wanted or "")
    if found is None:
        raise invalid_request("retrievalRequest", f"The index '{index.definition.name}' has no semantic configuration.")
    return found


def source_fields(index: SearchIndex, target: Target) -> tuple[str, ...]:
    """The fields of source data: those declared, else the ranked fields and the key."""
    configuration = configuration_of(index, target.configuration)
    return target.source_fields or tuple(dict.fromkeys((*configuration.paths, index.definition.key.name)))


def source_data(index: SearchIndex, each: Retrieved) -> dict[str, Any] | None:
    """The fields of a document that a reference carries, None unless they were asked for."""
    if not each.target.source_data:
        return None
    select = read_select(index.definition, ",".join(source_fields(index, each.target)))
    return project(each.document, index.definition.fields, select)


def title_of(index: SearchIndex, each: Retrieved) -> str | None:
    """The title of a document, None where the configuration has no title field."""
    title = configuration_of(index, each.target.configuration).title
    return field_text(each.document, (title,)) if title else None


def terms_of(index: SearchIndex, each: Retrieved) -> str:
    """The keywords as the service writes them; a list comes out as the name of its .NET type, as recorded."""
    configuration = configuration_of(index, each.target.configuration)
    if not configuration.keywords:
        return ""
    field = index.definition.by_path[configuration.keywords[0]]
    return "System.Object[]" if field.collection else field_text(each.document, (field.path,))


def grounding(scopes: Mapping[str, Scope], found: Sequence[Retrieved]) -> str:
    """The text of the answer: a JSON list of the documents with their number, title, terms and content."""
    listed = []
    for number, each in enumerate(found):
        index = scopes[each.target.index].index
        content = field_text(each.document, configuration_of(index, each.target.configuration).content)
        listed.append({"ref_id": number, "title": title_of(index, each), "terms": terms_of(index, each), "content": content})
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":"))


def format_time(moment: datetime) -> str:
    """A moment as activities write it: seven digits of a second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "0Z"


def short_score(score: float) -> float:
    """A reranker score as references write it: the shortest decimal of its 32-bit value."""
    return float(str(np.float32(score)))
