"""Work side by side: all of it, or the first error and the rest cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")


async def together(works: Sequence[Awaitable[T]]) -> list[T]:
    """The results in order. The first error ends the others before it is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        # Nothing may go on in the background: a later write would come after the caller's reply.
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def for_each(items: Iterable[S], work: Callable[[S], Awaitable[T]], at_once: int) -> list[T]:
    """The results of the work on each item, in order, so many at once."""
    limit = asyncio.Semaphore(at_once)

    async def one(item: S) -> T:
        async with limit:
            return await work(item)

    return await together([one(item) for item in items])
