"""Work counted, not timed: the lines of Python that a call runs, which no busy machine changes.

Work inside a regular expression or another call into C is not counted; `bench/` measures that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sized
from types import FrameType
from typing import Any, TypeVar

SLACK = 1.2
"""How much more than its share the longer input may take."""
START = 500
"""Lines that a first call may run once, such as filling a cache."""

Given = TypeVar("Given", bound=Sized)


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python `work` runs, in this thread."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def is_linear(work: Callable[[Given], object], small: Given, large: Given) -> bool:
    """Return whether the lines that `work` runs grow as the length does; `large` is several times as long as `small`."""
    share = len(large) / len(small)
    return lines_run(lambda: work(large)) <= SLACK * share * lines_run(lambda: work(small)) + START
