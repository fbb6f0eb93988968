"""Places for writers: halved when the model throttles, given back by success, and never none."""

from __future__ import annotations

import asyncio

import pytest

from shared.answers import ModelThrottled
from shared.briefing.work_limit import WorkLimit


class Moment:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


async def throttled(limit: WorkLimit) -> None:
    with pytest.raises(ModelThrottled):
        async with limit.place():
            raise ModelThrottled("x")


async def test_throttling_halves_the_places_once_a_second() -> None:
    clock = Moment()
    limit = WorkLimit(24, clock)
    seen = []
    for second in (0.0, 0.1, 0.2, 1.2, 2.2, 3.2, 4.2, 5.2):
        clock.seconds = second
        await throttled(limit)
        seen.append(limit.places)
    assert seen == [12, 12, 12, 6, 3, 1, 1, 1]


async def test_success_gives_places_back() -> None:
    limit = WorkLimit(4, Moment())
    await throttled(limit)
    assert limit.places == 2
    for _ in range(20):
        async with limit.place():
            pass
    assert limit.places == 4


async def test_no_more_than_the_places_are_at_work() -> None:
    limit, at_work, most = WorkLimit(3, Moment()), 0, 0

    async def work() -> None:
        nonlocal at_work, most
        async with limit.place():
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0)
            at_work -= 1

    await asyncio.gather(*(work() for _ in range(30)))
    assert most == 3


async def test_a_cancelled_wait_takes_no_place() -> None:
    limit = WorkLimit(1, Moment())
    async with limit.place():
        waiting = asyncio.create_task(_held(limit))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(_held(limit), 5)


async def _held(limit: WorkLimit) -> None:
    async with limit.place():
        pass
