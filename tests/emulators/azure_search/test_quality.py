"""Floors of ranking quality, so that a change of ranking shows."""

from __future__ import annotations

import json
from pathlib import Path

from bench.search_quality import DEFINITION, measure
from bench.search_questions import QUESTIONS, found_in, load_sample
from emulators.azure_search.analysis.embedding import HashedWords
from emulators.azure_search.load import load, read_documents
from emulators.azure_search.service import SearchService
from tests.truths import measurement

ROOT = Path(__file__).resolve().parents[3]


async def test_keyword_search_on_cranfield() -> None:
    cranfield = measurement("data/cranfield")
    service = SearchService(embedder=HashedWords(384))
    await load(service, DEFINITION, read_documents(cranfield / "documents.jsonl"))
    mean, _ = await measure(service, "keyword", list(read_documents(cranfield / "queries.jsonl")))
    assert mean >= 0.49


async def test_questions_in_other_words() -> None:
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    service = SearchService()
    await load_sample(service, questions)
    found = {mode: await found_in(service, mode, questions) for mode in ("keyword", "hybrid", "hybrid + semantic-like")}
    assert sum(found["hybrid"]) >= 22 > sum(found["keyword"])
    assert sum(found["hybrid + semantic-like"]) >= 26
    at = [each["question"] for each in questions].index("child protection issues")
    assert (found["keyword"][at], found["hybrid"][at], found["hybrid + semantic-like"][at]) == (False, True, True)
