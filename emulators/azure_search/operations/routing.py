"""Which function answers which method on which address."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import ServiceError
from ..http import Reply, Request
from ..state import State
from . import document_operations as documents
from . import index_operations as indexes
from . import knowledge_operations as knowledge
from .addresses import Address

Operation = Callable[[State, Request, Address], Reply]
KINDS = ("knowledgesources", "knowledgebases", "agents")

# Method, collection, whether it has a key, whether documents are meant, whether one of them, and the operation.
Place = tuple[str, str, bool, bool, bool, str | None]


def _definitions(kind: str) -> dict[Place, Operation]:
    return {
        ("GET", kind, False, False, False, None): knowledge.list_definitions,
        ("POST", kind, False, False, False, None): knowledge.create_definition,
        ("GET", kind, True, False, False, None): knowledge.get_definition,
        ("PUT", kind, True, False, False, None): knowledge.put_definition,
        ("DELETE", kind, True, False, False, None): knowledge.delete_definition,
        ("POST", kind, True, False, False, "retrieve"): knowledge.retrieve,
    }


TABLE: Mapping[Place, Operation] = {
    ("GET", "indexes", False, False, False, None): indexes.list_indexes,
    ("POST", "indexes", False, False, False, None): indexes.create_index,
    ("GET", "indexes", True, False, False, None): indexes.get_index,
    ("PUT", "indexes", True, False, False, None): indexes.put_index,
    ("DELETE", "indexes", True, False, False, None): indexes.delete_index,
    ("GET", "indexes", True, False, False, "stats"): indexes.index_statistics,
    ("GET", "indexes", True, True, False, None): documents.search,
    ("GET", "indexes", True, True, True, None): documents.look_up,
    ("GET", "indexes", True, True, False, "count"): documents.count,
    ("POST", "indexes", True, True, False, "search"): documents.search,
    ("GET", "indexes", True, True, False, "search"): documents.search,
    ("POST", "indexes", True, True, False, "index"): documents.write,
    ("POST", "indexes", True, True, False, "suggest"): documents.suggestions,
    ("GET", "indexes", True, True, False, "suggest"): documents.suggestions,
    ("POST", "indexes", True, True, False, "autocomplete"): documents.completions,
    ("GET", "indexes", True, True, False, "autocomplete"): documents.completions,
    ("GET", "servicestats", False, False, False, None): indexes.service_statistics,
    ("GET", "knowledgesources", True, False, False, "status"): knowledge.source_status,
    **{place: operation for kind in KINDS for place, operation in _definitions(kind).items()},
}


def operation_for(method: str, address: Address) -> Operation:
    """The function for a call; one that is not offered is a 405, never guessed."""
    place = (
        method,
        address.collection,
        address.key is not None,
        address.inner is not None,
        address.inner_key is not None,
        address.operation,
    )
    found = TABLE.get(place)
    if found is None:
        raise ServiceError(405, "", "The method or the address is not offered by the embedded search service.")
    return found


def kind_of(address: Address) -> str:
    """The operation of an address in one word, as faults name it."""
    if address.operation is not None:
        return address.operation if address.operation not in ("stats", "status") else "definition"
    if address.inner is None:
        return "definition"
    return "lookup" if address.inner_key is not None else "search"
