"""Questions in other words than the documents: how often the right one is among the first five.

    python -m bench.search_questions              # thirty on the sample
    python -m bench.search_questions --schools    # and twelve on the 24,069 schools beside the repository, some minutes

The questions (search_questions.json, search_questions_schools.json) were written before any result was seen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emulators.azure_search.http import Request
from emulators.azure_search.load import load, read_documents, read_index
from emulators.azure_search.service import SearchService

from .search_quality import DEFINITION

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "local" / "sample"
QUESTIONS = Path(__file__).with_suffix(".json")
SCHOOL_QUESTIONS = Path(__file__).with_name("search_questions_schools.json")
SCHOOLS = ROOT.parent / "shared" / "data" / "establishments.jsonl"
MODES = ("keyword", "hybrid", "hybrid + semantic-like")


def with_vectors(definition: dict[str, Any]) -> dict[str, Any]:
    """A sample index with a vector field and a semantic configuration over its texts, if it has none."""
    texts = [each["name"] for each in definition["fields"] if each.get("searchable") and each["type"] == "Edm.String"]
    content = [{"fieldName": name} for name in texts if name in ("summary", "body")]
    title = next(name for name in texts if name in ("title", "name"))
    vector = next(each for each in DEFINITION["fields"] if each["name"] == "vector")
    fields = [each for each in definition["fields"] if "dimensions" not in each]
    prioritized = {"titleField": {"fieldName": title}, "prioritizedContentFields": content}
    semantic = {"configurations": [{"name": "default", "prioritizedFields": prioritized}]}
    return {**definition, "fields": [*fields, vector], "vectorSearch": DEFINITION["vectorSearch"], "semantic": semantic}


def body(mode: str, question: str, key: str) -> dict[str, Any]:
    """The search that a mode sends."""
    found: dict[str, Any] = {"search": question, "top": 5, "select": key}
    if mode != "keyword":
        found["vectorQueries"] = [{"kind": "text", "text": question, "fields": "vector", "k": 50}]
    if "semantic" in mode:
        found |= {"queryType": "semantic", "semanticConfiguration": "default"}
    return found


async def found_in(service: SearchService, mode: str, questions: Sequence[dict[str, str]]) -> list[bool]:
    """For every question whether its document is among the first five."""
    hits = []
    for each in questions:
        index = service.state.indexes.get(each["index"])
        key = index.definition.key.name
        request = Request(
            method="POST",
            path=f"/indexes('{each['index']}')/docs/search.post.search",
            query={"api-version": "2025-09-01"},
            body=json.dumps(body(mode, each["question"], key)).encode(),
        )
        answer = json.loads((await service.handle(request)).body)
        hits.append(each["key"] in [hit[key] for hit in answer["value"]])
    return hits


async def load_sample(service: SearchService, questions: Sequence[dict[str, str]]) -> None:
    """The sample indexes that the questions are about, with vectors."""
    for name in sorted({each["index"] for each in questions}):
        definition = with_vectors(read_index(SAMPLE / f"indexes/{name}.json"))
        await load(service, definition, read_documents(SAMPLE / f"data/{name}.jsonl"))


async def load_schools(service: SearchService) -> None:
    """All schools, with vectors of their names, towns and kinds."""
    definition = with_vectors(read_index(ROOT / "local" / "data" / "schools-index.json")) | {"name": "schools"}
    await load(service, definition, read_documents(SCHOOLS))


async def measured(service: SearchService, questions: Sequence[dict[str, str]]) -> dict[str, int]:
    """Ask, print; how many were found by mode."""
    print(f"| mode | found among the first five, of {len(questions)} |\n| --- | --- |")
    found = {}
    for mode in MODES:
        hits = await found_in(service, mode, questions)
        found[mode] = sum(hits)
        print(f"| {mode} | {found[mode]} |")
        for question, hit in zip(questions, hits, strict=True):
            if not hit:
                print(f"  not by {mode}: {question['question']}")
    return found


async def main(schools: bool) -> None:
    """The sample, and the schools where they are asked for."""
    service, questions = SearchService(), json.loads(QUESTIONS.read_text(encoding="utf-8"))
    await load_sample(service, questions)
    await measured(service, questions)
    if schools:
        service = SearchService()
        await load_schools(service)
        await measured(service, json.loads(SCHOOL_QUESTIONS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schools", action="store_true", help="ask about the schools too")
    asyncio.run(main(parser.parse_args().schools))
