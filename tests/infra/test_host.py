"""host.json agrees with what the platform takes and with what the code expects, and each rule is seen to fail (FUNC-04)."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from emulators.functions_host.timespan import parse_timespan
from shared.briefing import BriefingSettings
from shared.settings import load_settings

from .reading import value_at

ROOT = Path(__file__).resolve().parents[2]
CLOCK = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?")
EXPECTED = {
    "version": "2.0",
    "telemetryMode": "OpenTelemetry",
    "extensionBundle.id": "Microsoft.Azure.Functions.ExtensionBundle",
    "extensionBundle.version": "[4.0.0, 5.0.0)",
    "extensions.http.routePrefix": "api",
    "extensions.queues.messageEncoding": "none",
    "extensions.mcp.encryptClientState": True,
    "extensions.mcp.system": None,
}
Host = Mapping[str, Any]
Rule = Callable[[Host], Iterator[str]]


def host() -> dict[str, Any]:
    """The committed host.json."""
    content: dict[str, Any] = json.loads((ROOT / "host.json").read_text(encoding="utf-8"))
    return content


def expected_values(content: Host) -> Iterator[str]:
    """Schema, bundle with identity-based queues and MCP, telemetry, route prefix, one encoding; MCP keeps its key."""
    yield from (
        f"{path} is {value_at(content, path)!r}" for path, value in EXPECTED.items() if value_at(content, path) != value
    )


def levels(content: Host) -> Iterator[str]:
    """Queue settings count under `extensions.queues` only; at any other level they are ignored without a word."""
    known = {"version", "extensionBundle", "telemetryMode", "functionTimeout", "logging", "extensions"}
    yield from (f"{name} at the top" for name in content if name not in known)
    yield from (f"extensions.{name}" for name in content["extensions"] if name not in ("http", "queues", "mcp"))


def spans(content: Host) -> Iterator[str]:
    """Times are hh:mm:ss; a bare number would be days."""
    for path in ("functionTimeout", "extensions.queues.visibilityTimeout", "extensions.queues.maxPollingInterval"):
        if not CLOCK.fullmatch(str(value_at(content, path))):
            yield f"{path} is no hh:mm:ss"


def deadline(content: Host) -> Iterator[str]:
    """Our own deadline ends a briefing well before the platform restarts the whole process."""
    timeout = parse_timespan(str(content["functionTimeout"]))
    if timeout < timedelta(seconds=BriefingSettings().deadline_seconds) + timedelta(seconds=30):
        yield "functionTimeout does not leave room for the deadline"
    if timeout < timedelta(seconds=most_seconds_in_bicep()) + timedelta(seconds=30):
        yield "functionTimeout does not leave room for the longest deadline that the parameters take"


def queues(content: Host) -> Iterator[str]:
    """Within what the host takes, and with a pause after a failure: at 0 all deliveries burn within a second."""
    found = value_at(content, "extensions.queues") or {}
    if not 1 <= found.get("batchSize", 16) <= 32:
        yield "batchSize is from 1 to 32"
    if "newBatchThreshold" not in found:
        yield "newBatchThreshold is left to the platform"
    if not found.get("maxDequeueCount", 5) >= 2:
        yield "maxDequeueCount leaves no second try"
    if parse_timespan(str(found.get("visibilityTimeout", "0"))) < timedelta(seconds=10):
        yield "visibilityTimeout is no pause"


def most_seconds_in_bicep() -> int:
    """The longest DeadlineSeconds that infra/types.bicep takes."""
    text = (ROOT / "infra" / "types.bicep").read_text(encoding="utf-8")
    found = re.search(r"@maxValue\((\d+)\)\s*AiAgents__Briefings__DeadlineSeconds", text)
    assert found is not None, "infra/types.bicep no longer bounds DeadlineSeconds"
    return int(found[1])


BREAKS: dict[Rule, tuple[tuple[str, Any], ...]] = {
    expected_values: (*((path, "broken") for path in EXPECTED), ("extensionBundle.version", "[3.3.0, 4.0.0)")),
    levels: (("queues.batchSize", 4), ("extensions.queue.batchSize", 4), ("concurrency.dynamicConcurrencyEnabled", True)),
    spans: (
        ("functionTimeout", "-1"),
        ("extensions.queues.visibilityTimeout", 30),
        ("extensions.queues.maxPollingInterval", "2000"),
    ),
    deadline: (("functionTimeout", "00:04:00"), ("functionTimeout", "00:09:00")),
    queues: (
        ("extensions.queues.batchSize", 64),
        ("extensions.queues.maxDequeueCount", 1),
        ("extensions.queues.visibilityTimeout", "00:00:00"),
        ("extensions.queues", {"batchSize": 4, "visibilityTimeout": "00:00:30"}),
    ),
}
CASES = [(rule, path, value) for rule, broken in BREAKS.items() for path, value in broken]


@pytest.mark.parametrize("rule", BREAKS, ids=lambda rule: rule.__name__)
def test_host_keeps_rule(rule: Rule) -> None:
    assert list(rule(host())) == []


@pytest.mark.parametrize(("rule", "path", "value"), CASES, ids=[f"{rule.__name__}-{path}" for rule, path, _ in CASES])
def test_rule_fails_on_broken_copy(rule: Rule, path: str, value: Any) -> None:
    broken = copy.deepcopy(host())
    *steps, last = path.split(".")
    node: Any = broken
    for step in steps:
        node = node.setdefault(step, {})
    node[last] = value
    assert list(rule(broken)) != []


def test_code_counts_deliveries_as_the_host_does() -> None:
    assert load_settings({}, ROOT / "host.json").max_dequeue_count == value_at(host(), "extensions.queues.maxDequeueCount")


def test_queue_table_of_the_docs_shows_the_values() -> None:
    text = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    table = text.split("<!-- queue -->")[1].split("<!-- /queue -->")[0]
    rows = dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| .+ \|$", table, re.MULTILINE))
    shown = {**host()["extensions"]["queues"], "functionTimeout": host()["functionTimeout"]}
    assert rows == {name: str(value) for name, value in shown.items()}
