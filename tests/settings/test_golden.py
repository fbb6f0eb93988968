"""Our settings against the measured original: every case agrees or stands in the table below with its reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from shared.settings import Settings, load_settings
from tests.truth import load_truth

CASES = load_truth("dfe-aisearch-golden.json")["groups"]["settings"]

RANGES = "spec 2: MinimumRelevanceFilter is 0–1, MaxEvidenceCharacters at least 400, retries not negative"
ABSENT = "spec 2: a list or number given as null or blank counts as absent"
UNKNOWN = "spec 2: an unknown key is a problem"
IDENTITY = "spec 11: without an Authentication block the app's managed identity is used"
LISTS = "safer: a list that is none, or holds a blank entry, is a problem instead of an index without fields"
GIVEN = "platform: settings are read before anybody gives a credential in code, so a half block is a problem"
DOTNET = "platform: dependency injection and Foundry, which are not here"

DEVIATIONS: dict[str, str] = {
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
        ],
    }


def measured_options(case: dict[str, Any]) -> dict[str, Any] | None:
    """What the original read; None where it refused at any stage."""
    options: dict[str, Any] | None = case.get("options")
    if options is None or any(case.get(stage) != "ok" for stage in ("register", "start", "resolve")):
        return None
    indexes = [index | {"SemanticConfiguration": index["SemanticConfiguration"] or ""} for index in options["Indexes"]]
    return options | {"Endpoint": options["Endpoint"].strip().lower(), "Indexes": indexes}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_agrees_or_stands_in_the_table(case: dict[str, Any]) -> None:
    ours = options_of(load_settings(environment_of(case.get("configuration") or {})))
    if case["name"] in DEVIATIONS:
        assert ours != measured_options(case), "agrees by now: take it out of the table"
    else:
        assert ours == measured_options(case)


def test_counts() -> None:
    reasons = Counter(reason.split()[0].rstrip(":") for reason in DEVIATIONS.values())
    print(f"\nsettings: agree {len(CASES) - len(DEVIATIONS)} {dict(reasons)} of {len(CASES)}")
    assert DEVIATIONS.keys() <= {case["name"] for case in CASES}
    assert reasons["spec"] <= 20
