"""The canary suite: every route and the queue, their good and bad calls, every fault behind them; nothing leaves.

Taking one hook away must let canaries out, or the suite would prove nothing.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.telemetry.schema import SPANS
from tests.support.host import ROOT
from tests.support.ingestion import tree

from .calls import quick_calls, tool_calls
from .canaries import CANARIES, CONTENT, SECRETS, found_in
from .canary_run import MESSAGES, CanaryRun, Plan, ran
from .hostile import FAULTS

pytestmark = pytest.mark.slow

ALLOW_LIST = "shared/telemetry/allow_list.py"
HOOKS = {
    "redaction of texts": (ALLOW_LIST, "allow_list.redactor.redact(value, rule.kind)", "value", "ingestion"),
    "closed logs": ("shared/telemetry/logging.py", "handler.addFilter(self._filter)", "pass", "stdout and stderr"),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CanaryRun]:
    """The whole suite, run once."""
    with ran(Plan(tmp_path_factory.mktemp("canaries"))) as finished:
        yield finished


def test_no_canary_leaves(run: CanaryRun) -> None:
    kinds = {envelope["data"]["baseType"] for envelope in run.ingestion.envelopes}
    sent = len(run.statuses) + len(tool_calls()) + 2 * len(MESSAGES)
    print(
        f"{sent} calls and messages, {len(CANARIES)} canaries, {len(run.ingestion.envelopes)} signals, leaks: {run.leaks()}"
    )
    assert run.leaks() == {}
    assert kinds == {"RemoteDependencyData", "MessageData", "MetricData"}


def test_no_call_fails_by_a_fault_of_ours(run: CanaryRun) -> None:
    assert {name: status for name, status in run.statuses.items() if status == 500} == {}


def test_the_calls_reached_the_faults_behind_the_app(run: CanaryRun) -> None:
    seen = {name.partition(" ")[2] for name in run.hostile.seen if name.startswith("search ")}
    assert {*FAULTS, ""} <= seen
    assert {name.partition(" ")[2] for name in run.hostile.seen if name.startswith("model ")} >= {*FAULTS, ""} - {"slow"}


def test_operators_saw_what_happened(run: CanaryRun) -> None:
    spans = {span["name"] for span in run.ingestion.spans()}
    assert spans >= SPANS.keys() - {"synthesis", "erase"}
    events = {event["message"] for event in run.ingestion.events()}
    assert events >= {"search_refused", "index_misconfigured", "briefing_finished", "briefing_rejected", "poison_message"}
    failed = {span["properties"].get("app.error.type") for span in run.ingestion.spans() if span["name"] == "search"}
    assert failed >= {"search_throttled", "search_failed", "search_timeout", "search_refused", "index_misconfigured"}


def test_tools_of_agent_hosts_were_called(run: CanaryRun) -> None:
    tools = {span["properties"].get("app.tool") for span in run.ingestion.spans() if span["name"] == "tool"}
    assert tools == {"search", "evidence", "resolve_citations"}


def test_every_span_of_a_call_is_under_its_request(run: CanaryRun) -> None:
    (evidence, *_) = [span for span in run.ingestion.spans() if span["name"] == "evidence"]
    trace = [s for s in run.ingestion.spans() if s["tags"]["ai.operation.id"] == evidence["tags"]["ai.operation.id"]]
    drawn = tree(trace)
    assert drawn.startswith("http_request (")
    assert re.search(r"\n {4,}search \(", drawn)


@pytest.mark.parametrize("hook", HOOKS)
def test_without_one_hook_canaries_are_found(hook: str, tmp_path: Path) -> None:
    file, old, new, place = HOOKS[hook]
    with ran(Plan(tmp_path / "files", project=_changed_app(tmp_path, file, old, new), calls=quick_calls())) as run:
        assert run.leaks().keys() == {place}


def test_the_gate_holds_what_admission_forgets(tmp_path: Path) -> None:
    old = "return SafeStr(allow_list.redactor.redact(value, rule.kind)[:MAX_TEXT_CHARACTERS])"
    with ran(Plan(tmp_path / "files", project=_changed_app(tmp_path, ALLOW_LIST, old, "return value"))) as run:
        assert run.leaks() == {}
        assert run.ingestion.spans()


def test_with_the_switch_on_content_is_shown_and_secrets_are_not(tmp_path: Path) -> None:
    switch = {"AiAgents__Telemetry__EnableSensitiveTelemetryData": "true"}
    with ran(Plan(tmp_path, settings=switch, calls=quick_calls())) as run:
        leaks = run.leaks()
        assert leaks.keys() == {"ingestion"}
        assert leaks["ingestion"] & set(SECRETS) == set()
        shown = found_in(run.ingestion.text, CONTENT)
        assert shown >= {"query", "filter_value", "raw_filter", "document_text", "prompt", "model_reply", "answer"}
        assert shown >= {"parameter", "briefing_id", "batch_id"}
        assert "telemetry_sensitive" in {event["message"] for event in run.ingestion.events()}


def _changed_app(folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of the app with one line changed."""
    copy = folder / "app"
    (folder / "files").mkdir()
    shutil.copytree(ROOT / "shared", copy / "shared", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("function_app.py", "host.json"):
        shutil.copy(ROOT / name, copy / name)
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text, f"{file} no longer holds {old!r}"
    (copy / file).write_text(text.replace(old, new), encoding="utf-8")
    return copy
