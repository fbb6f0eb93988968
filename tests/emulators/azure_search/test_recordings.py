"""The recorded exchanges of the real service, replayed over HTTP by the comparer that comes with them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.truths import measurement

ROOT = Path(__file__).resolve().parents[3]
TOOL = measurement("tools/replay.py")
TABLE = ROOT / "docs" / "search-recordings.md"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["12"])
def replayed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The comparer's report on a freshly started service with so many shards."""
    server = subprocess.Popen(
        [sys.executable, "-m", "emulators.azure_search", "--port", "0", "--shards", request.param],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert server.stdout is not None
    address = server.stdout.readline().split()[-1]
    result = tmp_path_factory.mktemp("replay") / "result.json"
    try:
        command = [sys.executable, str(TOOL), address, "--settle", "0.1", "--json", str(result)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        yield json.loads(result.read_text(encoding="utf-8"))
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


FLOORS = {
    "status": (92, 92),
    "shape": (85, 85),
    "set": (55, 54),
    "order": (42, 41),
    "scores": (36, 28),
    "facets": (6, 6),
    "highlights": (3, 3),
    "error body": (12, 12),
    "values": (76, 75),
    "whole pairs": (87, 78),
}
"""By level, how many pairs hold with twelve shards and with one."""


@pytest.mark.parametrize("replayed", ["12", "1"], indirect=True)
def test_as_many_pairs_hold_as_before(replayed: dict[str, Any], request: pytest.FixtureRequest) -> None:
    place = 0 if "12" in request.node.name else 1
    held = {level: replayed["totals"][level]["holds"] for level in FLOORS}
    assert {level: count for level, count in held.items() if count < FLOORS[level][place]} == {}


def test_no_set_up_was_refused(replayed: dict[str, Any]) -> None:
    assert {name: world["adapted"] for name, world in replayed["set_up"].items() if world["adapted"]} == {}


def test_table_names_every_pair(replayed: dict[str, Any]) -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+#\d+)` \| (\w+) \|", TABLE.read_text(encoding="utf-8"), re.MULTILINE))
    found = {each["pair"]: "whole" if all(each["levels"].values()) else "part" for each in replayed["pairs"]}
    assert rows == found


def test_differences_have_reasons(replayed: dict[str, Any]) -> None:
    text = TABLE.read_text(encoding="utf-8")
    for pair in replayed["pairs"]:
        if not all(pair["levels"].values()):
            row = next(line for line in text.splitlines() if line.startswith(f"| `{pair['pair']}` |"))
            assert len(row.split("|")[3].strip()) > 20, pair["pair"]
