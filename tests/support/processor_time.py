"""Processor time of this thread, which hardly changes when the machine is busy with other things."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sized
from typing import TypeVar

MOST_RATIO = 2.3
"""Of the times for twice the length."""
TRIES = 4
ENOUGH_SECONDS = 0.0025
"""Less is noise of the clock."""

Given = TypeVar("Given", bound=Sized)


def seconds(work: Callable[[], object]) -> float:
    """The processor time of `work`, without the garbage collector."""
    gc.disable()
    try:
        started = time.thread_time()
        work()
        return time.thread_time() - started
    finally:
        gc.enable()


def is_linear(work: Callable[[Given], object], small: Given, large: Given) -> bool:
    """Return whether the time of `work` grows as the length does. `large` is several times as long as `small`."""
    most = MOST_RATIO ** math.log2(len(large) / len(small))
    for _ in range(TRIES):
        less = min(seconds(lambda: work(small)) for _ in range(3))
        if seconds(lambda: work(large)) <= most * max(less, ENOUGH_SECONDS):
            return True
    return False
