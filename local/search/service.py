"""The service: takes a request, finds its operation and answers it, over HTTP or in process alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .addresses import Address, read_address
from .admin import PREFIX, answer_admin
from .autocomplete import autocomplete
from .capture import Capture
from .completion_request import AUTOCOMPLETE, SUGGEST, completion_from_query, read_completion
from .definition_json import definition_json
from .documents import index_documents
from .embedding import Embedder, MiniLm
from .errors import ServiceError
from .faults import Faults
from .index import SearchIndex
from .indexes import Indexes
from .message import Reply, Request, error_reply, json_reply
from .permissions import Identities, visible
from .projection import project, read_select
from .queries import Scope
from .search import Search
from .search_request import from_query, read_search
from .suggest import suggest
from .versions import check_version, shards

Operation = Callable[[Request, Address], Reply]


def kind_of(address: Address) -> str:
    """The operation of an address in one word, as faults name it."""
    if address.operation is not None:
        return address.operation if address.operation not in ("stats", "status") else "definition"
    if address.inner is None:
        return "definition"
    return "lookup" if address.inner_key is not None else "search"


class SearchService:
    """Everything that the data plane holds; `handle` never raises."""

    def __init__(self, name: str = "embedded", embedder: Embedder | None = None) -> None:
        self.name = name
        self.embedder: Embedder = embedder or MiniLm()
        self.identities = Identities()
        self.indexes = Indexes(name)
        self.faults = Faults()
        self.capture = Capture()
        self.definitions_need_key = False

    async def handle(self, request: Request) -> Reply:
        """The answer to a request."""
        try:
            if request.path.startswith(PREFIX):
                return answer_admin(self, request)
            return await self._with_faults(request)
        except ServiceError as error:
            return error_reply(error)

    async def _with_faults(self, request: Request) -> Reply:
        self.capture.keep(request)
        address = read_address(request.path)
        if address is None:
            return Reply(status=404)
        fault = self.faults.next(kind_of(address), address.key)
        if fault is None:
            return self._answer(request, address)
        await asyncio.sleep(fault.delay)
        reply = fault.reply() or self._answer(replace(request, partial=fault.partial), address)
        return replace(reply, cut=True) if fault.cut else reply

    def _answer(self, request: Request, address: Address) -> Reply:
        check_version(request.version)
        if self.definitions_need_key and kind_of(address) == "definition" and "api-key" not in request.headers:
            raise ServiceError(403, "", "The caller's role does not allow calls to definitions.")
        operation = self._operation(request.method, address)
        return operation(request, address)

    def _operation(self, method: str, address: Address) -> Operation:
        place = (
            method,
            address.collection,
            address.key is not None,
            address.inner,
            address.inner_key is not None,
            address.operation,
        )
        found = self._table().get(place)
        if found is None:
            raise ServiceError(405, "", "The method or the address is not offered.")
        return found

    def _table(self) -> dict[tuple[str, str, bool, str | None, bool, str | None], Operation]:
        return {
            ("GET", "indexes", False, None, False, None): self._list_indexes,
            ("POST", "indexes", False, None, False, None): self._create_index,
            ("GET", "indexes", True, None, False, None): self._get_index,
            ("PUT", "indexes", True, None, False, None): self._put_index,
            ("DELETE", "indexes", True, None, False, None): self._delete_index,
            ("GET", "indexes", True, "docs", False, None): self._search_get,
            ("GET", "indexes", True, "docs", True, None): self._lookup,
            ("GET", "indexes", True, "docs", False, "count"): self._count,
            ("POST", "indexes", True, "docs", False, "search"): self._search,
            ("POST", "indexes", True, "docs", False, "index"): self._index,
            ("POST", "indexes", True, "docs", False, "suggest"): self._suggest,
            ("GET", "indexes", True, "docs", False, "suggest"): self._suggest,
            ("POST", "indexes", True, "docs", False, "autocomplete"): self._autocomplete,
            ("GET", "indexes", True, "docs", False, "autocomplete"): self._autocomplete,
        }

    def _list_indexes(self, request: Request, address: Address) -> Reply:
        return json_reply(200, {"value": [definition_json(index.definition) for index in self.indexes.listed()]})

    def _create_index(self, request: Request, address: Address) -> Reply:
        index = self.indexes.create(request.json())
        return json_reply(201, self._in_context(request, "$metadata#indexes/$entity", definition_json(index.definition)))

    def _get_index(self, request: Request, address: Address) -> Reply:
        index = self.indexes.get(address.key or "")
        return json_reply(200, self._in_context(request, "$metadata#indexes/$entity", definition_json(index.definition)))

    def _put_index(self, request: Request, address: Address) -> Reply:
        index, new = self.indexes.put(address.key or "", request.json())
        body = self._in_context(request, "$metadata#indexes/$entity", definition_json(index.definition))
        return json_reply(201 if new else 200, body)

    def _delete_index(self, request: Request, address: Address) -> Reply:
        self.indexes.delete(address.key or "")
        return Reply(status=204)

    def _search(self, request: Request, address: Address) -> Reply:
        return self._searched(request, address, request.json())

    def _search_get(self, request: Request, address: Address) -> Reply:
        return self._searched(request, address, from_query(request))

    def _searched(self, request: Request, address: Address, body: dict[str, Any]) -> Reply:
        index = self.indexes.get(address.key or "")
        search = Search(
            index=index,
            request=read_search(body),
            scope=self._scope(request, index),
            embedder=self.embedder,
            partial=request.partial,
        )
        answer = search.run()
        if "@search.nextPageParameters" in answer.body:
            _add_next_link(answer.body, request, address)
        body = self._in_context(request, f"indexes('{address.key}')/$metadata#docs(*)", answer.body)
        return json_reply(answer.status, body)

    def _scope(self, request: Request, index: SearchIndex) -> Scope:
        seen = visible(index, self.identities.of(request.headers))
        return Scope(index=index, visible=seen, shards=shards(request.version))

    def _suggest(self, request: Request, address: Address) -> Reply:
        index = self.indexes.get(address.key or "")
        body = completion_from_query(request) if request.method == "GET" else request.json()
        answer = suggest(index, read_completion(body, SUGGEST), self._scope(request, index))
        return json_reply(200, self._in_context(request, f"indexes('{address.key}')/$metadata#docs(*)", answer))

    def _autocomplete(self, request: Request, address: Address) -> Reply:
        index = self.indexes.get(address.key or "")
        body = completion_from_query(request) if request.method == "GET" else request.json()
        answer = autocomplete(index, read_completion(body, AUTOCOMPLETE), self._scope(request, index))
        context = f"indexes('{address.key}')/$metadata#Collection(Microsoft.Azure.Search.AutocompleteItem)"
        return json_reply(200, self._in_context(request, context, answer))

    def _lookup(self, request: Request, address: Address) -> Reply:
        index = self.indexes.get(address.key or "")
        select = read_select(index.definition, request.query.get("$select"))
        ordinal = index.store.ordinals.get(address.inner_key or "")
        seen = self._scope(request, index).visible
        if ordinal is None or (seen is not None and not seen[ordinal]):
            return Reply(status=404)
        document = index.store.document(ordinal)
        body = project(document, index.definition.fields, select)
        return json_reply(200, self._in_context(request, f"indexes('{address.key}')/$metadata#docs(*)/$entity", body))

    def _count(self, request: Request, address: Address) -> Reply:
        count = len(self.indexes.get(address.key or "").store)
        return Reply(body=str(count).encode(), headers={"Content-Type": "text/plain; charset=utf-8"})

    def _index(self, request: Request, address: Address) -> Reply:
        status, outcomes = index_documents(self.indexes.get(address.key or "").store, request.json())
        context = f"indexes('{address.key}')/$metadata#Collection(Microsoft.Azure.Search.IndexResult)"
        return json_reply(status, self._in_context(request, context, {"value": outcomes}))

    def _in_context(self, request: Request, context: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"@odata.context": f"{request.host}/{context}", **body} if request.minimal_metadata else body


def _add_next_link(body: dict[str, Any], request: Request, address: Address) -> None:
    """Where the next page is asked for; later versions name `top` in its parameters even when it was not given."""
    if request.version >= "2023":
        body["@search.nextPageParameters"].setdefault("top", None)
    version = request.query["api-version"]
    body["@odata.nextLink"] = f"{request.host}/indexes('{address.key}')/docs/search.post.search?api-version={version}"
