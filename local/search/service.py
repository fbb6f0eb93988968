"""The service: takes a request, finds its operation and answers it, over HTTP or in process alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .addresses import Address, read_address
from .definition_json import definition_json
from .documents import index_documents
from .errors import ServiceError
from .indexes import Indexes
from .message import Reply, Request, error_reply, json_reply
from .projection import project, read_select
from .search import run_search
from .search_request import from_query, read_search
from .versions import check_version

Operation = Callable[[Request, Address], Reply]


class SearchService:
    """Everything that the data plane holds; `handle` never raises."""

    def __init__(self, name: str = "embedded") -> None:
        self.name = name
        self.indexes = Indexes(name)

    async def handle(self, request: Request) -> Reply:
        """The answer to a request."""
        try:
            return self._answer(request)
        except ServiceError as error:
            return error_reply(error)

    def _answer(self, request: Request) -> Reply:
        address = read_address(request.path)
        if address is None:
            return Reply(status=404)
        check_version(request.version)
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
        answer = run_search(index, read_search(body))
        if "@search.nextPageParameters" in answer:
            if request.version >= "2023":
                answer["@search.nextPageParameters"].setdefault("top", None)
            answer["@odata.nextLink"] = (
                f"{request.host}/indexes('{address.key}')/docs/search.post.search?api-version={request.query['api-version']}"
            )
        return json_reply(200, self._in_context(request, f"indexes('{address.key}')/$metadata#docs(*)", answer))

    def _lookup(self, request: Request, address: Address) -> Reply:
        index = self.indexes.get(address.key or "")
        select = read_select(index.definition, request.query.get("$select"))
        document = index.store.get(address.inner_key or "")
        if document is None:
            return Reply(status=404)
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
