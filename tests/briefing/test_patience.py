"""Waiting for temporary faults: as asked, as long as it fits, and not on top of what others have repeated."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from shared.answers import DailyLimit, ModelFailed, ModelThrottled
from shared.briefing import StorageUnavailable
from shared.briefing.lease import Patience
from shared.retrieval import RetrievalError, SearchFailed, SearchThrottled, SearchTimeout


class Clock:
    """A clock on which only waiting takes time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        """The seconds waited."""
        return self.seconds

    def date(self) -> datetime:
        """Of no interest."""
        return datetime(2026, 1, 1, tzinfo=UTC)

    async def pause(self, seconds: float) -> None:
        """Waits."""
        self.waits.append(seconds)
        self.seconds += seconds


@pytest.mark.parametrize(
    ("faults", "waits"),
    [
        pytest.param([], [], id="none"),
        pytest.param([ModelThrottled("x", retry_after=20.0)] * 3, [20.0] * 3, id="as asked"),
        pytest.param([SearchThrottled("x", retry_after=0.0)], [1.0], id="asked for nothing"),
        pytest.param([SearchFailed("x", retry_after=3.0)], [3.0], id="once as long as it takes"),
        pytest.param([StorageUnavailable("x")], [1.0], id="once a second"),
    ],
)
async def test_a_fault_that_passes_is_waited_out(faults: list[RetrievalError], waits: list[float]) -> None:
    clock, left = Clock(), list(faults)

    async def work() -> str:
        if left:
            raise left.pop()
        return "done"

    assert await Patience(240.0, clock).attempt(work) == "done"
    assert clock.waits == waits


@pytest.mark.parametrize(
    ("fault", "tries"),
    [
        (SearchFailed("x", retry_after=3.0), 2),
        (SearchTimeout("x"), 2),
        (ModelFailed("x"), 2),
        (StorageUnavailable("x"), 2),
        (SearchThrottled("x", retry_after=1.0), 11),
        (ModelThrottled("x", retry_after=100.0), 3),
        (ModelThrottled("x", retry_after=217.0), 1),
        (DailyLimit("x", retry_after=40_000.0), 1),
    ],
)
async def test_a_fault_that_stays_is_raised_in_time(fault: RetrievalError, tries: int) -> None:
    clock, made = Clock(), [0]

    async def work() -> str:
        made[0] += 1
        raise fault

    with pytest.raises(type(fault), match="x"):
        await Patience(240.0, clock).attempt(work)
    assert made == [tries]
    assert clock.seconds < 240.0


async def test_what_is_no_temporary_fault_is_raised_at_once() -> None:
    clock = Clock()

    async def work() -> str:
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        await Patience(240.0, clock).attempt(work)
    assert clock.waits == []
