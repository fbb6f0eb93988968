"""What the app reads of host.json and of the settings that override it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shared.settings import load_settings

COUNT = "AzureFunctionsJobHost__extensions__queues__maxDequeueCount"
TIMEOUT = "AzureFunctionsJobHost__functionTimeout"
DEADLINE = "AiAgents__Briefings__DeadlineSeconds"


def host_file(folder: Path, **members: Any) -> Path:
    """A host.json of these members."""
    path = folder / "host.json"
    path.write_text(json.dumps(members), encoding="utf-8")
    return path


def queues(count: Any) -> dict[str, Any]:
    """The part of host.json that counts deliveries."""
    return {"extensions": {"queues": {"maxDequeueCount": count}}}


COUNTS = [
    ({}, {}, 5),
    (queues(3), {}, 3),
    (queues("3"), {}, 5),
    (queues(True), {}, 5),
    ({"extensions": []}, {}, 5),
    (queues(3), {COUNT: "1"}, 1),
    (queues(3), {COUNT.lower(): "7"}, 7),
    (queues(3), {COUNT: ""}, 3),
]


@pytest.mark.parametrize(("members", "environ", "count"), COUNTS)
def test_deliveries(tmp_path: Path, members: dict[str, Any], environ: dict[str, str], count: int) -> None:
    assert load_settings(environ, host_file(tmp_path, **members)).max_dequeue_count == count


DEADLINES = [
    ({"functionTimeout": "00:10:00"}, {}, False),
    ({"functionTimeout": "00:04:00"}, {}, True),
    ({"functionTimeout": "00:10:00"}, {DEADLINE: "600"}, True),
    ({"functionTimeout": "1.00:00:00"}, {DEADLINE: "600"}, False),
    ({"functionTimeout": "00:10:00"}, {TIMEOUT: "00:01:00"}, True),
    ({"functionTimeout": "-1"}, {}, False),
    ({}, {}, False),
]


@pytest.mark.parametrize(("members", "environ", "refused"), DEADLINES)
def test_our_deadline_is_below_that_of_the_host(
    tmp_path: Path, members: dict[str, Any], environ: dict[str, str], refused: bool
) -> None:
    """Reaching the host's own limit restarts the process and everything in it."""
    problems = load_settings(environ, host_file(tmp_path, **members)).problems
    assert (DEADLINE in {problem.setting for problem in problems}) is refused
