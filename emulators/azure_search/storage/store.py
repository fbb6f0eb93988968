"""The documents of one index: stored whole under ordinals that only grow, found by key, searched by field."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.analyzers import analyzer
from ..schema.definition import IndexDefinition
from ..schema.fieldvalues import values_at
from .postings import FieldPostings
from .sharding import shard_of

Mask = NDArray[np.bool_]
Document = dict[str, Any]


class DocumentStore:
    """Holds the documents; `generation` grows with every change, so that derived values can be kept until then."""

    def __init__(self, definition: IndexDefinition) -> None:
        self.definition = definition
        self.generation = 0
        self.documents: list[Document | None] = []
        self.ordinals: dict[str, int] = {}
        self._shards: array[int] = array("B")
        self.postings = {
            field.path: FieldPostings(analyzer(field.analyzer), analyzer(field.search_analyzer))
            for field in definition.searchable
        }
        self._derived: dict[object, Any] = {}

    def __len__(self) -> int:
        return len(self.ordinals)

    def get(self, key: str) -> Document | None:
        """The document with that key."""
        ordinal = self.ordinals.get(key)
        return None if ordinal is None else self.documents[ordinal]

    def put(self, document: Document) -> bool:
        """Store a document; True when its key was new. A replaced document moves to the end, as in the service."""
        key = document[self.definition.key.name]
        known = self._remove(key)
        ordinal = len(self.documents)
        self.documents.append(document)
        self.ordinals[key] = ordinal
        self._shards.append(shard_of(key))
        for path, postings in self.postings.items():
            postings.add(
                ordinal, self._shards[ordinal], [text for text in values_at(document, path) if isinstance(text, str)]
            )
        self._forget_derived()
        return not known

    def remove(self, key: str) -> None:
        """Forget a document; an unknown key changes nothing."""
        if self._remove(key):
            self._forget_derived()

    def _remove(self, key: str) -> bool:
        ordinal = self.ordinals.pop(key, None)
        if ordinal is None:
            return False
        self.documents[ordinal] = None
        for postings in self.postings.values():
            postings.drop(ordinal, self._shards[ordinal])
        return True

    def _forget_derived(self) -> None:
        self.generation += 1
        self._derived.clear()

    def remember(self, name: object, make: Callable[[], Any]) -> Any:
        """The result of `make`, kept under `name` until a document changes."""
        if name not in self._derived:
            self._derived[name] = make()
        return self._derived[name]

    def shards(self, count: int) -> NDArray[np.uint8]:
        """The shard of every ordinal, all in the first one when `count` is 1."""
        return np.frombuffer(self._shards.tobytes(), np.uint8) if count > 1 else np.zeros(len(self._shards), np.uint8)

    def sequence(self, count: int) -> NDArray[np.intp]:
        """All ordinals in the order of equal hits: shard by shard, oldest first."""
        found: NDArray[np.intp] = self.remember(("sequence", count), lambda: np.argsort(self.shards(count), kind="stable"))
        return found

    @property
    def alive(self) -> Mask:
        """Which ordinals hold a document."""
        mask: Mask = self.remember("alive", self._alive)
        return mask

    def _alive(self) -> Mask:
        return np.fromiter((each is not None for each in self.documents), np.bool_, len(self.documents))

    def document(self, ordinal: int) -> Document:
        """The document at an ordinal that is alive."""
        found = self.documents[ordinal]
        if found is None:
            raise LookupError(f"no document at {ordinal}")
        return found
