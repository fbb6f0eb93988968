"""Work that takes the processor long goes to a thread, so that the event loop stays free meanwhile.

The sizes say from where on a kind of work may take about 20 ms.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

LONG_BODY_BYTES = 8 * 1024
"""A request body: a list of values in a filter is the slowest thing that it can hold."""
LONG_REPLY_BYTES = 256 * 1024
"""A reply of the search service, which is parsed."""
LONG_EVIDENCE_CHARACTERS = 60_000
"""Texts of hits, which become evidence."""
LONG_ANSWER_CHARACTERS = 20_000
"""An answer or a prompt with evidence, which is read, checked and written out."""


async def run_in_thread_if(long: bool, work: Callable[[], Result]) -> Result:
    """The result of `work`, done in a thread when it is `long`."""
    return await asyncio.to_thread(work) if long else work()
