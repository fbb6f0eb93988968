"""Readiness of briefings: each part by name, in time, without secrets."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from shared.briefing import ReadyCheck, Storage, StorageUnavailable
from shared.briefing.definitions import Definitions
from shared.retrieval import IndexSettings, Problem
from tests.briefing.memory_storage import MemoryBlobs, MemoryQueue
from tests.briefing.workbench import Workbench


class Unreachable(MemoryBlobs):
    """Blobs whose check fails in some way."""

    error: BaseException | None = None

    async def check(self) -> None:
        """Fails, or never comes back."""
        if self.error is not None:
            raise self.error
        await asyncio.sleep(60)


class UnreachableQueue(MemoryQueue):
    """A queue whose check fails."""

    async def check(self) -> None:
        """Fails."""
        raise StorageUnavailable("the briefing storage cannot be reached")


async def _checks(bench: Workbench) -> dict[str, ReadyCheck]:
    return {check.name: check for check in await bench.briefings().check_ready()}


async def test_all_parts_are_named_and_well() -> None:
    checks = await _checks(Workbench())
    assert list(checks) == ["blobs", "queue", "poison_queue", "done_queue", "briefing_definitions"]
    assert all(check.ok and check.code is None and not check.warnings for check in checks.values())


async def test_without_done_messages_there_is_no_queue_for_them() -> None:
    bench = Workbench()
    bench.storage = replace(bench.memory.storage, done=None)
    assert "done_queue" not in await _checks(bench)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (StorageUnavailable("the briefing storage cannot be reached"), "storage_unavailable", "cannot be reached"),
        (None, "storage_unavailable", "did not answer in time"),
        (KeyError("SECRET"), "internal_error", "a reason that is not known"),
    ],
)
async def test_a_part_that_fails_is_named_and_the_others_are_looked_at(
    error: BaseException | None, code: str, text: str
) -> None:
    blobs = Unreachable()
    blobs.error = error
    bench = Workbench()
    bench.storage = replace(bench.memory.storage, blobs=blobs)
    checks = await _checks(bench)
    assert (checks["blobs"].code, checks["blobs"].ok) == (code, False)
    assert text in checks["blobs"].problems[0]
    assert checks["queue"].ok


async def test_a_queue_that_fails_is_named() -> None:
    bench = Workbench()
    bench.storage = Storage(blobs=bench.memory.blobs, queue=bench.memory.queue, poison=UnreachableQueue())
    checks = await _checks(bench)
    assert [name for name, check in checks.items() if not check.ok] == ["poison_queue"]


async def test_a_wrong_definition_is_named_by_file_and_key() -> None:
    broken = Definitions((), (Problem("x.toml: sections[0].prompt", "bad_definition", "{y} is no parameter"),))
    check = (await _checks(Workbench(definitions=broken)))["briefing_definitions"]
    assert (check.code, check.problems) == ("not_configured", ("x.toml: sections[0].prompt: {y} is no parameter",))


async def test_a_definition_that_cannot_be_run_here_is_a_warning() -> None:
    bench = Workbench(indexes=(IndexSettings(name="schools", permission_filter=True),))
    check = (await _checks(bench))["briefing_definitions"]
    assert check.ok
    assert any("school-profile cannot be run" in warning and "token" in warning for warning in check.warnings)
    assert any("inspection-summary cannot be run" in warning and "not configured" in warning for warning in check.warnings)
