"""What docs/briefings.md shows is so: its examples run, its tables agree with the code and with host.json."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from shared.briefing import FINAL, BriefingSettings
from shared.briefing.definitions import read_definition
from shared.briefing.messages import Message, read_message
from shared.retrieval import Evidence
from tests.briefing.doubles import evidence_from, sample

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "briefings.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    [block] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(block)


class Retrieval:
    """Finds the first sample school."""

    async def evidence(self, index: str, query: str, *, size: int = 10) -> Evidence:
        """Evidence of it."""
        return evidence_from(sample(index)[:size], index)


async def test_the_python_example_prints_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    body = textwrap.indent(_block("python"), "    ")
    names: dict[str, Any] = {"retrieval": Retrieval()}
    exec(f"async def example():\n{body}", names)
    await names["example"]()
    assert capsys.readouterr().out == _block("text")


def test_the_definition_is_one(tmp_path: Path) -> None:
    path = tmp_path / "school-profile.toml"
    path.write_text(_block("toml"), encoding="utf-8")
    definition, problems = read_definition(path)
    assert problems == ()
    assert definition is not None
    assert definition.synthesis is not None


def test_the_message_is_one() -> None:
    assert isinstance(read_message(_block("json").encode()), Message)


def test_every_final_status_has_its_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE[PAGE.index("| final | when |") :], re.MULTILINE)
    assert tuple(rows[: len(FINAL)]) == FINAL


def test_the_values_of_the_host_are_those_of_host_json() -> None:
    host = json.loads((ROOT / "host.json").read_text(encoding="utf-8"))
    queues = host["extensions"]["queues"]
    for name in ("maxDequeueCount", "visibilityTimeout", "messageEncoding", "maxPollingInterval"):
        assert f"| `{name}` | {queues[name]} |" in PAGE
    assert f"| `batchSize`, `newBatchThreshold` | {queues['batchSize']}, {queues['newBatchThreshold']} |" in PAGE
    assert f"| `functionTimeout` | {host['functionTimeout']} |" in PAGE


def test_a_run_and_the_longest_wait_before_it_fit_the_functions_time() -> None:
    host = json.loads((ROOT / "host.json").read_text(encoding="utf-8"))
    hours, minutes, seconds = map(int, host["functionTimeout"].split(":"))
    settings = BriefingSettings()
    assert settings.deadline_seconds + 3 * settings.lease_seconds + 30 < hours * 3600 + minutes * 60 + seconds


@pytest.mark.parametrize("prefix", ["ids/", "records/", "requests/", "rejections/", "deleted/", "tokens/"])
def test_every_kind_of_blob_is_told(prefix: str) -> None:
    assert f"| `{prefix}" in PAGE
