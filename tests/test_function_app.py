"""The triggers: names, routes, methods, levels and bindings, against one table."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

HTTP = {
    "search": ("search", ["POST"]),
    "evidence": ("evidence", ["POST"]),
    "citations": ("citations", ["POST"]),
    "citations_stream": ("citations/stream", ["POST"]),
    "answers": ("answers", ["POST"]),
    "context": ("context", ["POST"]),
    "context_remember": ("context/remember", ["POST"]),
    "tool_definition": ("tools/search", ["GET"]),
    "tool_search": ("tools/search", ["POST"]),
    "agent_retrieve": ("agents{key}/retrieve", ["POST"]),
    "agent_retrieve_plain": ("agents/{agentName}/retrieve", ["POST"]),
    "knowledge_base_retrieve": ("knowledgebases{key}/retrieve", ["POST"]),
    "submit_briefings": ("briefings", ["POST"]),
    "get_briefing": ("briefings/{id}", ["GET"]),
    "delete_briefing": ("briefings/{id}", ["DELETE"]),
    "get_batch": ("batches/{id}", ["GET"]),
    "delete_batch": ("batches/{id}", ["DELETE"]),
    "list_batch": ("batches/{id}/briefings", ["GET"]),
    "retry_batch": ("batches/{id}/retries", ["POST"]),
    "briefing_definitions": ("briefing-definitions", ["GET"]),
    "briefing_rejections": ("briefing-rejections", ["GET"]),
    "indexes": ("indexes", ["GET"]),
    "agents": ("agents", ["GET"]),
    "live": ("health/live", ["GET"]),
    "ready": ("health/ready", ["GET"]),
}
QUEUES = {"briefing": "briefings", "briefing_poison": "briefings-poison"}

LISTING = """
import json, sys
sys.path.insert(0, ".")
import function_app
found = {}
for function in function_app.app.get_functions():
    found[function.get_function_name()] = json.loads(function.get_function_json())["bindings"]
print(json.dumps(found))
"""


def bindings(environ: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    """The bindings of every function, as the host reads them, in a process with this environment alone."""
    command = [sys.executable, "-I", "-c", LISTING]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    found: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def registered() -> dict[str, list[dict[str, Any]]]:
    """Everything that an empty environment registers."""
    return bindings({})


def trigger(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The trigger among a function's bindings."""
    return next(binding for binding in found if binding["type"].lower().endswith("trigger"))


def test_an_empty_environment_registers_every_function(registered: dict[str, list[dict[str, Any]]]) -> None:
    of_type = {name: trigger(found)["type"] for name, found in registered.items()}
    assert {name for name, kind in of_type.items() if kind == "httpTrigger"} == HTTP.keys()
    assert {name for name, kind in of_type.items() if kind == "queueTrigger"} == QUEUES.keys()
    assert {name for name, kind in of_type.items() if kind == "timerTrigger"} == {"retention"}


def test_routes_methods_and_levels(registered: dict[str, list[dict[str, Any]]]) -> None:
    for name, (route, methods) in HTTP.items():
        found = trigger(registered[name])
        assert (found["route"], [str(method).upper() for method in found["methods"]]) == (route, methods)
        level = str(found["authLevel"]).upper()
        assert level == ("ANONYMOUS" if name == "live" else "FUNCTION"), name


@pytest.mark.parametrize("mode", ["open", "entra"])
def test_levels_of_the_other_modes(mode: str) -> None:
    found = bindings({"AiAgents__Auth__Mode": mode, "WEBSITE_AUTH_ENABLED": "True"})
    assert {str(trigger(found[name])["authLevel"]).upper() for name in HTTP} == {"ANONYMOUS"}


@pytest.mark.parametrize(
    "environ",
    [
        {"AiAgents__Auth__Mode": "everyone"},
        {"AiAgents__Auth__Mode": "open", "WEBSITE_INSTANCE_ID": "1"},
        {"AiAgents__Auth__Mode": "open", "KUBERNETES_SERVICE_HOST": "10.0.0.1", "WEBSITE_AUTH_ENABLED": "True"},
        {"AiAgents__Auth__Mode": "entra"},
        {"AiAgents__Auth__Mode": "entra", "IDENTITY_ENDPOINT": "http://127.0.0.1"},
    ],
)
def test_an_unusable_mode_keeps_the_keys(environ: dict[str, str]) -> None:
    found = bindings(environ)
    assert str(trigger(found["search"])["authLevel"]).upper() == "FUNCTION"


def test_queues(registered: dict[str, list[dict[str, Any]]]) -> None:
    for name, queue in QUEUES.items():
        found = trigger(registered[name])
        assert (found["queueName"], found["connection"]) == (queue, "BriefingStorage")
        # Given a text, the host lays the message's own members over the trigger's data, so a message could forge its id.
        assert str(found["dataType"]).upper() == "BINARY"
    other = bindings({"AiAgents__Briefings__QueueName": "reports"})
    assert trigger(other["briefing_poison"])["queueName"] == "reports-poison"


def test_no_two_routes_overlap() -> None:
    """The host picks among overlapping routes by function name, not by the better match."""
    for (one, (route, methods)), (other, (route2, methods2)) in combinations(HTTP.items(), 2):
        if set(methods) & set(methods2):
            assert not _may_match_the_same(route, route2), f"{one} and {other}"


def _may_match_the_same(route: str, other: str) -> bool:
    parts, others = route.split("/"), other.split("/")
    return len(parts) == len(others) and all(_alike(one, two) for one, two in zip(parts, others, strict=True))


def _alike(one: str, two: str) -> bool:
    first, second = one.partition("{"), two.partition("{")
    if not first[1] and not second[1]:
        return one == two
    if first[1] and second[1]:
        return first[0].startswith(second[0]) or second[0].startswith(first[0])
    fixed, prefix = (two, first[0]) if first[1] else (one, second[0])
    return fixed.startswith(prefix) and len(fixed) > len(prefix)


def test_the_trigger_file_is_triggers_only() -> None:
    text = (ROOT / "function_app.py").read_text(encoding="utf-8")
    assert "shared.retrieval" not in text
    assert "shared.briefing" not in text
