"""Calls to index definitions."""

from __future__ import annotations

from ..errors import ServiceError
from ..http import Reply, Request, json_reply
from ..index import SearchIndex
from ..schema.definition_json import definition_json, etag
from ..state import State, in_context
from .addresses import Address

# https://learn.microsoft.com/rest/api/searchservice/get-service-statistics/get-service-statistics
COUNTERS = (
    *("aliasesCount", "documentCount", "indexesCount", "indexersCount", "dataSourcesCount", "storageSize", "synonymMaps"),
    *("skillsetCount", "vectorIndexSize"),
)
# https://learn.microsoft.com/azure/search/search-limits-quotas-capacity
LIMITS = {
    "maxStoragePerIndex": None,
    "maxFieldsPerIndex": 1000,
    "maxFieldNestingDepthPerIndex": 10,
    "maxComplexCollectionFieldsPerIndex": 40,
    "maxComplexObjectsInCollectionsPerDocument": 3000,
}


def list_indexes(state: State, request: Request, address: Address) -> Reply:
    """`GET /indexes`."""
    body = {"value": [definition_json(index.definition) for index in state.indexes.list_all()]}
    return json_reply(200, in_context(request, "$metadata#indexes", body))


def create_index(state: State, request: Request, address: Address) -> Reply:
    """`POST /indexes`."""
    return _definition_reply(request, state.indexes.create(request.json()), 201)


def get_index(state: State, request: Request, address: Address) -> Reply:
    """`GET /indexes('name')`."""
    return _definition_reply(request, state.indexes.get(address.key or ""), 200)


def put_index(state: State, request: Request, address: Address) -> Reply:
    """`PUT /indexes('name')`: 201 for a new index; an update answers as `Prefer` asks, with nothing by default."""
    _check_conditions(state, request, address.key or "")
    index, new = state.indexes.put(address.key or "", request.json())
    if not new and "return=representation" not in request.headers.get("prefer", ""):
        return Reply(status=204)
    return _definition_reply(request, index, 201 if new else 200)


def delete_index(state: State, request: Request, address: Address) -> Reply:
    """`DELETE /indexes('name')`."""
    _check_conditions(state, request, address.key or "")
    state.indexes.delete(address.key or "")
    return Reply(status=204)


def index_statistics(state: State, request: Request, address: Address) -> Reply:
    """`GET /indexes('name')/search.stats`; sizes are not measured here, so they are 0."""
    count = len(state.indexes.get(address.key or "").store)
    body = {"documentCount": count, "storageSize": 0, "vectorIndexSize": 0}
    return json_reply(200, in_context(request, "$metadata#Microsoft.Azure.Search.V2024_07_01.IndexStatistics", body))


def service_statistics(state: State, request: Request, address: Address) -> Reply:
    """`GET /servicestats`: counts without quotas; the limits are those of the service's Standard tier."""
    indexes = state.indexes.list_all()
    held = {"documentCount": sum(len(index.store) for index in indexes), "indexesCount": len(indexes)}
    counters = {name: {"usage": held.get(name, 0), "quota": None} for name in COUNTERS}
    context = "$metadata#Microsoft.Azure.Search.V2024_07_01.ServiceStatistics"
    return json_reply(200, in_context(request, context, {"counters": counters, "limits": LIMITS}))


def _definition_reply(request: Request, index: SearchIndex, status: int) -> Reply:
    return json_reply(status, in_context(request, "$metadata#indexes/$entity", definition_json(index.definition)))


def _check_conditions(state: State, request: Request, name: str) -> None:
    """412 where `If-Match` or `If-None-Match` speak against the call."""
    known = next((index for index in state.indexes.list_all() if index.definition.name == name), None)
    tag = etag(known.definition.raw) if known is not None else None
    wanted, unwanted = request.headers.get("if-match"), request.headers.get("if-none-match")
    if (wanted is not None and wanted not in ("*" if tag else None, tag)) or (unwanted == "*" and tag):
        raise ServiceError(412, "", "The precondition given in one of the request headers evaluated to false.")
