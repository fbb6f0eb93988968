"""Work on the processor that takes more than about 20 ms goes to a thread, so that other calls go on meanwhile (spec 1)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from .requests import Request

LONG_BODY_BYTES = 8 * 1024
"""Bodies above this may take that long to read: a list of values in a filter is the slowest thing they can hold."""

Result = TypeVar("Result")


async def away_when(long: bool, work: Callable[[], Result]) -> Result:
    """What `work` gives, done in a thread when it is `long`."""
    return await asyncio.to_thread(work) if long else work()


def is_long(request: Request) -> bool:
    """Whether what the request holds may take long to read."""
    return len(request.body) > LONG_BODY_BYTES
