"""Loads a JSONL file into an index: `python -m emulators.azure_search.load --data F --index DEFINITION [--url U]`.

Over HTTP it makes (or replaces) the index and uploads in batches, as any client would; in process `load` fills a service.
Vector fields that have a vectorizer and that the documents leave out are filled by the local model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp

from .analysis.embedding import PACKAGED, Embedder
from .errors import ServiceError
from .http import Reply, Request
from .schema.definition import read_definition
from .service import SearchService
from .storage.vector_filling import with_vectors

BATCH = 1000
VERSION = "api-version=2024-07-01"
Call = Callable[[str, str, Any], Awaitable[tuple[int, bytes]]]


class LoadError(Exception):
    """A file, a definition or a document that cannot be loaded; the message says which and why."""


def read_documents(path: Path) -> Iterator[dict[str, Any]]:
    """The documents of a JSONL file, one a line; blank lines are passed over."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    document = json.loads(line)
                except ValueError:
                    raise LoadError(f"{path.name}, line {number}: not valid JSON.") from None
                if not isinstance(document, dict):
                    raise LoadError(f"{path.name}, line {number}: not a JSON object.")
                yield document


def read_index(path: Path) -> dict[str, Any]:
    """An index definition from a JSON file."""
    try:
        definition = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise LoadError(f"{path.name}: not valid JSON.") from None
    if not isinstance(definition, dict) or not isinstance(definition.get("name"), str):
        raise LoadError(f"{path.name}: an index definition needs a name.")
    return definition


async def load(
    service: SearchService,
    definition: dict[str, Any],
    documents: Iterable[dict[str, Any]],
    *,
    embedder: Embedder | None = None,
) -> int:
    """Fill a service in process; the number of documents."""

    async def call(method: str, path: str, body: Any) -> tuple[int, bytes]:
        reply: Reply = await service.handle(_request(method, path, body))
        return reply.status, reply.body

    return await _load(call, definition, documents, embedder or service.state.embedder)


def _request(method: str, path: str, body: Any) -> Request:
    parts = urlsplit(path)
    return Request(method=method, path=parts.path, query=dict(parse_qsl(parts.query)), body=json.dumps(body).encode())


async def load_over_http(url: str, definition: dict[str, Any], documents: Iterable[dict[str, Any]]) -> int:
    """Fill the service at an address; the number of documents."""
    async with aiohttp.ClientSession() as session:

        async def call(method: str, path: str, body: Any) -> tuple[int, bytes]:
            async with session.request(method, url.rstrip("/") + path, json=body, headers={"api-key": "local"}) as reply:
                return reply.status, await reply.read()

        return await _load(call, definition, documents, PACKAGED)


async def load_index(url: str, index: Path, data: Path) -> int:
    """Make the index of a definition file at an address and fill it from a JSONL file; the number of documents."""
    return await load_over_http(url, read_index(index), read_documents(data))


async def _load(call: Call, definition: dict[str, Any], documents: Iterable[dict[str, Any]], embedder: Embedder) -> int:
    name, rest = definition["name"], iter(documents)
    await call("DELETE", f"/indexes/{name}?{VERSION}", None)
    status, answer = await call("POST", f"/indexes?{VERSION}", definition)
    if status != 201:
        raise LoadError(f"The index '{name}' was refused: {_reason(answer)}")
    total, read = 0, read_definition(definition)
    while batch := list(islice(rest, BATCH)):
        filled = with_vectors(read, batch, embedder)
        status, answer = await call("POST", f"/indexes/{name}/docs/index?{VERSION}", {"value": filled})
        if status != 200:
            raise LoadError(f"Documents {total + 1} to {total + len(batch)} were refused: {_reason(answer)}")
        total += len(batch)
    return total


def _reason(answer: bytes) -> str:
    try:
        return str(json.loads(answer)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return "no reason given"


def main() -> int:
    """Load as the command line says; 1 with one line of reason when that fails."""
    parser = argparse.ArgumentParser(description="Load a JSONL file into the local search service.")
    parser.add_argument("--data", type=Path, required=True, help="one JSON document a line")
    parser.add_argument("--index", type=Path, required=True, help="an index definition")
    parser.add_argument("--url", default="http://127.0.0.1:5250", help="of the running service")
    options = parser.parse_args()
    try:
        total = asyncio.run(load_index(options.url, options.index, options.data))
    except (LoadError, ServiceError, OSError, aiohttp.ClientError) as error:
        print(f"Not loaded: {error}", file=sys.stderr)
        return 1
    print(f"{total} documents loaded from {options.data.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
