"""Other parameters than those of the three files do what they say: two variants of dev, evaluated by the compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.inventory import Grant, grants
from scripts.snapshots import load, take

from . import resource_rules, setting_rules
from .reading import (
    DIAGNOSTICS,
    METRIC_ALERT,
    SEARCH,
    SITE,
    STORAGE,
    app_settings,
    names,
    only,
    resources,
    texts_in,
    value_at,
)
from .template import copy_template, edited, needs_compiler

pytestmark = [needs_compiler, pytest.mark.slow]

SENDER = "33333333-3333-4333-8333-333333333333"
LARGE = (
    ("pythonVersion: '3.12'", "pythonVersion: '3.13'"),
    ("alwaysReady: 0", "alwaysReady: 3"),
    ("zoneRedundant: false", "zoneRedundant: true"),
    ("queryLogging: false", "queryLogging: true"),
    ("tracePercent: 100", "tracePercent: 7"),
    ("queue: 'briefings'", "queue: 'jobs'\n  doneQueue: 'jobs-done'"),
    ("param indexes", f"param senders = ['{SENDER}']\nparam allowedOrigins = ['https://app.example.org']\nparam indexes"),
)
SHARED_SEARCH = "search = { kind: 'existing', name: 'shared', resourceGroup: 'rg-shared' }\n\nparam model"


def evaluated(folder: Path, text: str) -> dict[str, Any]:
    """The snapshot of a parameter file with this text."""
    template = copy_template(folder)
    (template / "main.dev.bicepparam").write_text(text)
    assert take(template / "main.dev.bicepparam", "overwrite") == ""
    return load("dev", template)


def good_text(folder: Path) -> str:
    """The parameter file that the variants differ from."""
    folder.mkdir()
    return (copy_template(folder) / "main.dev.bicepparam").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Everything turned up."""
    folder = tmp_path_factory.mktemp("large")
    text = good_text(folder / "good")
    for good, changed in LARGE:
        text = edited(text, good, changed)
    return evaluated(folder, text)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A search service of another resource group, in the same subscription."""
    folder = tmp_path_factory.mktemp("shared")
    text = good_text(folder / "good")
    before, after = text.split("search = {", 1)[0], text.split("param model", 1)[1]
    return evaluated(folder, before + SHARED_SEARCH + after)


def test_large_variant_keeps_every_rule_but_the_one_it_was_asked_to_leave(large: dict[str, Any]) -> None:
    rules = {*resource_rules.RULES, *setting_rules.RULES} - {setting_rules.query_logging}
    assert [problem for rule in rules for problem in rule(large)] == []


def test_query_logging_is_on_when_asked_for(large: dict[str, Any]) -> None:
    assert [text for entry in resources(large, DIAGNOSTICS) for text in texts_in(entry) if text == "OperationLogs"] == [
        "OperationLogs"
    ]


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        (STORAGE, "sku.name", "Standard_ZRS"),
        ("Microsoft.Web/serverfarms", "properties.zoneRedundant", True),
        (SITE, "properties.functionAppConfig.runtime.version", "3.13"),
        (SITE, "properties.functionAppConfig.scaleAndConcurrency.alwaysReady", [{"name": "http", "instanceCount": 3}]),
        (SITE, "properties.functionAppConfig.scaleAndConcurrency.triggers.http.perInstanceConcurrency", 32),
        (SITE, "properties.siteConfig.cors.allowedOrigins", ["https://app.example.org"]),
    ],
)
def test_hosting_is_as_asked_for(large: dict[str, Any], kind: str, path: str, value: Any) -> None:
    assert value_at(only(large, kind), path) == value


def test_settings_follow_the_parameters(large: dict[str, Any]) -> None:
    settings = app_settings(large)
    assert settings["OTEL_TRACES_SAMPLER_ARG"] == "0.07"
    assert settings["AiAgents__Briefings__QueueName"] == "jobs"
    assert settings["AiAgents__Briefings__DoneQueueName"] == "jobs-done"
    assert "PYTHON_ISOLATE_WORKER_DEPENDENCIES" not in settings


def test_sender_may_send_and_nothing_else(large: dict[str, Any]) -> None:
    assert [grant for grant in grants(large) if grant.identity == "sender"] == [
        Grant("sender", "Storage Queue Data Message Sender", "briefing queue")
    ]


def test_queues_have_the_names_asked_for(large: dict[str, Any]) -> None:
    assert sorted(names(large, f"{STORAGE}/queueServices/queues")) == ["jobs", "jobs-done", "jobs-poison"]


def test_shared_search_service_is_read_and_watched_but_not_made(shared: dict[str, Any]) -> None:
    assert resources(shared, SEARCH) == []
    assert Grant("app", "Search Index Data Reader", "search service") in grants(shared)
    assert app_settings(shared)["AiAgents__AISearch__Endpoint"] == "https://shared.search.windows.net"
    (alert,) = resources(shared, METRIC_ALERT)
    assert "/resourceGroups/rg-shared/" in alert["properties"]["scopes"][0]
