"""The real queue loop, real storage, processes that end: exactly one final record each, whatever happens."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from local.azurite import Azurite
from shared.briefing import FINAL, BriefingSettings, Storage
from tests.briefing.fault_run import BATCH, FaultRun

STEPS = 10
"""Before and after each storage call of a run: read, take, save, put the done message, note that."""
NAMED = re.compile(r"<(i\d+)>")


@pytest.fixture
def run(azurite: Azurite, real_storage: Storage, real_settings: BriefingSettings, tmp_path: Path) -> FaultRun:
    return FaultRun(azurite=azurite, storage=real_storage, settings=real_settings, log=tmp_path / "log.jsonl")


def _first_final(run: FaultRun) -> dict[str, float]:
    first: dict[str, float] = {}
    for line in run.told("final"):
        first.setdefault(line["id"], line["at"])
    return first


def _late_calls(run: FaultRun) -> list[str]:
    """Writer calls for a briefing that was final already. A section's prompt names the id of its briefing."""
    first = _first_final(run)
    return [
        name
        for line in run.told("write")
        for name in NAMED.findall(line["prompt"])
        if line["at"] > first.get(name, float("inf"))
    ]


@pytest.mark.slow
async def test_five_hundred_briefings_under_random_kills(run: FaultRun) -> None:
    total = 500
    run.deaths = "0.002"
    await run.submit(total)
    counts = await run.under_random_kills(total, seconds=40.0, seed=7)
    died = len(run.told("died"))
    finals = [line["id"] for line in run.told("final")]
    print(
        f"\nfault run: {total} briefings, hosts killed {run.killed['host']}, workers killed {run.killed['worker']}, "
        f"workers ended at a storage call {died}; final {counts}; records saved as final {len(finals)}, "
        f"twice {len(finals) - len(set(finals))}; writer calls after a final record {len(_late_calls(run))}"
    )
    assert run.killed["host"] + died >= 3, "the run was not disturbed"
    assert set(counts) <= set(FINAL)
    assert sum(counts.values()) == total
    assert counts["completed"] >= total * 0.9
    assert len(finals) == len(set(finals)), "a final record was written twice"
    assert _late_calls(run) == []
    assert set(await run.done_ids()) == {f"i{number}" for number in range(total)}


@pytest.mark.slow
@pytest.mark.parametrize("step", range(1, STEPS + 1))
async def test_a_worker_that_ends_at_a_step_leaves_one_final_record(run: FaultRun, step: int) -> None:
    run.deaths = f"at:{step}"
    await run.submit(1)
    with run.host() as host:
        counts = await run.finished(30.0, 1)
    assert counts == {"completed": 1}, host.complaints
    assert len(run.told("died")) == 1
    assert len(run.told("final")) == 1
    assert _late_calls(run) == []


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, 5, 6])
async def test_a_host_that_is_killed_at_a_step_leaves_one_final_record(run: FaultRun, step: int) -> None:
    run.deaths = f"host:{step}"
    await run.submit(1)
    with run.host() as first:
        await asyncio.to_thread(first.process.wait, 30)
    progress = await run.briefings().batch(BATCH)
    assert progress.total == 1, "shown as it was left, not lost"
    with run.host() as host:
        counts = await run.finished(30.0, 1)
    assert counts == {"completed": 1}, host.complaints
    assert len(run.told("died")) == 1
    assert len(run.told("final")) == 1
    assert _late_calls(run) == []
