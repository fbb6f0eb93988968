"""Every recorded queue scenario of the real Functions host, played with the same app on ours and the real Azurite."""

from __future__ import annotations

import threading
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.azurite import Azurite
from tests.emulators.functions_host import scenarios
from tests.emulators.functions_host.scenarios import Event
from tests.support.host import HostProcess
from tests.truths import load_truth

SCENARIOS: list[dict[str, Any]] = load_truth("functions-host-queue")
# Polling once a second on both sides, on a machine that may be busy; still less than the wait after a failure is long.
TOLERANCE = 2.4
SETTLE_SECONDS = 1.5
LONGEST = 40
SLOW = {
    "functionTimeout 3 s, runs 8 s",
    "functionTimeout 3 s: what else runs in that process",
    "always fails",
    "good and failing together",
    "24 messages that wait one second",
    "runs longer than visibilityTimeout",
    "a function ends the worker process",
    "batchSize 1, newBatchThreshold 0: one at a time",
    "base64 of bytes that are not UTF-8, longer",
    "host told to stop while messages run (SIGTERM)",
}
"""Scenarios whose recorded waits take more than five seconds."""
KILLED = "host killed while a message runs"
STOPPED = "host told to stop while messages run (SIGTERM)"
OTHERS = "functionTimeout 3 s: what else runs in that process"
# Where our times may differ, and why.
OTHER_TIMES = {
    "a function ends the worker process": "the recorded machine needed six seconds to start the worker again; ours less",
}
# Rows that we add, and why.
ADDED = {
    "a function ends the worker process": (
        "the recycled host delivers the message on the poison queue, which exits again; the recording ended before",
        [("briefings-poison", "(poison)", 1)],
    ),
}


@pytest.mark.parametrize(
    "recorded",
    [pytest.param(scenario, marks=pytest.mark.slow if scenario["name"] in SLOW else ()) for scenario in SCENARIOS],
    ids=[scenario["name"] for scenario in SCENARIOS],
)
def test_plays_as_recorded(azurite: Azurite, tmp_path: Path, recorded: dict[str, Any]) -> None:
    scenarios.clear(azurite)
    folder = scenarios.probe_folder(tmp_path / "app", recorded["settings"])
    log = tmp_path / "seen.jsonl"
    environment = {"PROBE_LOG": str(log), "BriefingStorage": azurite.connection_string}
    host = HostProcess(folder, *([] if recorded["name"] == STOPPED else ["--grace", "0"]), environment=environment)
    expected = scenarios.recorded_events(recorded)
    # The longest recording holds its first forty rows and their number.
    recorded_number = recorded["delivery_count"] if len(recorded["deliveries"]) == LONGEST else len(expected)
    number = recorded_number + len(ADDED.get(recorded["name"], ("", []))[1])
    with host:
        put_at = scenarios.put(azurite, scenarios.texts_of(recorded))
        extra = _play_extra(host, recorded["name"], log)
        scenarios.wait_until(lambda: len(scenarios.seen_events(log, put_at)) >= number, recorded["waited_seconds"] + 5)
        # Nothing more may come: half the recorded time is enough to see a message that is given back too early.
        scenarios.wait_until(lambda: len(scenarios.seen_events(log, put_at)) > number, SETTLE_SECONDS)
        seen = scenarios.seen_events(log, put_at)
        assert len(seen) == number
        _compare(recorded["name"], expected, seen)
        counts = {name: int(state["approximate_count"]) for name, state in recorded["left"].items()}
        assert scenarios.wait_until(lambda: scenarios.left(azurite) == counts, 5), scenarios.left(azurite)
        extra()


def _compare(name: str, expected: list[Event], seen: list[Event]) -> None:
    added = ADDED.get(name, ("", []))[1]
    assert not Counter([*(event.key for event in expected), *added]) - Counter(event.key for event in seen)
    for event in expected:
        ours = next(other for other in seen if other.key == event.key)
        if name not in OTHER_TIMES:
            assert ours.at == pytest.approx(event.at, abs=TOLERANCE), event
            if event.invisible is not None:
                assert ours.invisible == pytest.approx(event.invisible, abs=TOLERANCE), event


def _play_extra(host: HostProcess, name: str, log: Path) -> Callable[[], None]:
    """Kills or stops the host where the scenario does; the returned function checks the end."""
    if name == KILLED:
        scenarios.wait_until(log.exists, 5)
        host.kill()
        host.start()
    elif name == STOPPED:
        scenarios.wait_until(lambda: len(log.read_text().splitlines()) == 4 if log.exists() else False, 5)
        assert host.stop() == pytest.approx(10.5, abs=1.5)
    elif name == OTHERS:
        return _call_later(f"{host.url}/api/sleep?s=2.5", 1.5)
    return lambda: None


def _call_later(url: str, seconds: float) -> Callable[[], None]:
    statuses: list[int] = []

    def call() -> None:
        with urllib.request.urlopen(url, timeout=30) as answer:
            statuses.append(answer.status)

    def check() -> None:
        timer.join()
        assert statuses == [200]

    timer = threading.Timer(seconds, call)
    timer.start()
    return check


def test_every_table_row_names_a_scenario() -> None:
    names = {scenario["name"] for scenario in SCENARIOS}
    assert {*SLOW, KILLED, STOPPED, OTHERS, *OTHER_TIMES, *ADDED} <= names
    assert len(SCENARIOS) == 19
