"""Calls to the documents of an index: write, search, suggest, complete, look up, count."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from ..http import Reply, Request, json_reply
from ..search.autocomplete import autocomplete
from ..search.completion_request import AUTOCOMPLETE, SUGGEST, completion_from_query, read_completion
from ..search.projection import project, read_select
from ..search.search import Search
from ..search.search_request import from_query, read_search
from ..search.suggest import suggest
from ..state import State, in_context
from ..storage.documents import index_documents
from .addresses import Address


def search(state: State, request: Request, address: Address) -> Reply:
    """`POST …/docs/search.post.search`, and `GET …/docs` with its parameters in the query."""
    index = state.indexes.get(address.key or "")
    body = from_query(request) if request.method == "GET" else request.json()
    call = Search(
        index=index,
        request=read_search(body),
        scope=state.scope(request, index),
        embedder=state.embedder,
        partial=request.partial,
    )
    answer = call.run()
    if "@search.nextPageParameters" in answer.body:
        _add_next_link(answer.body, request, address)
    return json_reply(answer.status, in_context(request, f"indexes('{address.key}')/$metadata#docs(*)", answer.body))


def _add_next_link(body: dict[str, Any], request: Request, address: Address) -> None:
    """Where the next page is asked for; later versions name `top` in its parameters even when it was not given."""
    if request.version >= "2023":
        body["@search.nextPageParameters"].setdefault("top", None)
    place, version = f"{request.host}/indexes('{address.key}')/docs", request.query["api-version"]
    if request.method == "GET":
        body["@odata.nextLink"] = f"{place}?{_next_query(request, body['@search.nextPageParameters'])}"
    else:
        body["@odata.nextLink"] = f"{place}/search.post.search?api-version={version}"


def _next_query(request: Request, following: dict[str, Any]) -> str:
    """The query of the next GET: that of this one, further on."""
    kept = [(name, value) for name, value in request.query.items() if name.lstrip("$") not in ("skip", "top")]
    kept = [pair for pair in kept if pair[0] not in request.repeated]
    kept += [(name, value) for name, values in request.repeated.items() for value in values]
    kept += [(f"${name}", str(following[name])) for name in ("skip", "top") if following.get(name) is not None]
    return urlencode(kept)


def suggestions(state: State, request: Request, address: Address) -> Reply:
    """`…/docs/search.post.suggest`, POST or GET."""
    index = state.indexes.get(address.key or "")
    body = completion_from_query(request) if request.method == "GET" else request.json()
    answer = suggest(index, read_completion(body, SUGGEST), state.scope(request, index))
    return json_reply(200, in_context(request, f"indexes('{address.key}')/$metadata#docs(*)", answer))


def completions(state: State, request: Request, address: Address) -> Reply:
    """`…/docs/search.post.autocomplete`, POST or GET."""
    index = state.indexes.get(address.key or "")
    body = completion_from_query(request) if request.method == "GET" else request.json()
    answer = autocomplete(index, read_completion(body, AUTOCOMPLETE), state.scope(request, index))
    context = f"indexes('{address.key}')/$metadata#Collection(Microsoft.Azure.Search.V2024_07_01.AutocompleteItem)"
    return json_reply(200, in_context(request, context, answer))


def look_up(state: State, request: Request, address: Address) -> Reply:
    """`GET …/docs('key')`; 404 with an empty body, as recorded, also for a document that the caller may not see."""
    index = state.indexes.get(address.key or "")
    select = read_select(index.definition, request.query.get("$select"))
    ordinal = index.store.ordinals.get(address.inner_key or "")
    seen = state.scope(request, index).visible
    if ordinal is None or (seen is not None and not seen[ordinal]):
        return Reply(status=404)
    body = project(index.store.document(ordinal), index.definition.fields, select)
    return json_reply(200, in_context(request, f"indexes('{address.key}')/$metadata#docs(*)/$entity", body))


def count(state: State, request: Request, address: Address) -> Reply:
    """`GET …/docs/$count`: the number alone, as text."""
    number = len(state.indexes.get(address.key or "").store)
    return Reply(body=str(number).encode(), headers={"Content-Type": "text/plain; charset=utf-8"})


def write(state: State, request: Request, address: Address) -> Reply:
    """`POST …/docs/search.index`."""
    status, outcomes = index_documents(state.indexes.get(address.key or "").store, request.json())
    context = f"indexes('{address.key}')/$metadata#Collection(Microsoft.Azure.Search.V2024_07_01.IndexResult)"
    return json_reply(status, in_context(request, context, {"value": outcomes}))
