"""Our settings against the measured original: every case agrees or stands in the table below with its reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shared.settings import Settings, load_settings
from tests.truths import load_truth
from tests.truths.rules import Rule, Why

OURS: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("golden_ours.json").read_text(encoding="utf-8"))
"""Our own result where it differs, by case."""
CASES = load_truth("dfe-aisearch-golden")["groups"]["settings"]

RANGES = Rule.RANGES.why
ABSENT = Rule.ABSENT.why
UNKNOWN = Rule.UNKNOWN_KEY.why
ONE_INDEX = Rule.ONE_INDEX.why
IDENTITY = Rule.IDENTITY.why
LISTS = Why("safer", "A list that is none, or holds a blank entry, is a problem instead of an index without fields.")
GIVEN = Why("platform", "Settings are read before anybody gives a credential in code, so a half block is a problem.")
DOTNET = Why("platform", "Dependency injection and Foundry are not here.")

DEVIATIONS: dict[str, Why] = {
    "indexes_list_of_text": ONE_INDEX,
    "index_name_missing": ONE_INDEX,
    "index_name_empty": ONE_INDEX,
    "index_name_blank": ONE_INDEX,
    "index_duplicate": ONE_INDEX,
    "index_duplicate_space": ONE_INDEX,
    "content_fields_text": LISTS,
    "content_fields_with_null": LISTS,
    "unknown_keys": UNKNOWN,
    "max_evidence_1": RANGES,
    "max_evidence_null": ABSENT,
    "max_evidence_empty": ABSENT,
    "relevance_-1": RANGES,
    "relevance_2": RANGES,
    "relevance_null": ABSENT,
    "relevance_empty": ABSENT,
    "relevance_NaN": RANGES,
    "relevance_1e3": RANGES,
    "retries_-1": RANGES,
    "retries_null": ABSENT,
    "retries_empty": ABSENT,
    "credential_none": IDENTITY,
    "credential_empty_block": IDENTITY,
    "credential_passed_wins": GIVEN,
    "services_null": DOTNET,
    "configuration_null": DOTNET,
    "agents_no_credential": DOTNET,
    "agents_search_credential_wins": GIVEN,
    "agents_only_search_credential": DOTNET,
    "agents_no_foundry": DOTNET,
}


def environment_of(configuration: Any) -> dict[str, str]:
    """The configuration as app settings: `__` nests, lists by number, everything a text."""
    flat: dict[str, str] = {}

    def walk(node: Any, name: str) -> None:
        if isinstance(node, dict):
            for key, member in node.items():
                walk(member, f"{name}__{key}" if name else key)
        elif isinstance(node, list):
            for place, member in enumerate(node):
                walk(member, f"{name}__{place}")
        else:
            flat[name] = "" if node is None else str(node)

    walk(configuration, "")
    return flat


def options_of(settings: Settings) -> dict[str, Any] | None:
    """Our settings in the words of the original."""
    found = settings.retrieval
    if found is None:
        return None
    return {
        "Endpoint": found.endpoint.lower(),
        "MinimumRelevanceFilter": found.minimum_relevance,
        "MaxRetryAttempts": found.max_retry_attempts,
        "MaxEvidenceCharacters": found.max_evidence_characters,
        "Indexes": [
            {
                "Name": index.name,
                "ContentFields": list(index.content_fields),
                "SemanticConfiguration": index.semantic_configuration or "",
                "VectorFields": list(index.vector_fields),
            }
            for index in found.indexes
            if index.usable
        ],
    }


def measured_options(case: dict[str, Any]) -> dict[str, Any] | None:
    """What the original read; None where it refused at any stage."""
    options: dict[str, Any] | None = case.get("options")
    if options is None or any(case.get(stage) != "ok" for stage in ("register", "start", "resolve")):
        return None
    indexes = [index | {"SemanticConfiguration": index["SemanticConfiguration"] or ""} for index in options["Indexes"]]
    return options | {"Endpoint": options["Endpoint"].strip().lower(), "Indexes": indexes}


def result_of(settings: Settings) -> dict[str, Any]:
    """Our options and the settings that we complain about."""
    blamed = sorted({problem.setting for problem in settings.problems if problem.setting.startswith("AiAgents")})
    return {"options": options_of(settings), "problems": blamed}


def is_as_measured(ours: dict[str, Any], case: dict[str, Any]) -> bool:
    """Whether both took the settings, as the same options, or both refused them."""
    measured = measured_options(case)
    refused = any(case.get(stage) != "ok" for stage in ("register", "start", "resolve"))
    return refused == bool(ours["problems"] or ours["options"] is None) and ours["options"] == measured


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_agrees_or_differs_as_the_table_says(case: dict[str, Any]) -> None:
    ours = result_of(load_settings(environment_of(case.get("configuration") or {})))
    assert is_as_measured(ours, case) != (case["name"] in DEVIATIONS)
    if case["name"] in DEVIATIONS:
        assert ours == OURS[case["name"]]


def test_counts() -> None:
    reasons = Counter(why.reason for why in DEVIATIONS.values())
    print(f"\nsettings: agree {len(CASES) - len(DEVIATIONS)} {dict(reasons)} of {len(CASES)}")
    assert [problem for why in DEVIATIONS.values() if (problem := why.problem())] == []
    assert DEVIATIONS.keys() == OURS.keys() <= {case["name"] for case in CASES}
    assert reasons["rule"] <= 26
