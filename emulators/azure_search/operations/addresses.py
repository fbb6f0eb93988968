"""Paths of the REST interface: OData form (`/indexes('a')/docs('1')`) and plain form (`/indexes/a/docs/1`) alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

SEGMENT = re.compile(r"([A-Za-z$][A-Za-z0-9$._-]*)(?:\('((?:[^']|'')*)'\))?")
COLLECTIONS = frozenset(
    {"indexes", "docs", "knowledgesources", "knowledgebases", "agents", "synonymmaps", "aliases", "servicestats"}
)
OPERATIONS = {
    "search": "search",
    "search.post.search": "search",
    "search.search": "search",
    "suggest": "suggest",
    "search.post.suggest": "suggest",
    "search.suggest": "suggest",
    "autocomplete": "autocomplete",
    "search.post.autocomplete": "autocomplete",
    "search.autocomplete": "autocomplete",
    "index": "index",
    "search.index": "index",
    "$count": "count",
}
SUFFIXES = frozenset({"stats", "search.stats", "retrieve", "status", "analyze", "search.analyze"})


@dataclass(frozen=True, slots=True)
class Address:
    """A collection with its key, a second collection inside it with its own, and an operation on either."""

    collection: str
    key: str | None = None
    inner: str | None = None
    inner_key: str | None = None
    operation: str | None = None


def read_address(path: str) -> Address | None:
    """The address in a path that is still percent-encoded; None when the service has no such address."""
    pieces = [unquote(piece) for piece in path.strip("/").split("/")]
    first, key, rest = _split_collection(pieces)
    if first is None or first == "docs":
        return None
    if not rest:
        return Address(first, key)
    if rest[0] in SUFFIXES and len(rest) == 1 and key is not None:
        return Address(first, key, operation=rest[0].removeprefix("search."))
    if first != "indexes" or key is None:
        return None
    return _documents(first, key, rest)


def _documents(collection: str, key: str, rest: list[str]) -> Address | None:
    if len(rest) == 2 and rest[0] == "docs" and rest[1] in OPERATIONS:
        return Address(collection, key, "docs", operation=OPERATIONS[rest[1]])
    inner, inner_key, more = _split_collection(rest)
    if inner != "docs" or more:
        return None
    return Address(collection, key, "docs", inner_key)


def _split_collection(pieces: list[str]) -> tuple[str | None, str | None, list[str]]:
    """The collection at the front with its key, in either form, and the pieces after it."""
    found = SEGMENT.fullmatch(pieces[0])
    if found is None or found.group(1).lower() not in COLLECTIONS:
        return None, None, []
    name = found.group(1).lower()
    if found.group(2) is not None:
        return name, found.group(2).replace("''", "'"), pieces[1:]
    if len(pieces) > 1 and not (name == "docs" and pieces[1] in OPERATIONS):
        return name, pieces[1], pieces[2:]
    return name, None, pieces[1:]
