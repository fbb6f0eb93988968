"""Suggestions: whole values of a field that hold the typed words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..analysis.analyzers import standard
from ..index import SearchIndex
from ..schema.fieldvalues import values_at
from ..text.match_result import Matched, one_of
from .completion_request import CompletionRequest
from .highlights import Marker
from .ordering import by_keys, read_orderby
from .projection import project, read_select
from .queries import Scope
from .suggesters import Suggester, read_suggester, typed_query

Found = Mapping[str, Matched]


def suggest(index: SearchIndex, request: CompletionRequest, scope: Scope) -> dict[str, Any]:
    """The body of a suggest answer."""
    suggester = read_suggester(index, request.suggester, request.fields)
    keys = read_orderby(index.definition, request.orderby)
    select = read_select(index.definition, request.select or index.definition.key.name)
    allowed, _ = scope.apply_filter(request.filter)
    found = _match_fields(suggester, request, scope)
    joined = one_of(list(found.values())) if found else Matched.none_of(len(index.store.documents))
    sequence = index.store.sequence(scope.shards)
    ordinals = [int(each) for each in sequence[(joined.mask & allowed)[sequence]]]
    ranked = by_keys(index.store, ordinals, joined.scores, keys)[: request.top]
    body: dict[str, Any] = {"@search.coverage": 100.0} if request.coverage else {}
    body["value"] = [
        {"@search.text": _text(index, ordinal, found, request)}
        | project(index.store.document(ordinal), index.definition.fields, select)
        for ordinal in ranked
    ]
    return body


def _match_fields(suggester: Suggester, request: CompletionRequest, scope: Scope) -> dict[str, Matched]:
    """The matches of each field of the suggester; all words have to be in the same field."""
    query = typed_query(request.search, fuzzy=request.fuzzy)
    return {path: suggester.search(path, scope.shards).run(query) for path in suggester.fields}


def _text(index: SearchIndex, ordinal: int, found: Found, request: CompletionRequest) -> str:
    """The value of the first field that matches, with the words marked when tags were asked for."""
    path = next(path for path, each in found.items() if each.mask[ordinal])
    terms = found[path].terms.get(path, frozenset())
    marker = Marker(standard, terms, (request.before or "", request.after or ""))
    for value in values_at(index.store.document(ordinal), path):
        text = marker.mark(value)
        if text is not None:
            return text
    return ""
