"""Ranking quality of the embedded search service on the Cranfield collection: mean nDCG@10, linear gain.

python -m bench.search_quality [FOLDER]      (FOLDER holds documents.jsonl and queries.jsonl)
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emulators.azure_search.http import Request
from emulators.azure_search.load import load, read_documents
from emulators.azure_search.service import SearchService

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT.parent / "shared" / "data" / "cranfield"
DEFINITION: dict[str, Any] = {
    "name": "cranfield",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "title", "type": "Edm.String", "searchable": True},
        {"name": "body", "type": "Edm.String", "searchable": True},
        {"name": "author", "type": "Edm.String", "searchable": False},
        {
            "name": "vector",
            "type": "Collection(Edm.Single)",
            "dimensions": 384,
            "vectorSearchProfile": "local",
            "retrievable": False,
        },
    ],
    "semantic": {
        "defaultConfiguration": "default",
        "configurations": [
            {
                "name": "default",
                "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "body"}], "prioritizedKeywordsFields": []},
            }
        ],
    },
    "vectorSearch": {
        "algorithms": [{"name": "near", "kind": "hnsw"}],
        "vectorizers": [{"name": "local", "kind": "azureOpenAI"}],
        "profiles": [{"name": "local", "algorithm": "near", "vectorizer": "local"}],
    },
}
MODES = ("keyword", "keyword + semantic-like", "hybrid, k 10", "hybrid, k 50", "hybrid + semantic-like")


def body(mode: str, query: str) -> dict[str, Any]:
    """The search that a mode sends."""
    found: dict[str, Any] = {"search": query, "top": 10, "select": "id"}
    if "hybrid" in mode:
        k = 10 if mode.endswith("10") else 50
        found["vectorQueries"] = [{"kind": "text", "text": query, "fields": "vector", "k": k}]
    if "semantic" in mode:
        found |= {"queryType": "semantic", "semanticConfiguration": "default"}
    return found


def ndcg(ranked: Sequence[str], relevance: Mapping[str, int]) -> float:
    """nDCG of the first ten with linear gain."""
    best = sorted(relevance.values(), reverse=True)[:10]
    ideal = sum(gain / math.log2(at + 2) for at, gain in enumerate(best))
    given = sum(relevance.get(key, 0) / math.log2(at + 2) for at, key in enumerate(ranked[:10]))
    return given / ideal if ideal else 0.0


async def measure(service: SearchService, mode: str, queries: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """The mean over all queries, and milliseconds a query."""
    total, start = 0.0, time.perf_counter()
    for each in queries:
        request = Request(
            method="POST",
            path="/indexes('cranfield')/docs/search.post.search",
            query={"api-version": "2025-09-01"},
            body=json.dumps(body(mode, each["query"])).encode(),
        )
        answer = json.loads((await service.handle(request)).body)
        total += ndcg([hit["id"] for hit in answer["value"]], each["relevance"])
    return total / len(queries), (time.perf_counter() - start) * 1000 / len(queries)


async def main(folder: Path, modes: Sequence[str] = MODES) -> dict[str, float]:
    """Load, measure each mode and print the table; the means by mode."""
    service, start = SearchService(), time.perf_counter()
    count = await load(service, DEFINITION, read_documents(folder / "documents.jsonl"))
    print(f"{count} documents loaded and embedded in {time.perf_counter() - start:.0f} s\n")
    queries = list(read_documents(folder / "queries.jsonl"))
    print("| mode | nDCG@10 | ms a query |\n| --- | --- | --- |")
    found = {}
    for mode in modes:
        found[mode], spent = await measure(service, mode, queries)
        print(f"| {mode} | {found[mode]:.4f} | {spent:.1f} |", flush=True)
    return found


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
