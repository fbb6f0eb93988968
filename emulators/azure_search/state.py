"""The state of the service, and the part of it that a request may see."""

from __future__ import annotations

from typing import Any

from .analysis.embedding import Embedder
from .http import Request
from .index import SearchIndex
from .indexes import Indexes
from .knowledge.store import Knowledge
from .search.permissions import Identities, visible
from .search.queries import Scope
from .versions import shards


class State:
    """Indexes, knowledge definitions, identities and the embedding model."""

    def __init__(self, name: str, embedder: Embedder, held: int) -> None:
        self.name = name
        self.embedder = embedder
        self.shards = held
        self.identities = Identities()
        self.indexes = Indexes(name)
        self.knowledge = Knowledge(self.indexes)

    def scope(self, request: Request, index: SearchIndex) -> Scope:
        """An index as the caller of a request may see it."""
        seen = visible(index, self.identities.of(request.headers))
        return Scope(index=index, visible=seen, shards=shards(request.version, self.shards))


def in_context(request: Request, context: str, body: dict[str, Any]) -> dict[str, Any]:
    """A body with its `@odata.context`, where the caller takes it."""
    return {"@odata.context": f"{request.host}/{context}", **body} if request.minimal_metadata else body
