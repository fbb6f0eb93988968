"""Retention: old blobs go, young ones stay, and a pointer stays at least as long as its record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from shared.briefing import BriefingNotFound, Storage
from shared.briefing.retention import remove_expired
from tests.briefing.workbench import NOBODY, Workbench, profile


async def test_what_is_old_goes_and_its_pointer_after_it() -> None:
    bench = Workbench()
    blobs = bench.memory.blobs
    await bench.submitted("old")
    await bench.briefings().handle_message(b"{", "m")
    blobs.lag_seconds = 30 * 86_400.0
    await bench.submitted("young")
    moment = datetime.now(UTC) + timedelta(days=91)
    assert await remove_expired(blobs, 90, moment) == 2
    assert set(blobs.blobs) == {"ids/old.json", "ids/young.json", "records/b1~young.json"}
    with pytest.raises(BriefingNotFound, match="no briefing"):
        await bench.view("old")
    assert await remove_expired(blobs, 90, moment + timedelta(days=8)) == 1
    assert set(blobs.blobs) == {"ids/young.json", "records/b1~young.json"}


async def test_the_briefings_remove_by_their_setting() -> None:
    bench = Workbench()
    bench.memory.blobs.lag_seconds = -bench.settings.retention_days * 86_400.0 - 10
    await bench.submitted("a")
    assert await bench.briefings().remove_expired() == 1


async def test_real_storage(real_storage: Storage) -> None:
    bench = Workbench(storage=real_storage)
    await bench.briefings().submit("b1", [profile("a"), profile("b")], NOBODY)
    assert await remove_expired(real_storage.blobs, 90, datetime.now(UTC)) == 0
    assert await remove_expired(real_storage.blobs, 90, datetime.now(UTC) + timedelta(days=99)) == 4
