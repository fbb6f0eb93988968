"""Loading JSONL files, over HTTP and in process."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestServer

from emulators.azure_search.analysis.embedding import HashedWords
from emulators.azure_search.load import LoadError, load, load_index, read_documents, read_index
from emulators.azure_search.server import application
from emulators.azure_search.service import SearchService
from tests.truths import measurement

from .hotels import DEFINITION, DOCUMENTS, Caller
from .test_vectors import definition as vector_definition

ROOT = Path(__file__).resolve().parents[3]


def written(folder: Path, definition: dict[str, Any], documents: list[dict[str, Any]]) -> tuple[Path, Path]:
    index, data = folder / "inns-index.json", folder / "inns.jsonl"
    index.write_text(json.dumps(definition), encoding="utf-8")
    data.write_text("\n".join(json.dumps(each, ensure_ascii=False) for each in documents) + "\n\n", encoding="utf-8")
    return index, data


async def test_over_http_twice(tmp_path: Path) -> None:
    service = SearchService(embedder=HashedWords())
    server = TestServer(application(service))
    await server.start_server()
    index, data = written(tmp_path, DEFINITION, DOCUMENTS)
    for _ in range(2):
        assert await load_index(str(server.make_url("/")), index, data) == 4
    assert await Caller(service).keys({"search": "学校"}) == ["3"]
    await server.close()


async def test_in_process() -> None:
    service = SearchService(embedder=HashedWords())
    assert await load(service, DEFINITION, iter(DOCUMENTS)) == 4
    assert len(await Caller(service).keys({"search": "*"})) == 4


async def test_missing_vectors_are_made() -> None:
    service = SearchService(embedder=HashedWords())
    documents = [{"id": "1", "text": "red apple"}, {"id": "2", "text": "red car"}]
    await load(service, vector_definition(), documents, embedder=HashedWords())
    query = {"kind": "text", "text": "a red car", "fields": "w", "k": 1}
    assert await Caller(service).keys({"vectorQueries": [query]}, index="vec") == ["2"]


@pytest.mark.parametrize(
    ("definition", "documents", "message"),
    [
        ({"name": "inns", "fields": []}, [], "The index 'inns' was refused: The request is invalid."),
        (DEFINITION, [{"id": "1"}, {"id": "2", "stars": 3}], "Documents 1 to 2 were refused: .* 1: The property 'stars'"),
    ],
)
async def test_refusals_are_told(definition: dict[str, Any], documents: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(LoadError, match=message):
        await load(SearchService(embedder=HashedWords()), definition, documents)


@pytest.mark.parametrize(("line", "message"), [("{", "line 2: not valid JSON"), ("[1]", "line 2: not a JSON object")])
def test_lines_that_are_no_documents_are_named(tmp_path: Path, line: str, message: str) -> None:
    data = tmp_path / "bad.jsonl"
    data.write_text('{"id": "1"}\n' + line, encoding="utf-8")
    with pytest.raises(LoadError, match=message):
        list(read_documents(data))


@pytest.mark.parametrize(("text", "message"), [("{", "not valid JSON"), ("{}", "an index definition needs a name")])
def test_files_that_are_no_definition_are_named(tmp_path: Path, text: str, message: str) -> None:
    index = tmp_path / "bad.json"
    index.write_text(text, encoding="utf-8")
    with pytest.raises(LoadError, match=message):
        read_index(index)


async def test_command_failures_are_one_line(tmp_path: Path) -> None:
    index, data = written(tmp_path, DEFINITION, DOCUMENTS)
    arguments = ("--data", str(data), "--index", str(index), "--url", "http://127.0.0.1:9")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "emulators.azure_search.load", *arguments, stderr=asyncio.subprocess.PIPE, cwd=ROOT
    )
    _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 1
    assert errors.decode().startswith("Not loaded: ")
    assert errors.decode().count("\n") == 1


async def test_schools_agree_with_a_plain_scan() -> None:
    documents = list(read_documents(measurement("data/establishments.jsonl")))
    service = SearchService(embedder=HashedWords())
    definition = read_index(ROOT / "local" / "data" / "schools-index.json")
    assert await load(service, definition, documents) == len(documents) == 24_069
    caller = Caller(service)
    assert await caller.search({"filter": "urn eq '100000'", "select": "name"}, index="schools") == {
        "value": [{"@search.score": 1.0, "name": "The Aldgate School"}]
    }
    for text, expected in (
        ("number_on_roll ge 1500", sum((each["number_on_roll"] or 0) >= 1500 for each in documents)),
        ("open_date ge 2020-01-01T00:00:00Z", sum((each["open_date"] or "") >= "2020" for each in documents)),
        (
            "is_lead_school and town eq 'Bath'",
            sum(bool(each["is_lead_school"]) and each["town"] == "Bath" for each in documents),
        ),
    ):
        answer = await caller.search({"filter": text, "count": True, "top": 0}, index="schools")
        assert answer["@odata.count"] == expected, text
