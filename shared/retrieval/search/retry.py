"""Tries of one call: bounded in number and in time, with the waits that the service asks for."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from ..errors import TemporaryError

# Time for waits between tries, as a seam: tests count the waits instead of waiting.


class Clock(Protocol):
    """Seconds that pass, the date, and a pause."""

    def now(self) -> float:
        """Seconds from an arbitrary start; never goes back."""

    def date(self) -> datetime:
        """The date and time, with its zone."""

    async def pause(self, seconds: float) -> None:
        """Wait that long."""


class _SystemClock:
    def now(self) -> float:
        """Seconds of the machine's monotonic clock."""
        return time.monotonic()

    def date(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)

    async def pause(self, seconds: float) -> None:
        """Sleep in the running loop."""
        await asyncio.sleep(seconds)


SYSTEM_CLOCK: Clock = _SystemClock()


T = TypeVar("T")

_FIRST_WAIT = 0.8
_JITTER = 0.2
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)


class RetryableError(Exception):
    """A try failed in a way that the next may not. `error` is what is raised when there is no next."""

    def __init__(self, error: TemporaryError, wait: float | None = None, status: int | None = None) -> None:
        super().__init__()
        self.error = error
        self.wait = wait
        self.status = status


@dataclass(slots=True)
class RetryBudget:
    """The tries of one search: at most `retries` more than the first, all within `seconds` from `started`."""

    retries: int
    seconds: float
    clock: Clock
    started: float
    made: int = 0
    sent: bool = False
    """Whether a request has left: until then it waits for a token."""
    status: int | None = None
    """HTTP status of the last reply, for telemetry; None while none came."""

    def leave(self) -> None:
        """A request has its token and leaves."""
        self.sent = True

    async def run(self, send: Callable[[], Awaitable[T]]) -> T:
        """What `send` gives. Raises the error of the last try; a wait that does not fit the time is not begun."""
        attempt = 0
        while True:
            try:
                return await send()
            except RetryableError as again:
                self.status = again.status
                wait = again.wait or _backoff(attempt)
                left = self.seconds - (self.clock.now() - self.started)
                if attempt >= self.retries or wait >= left:
                    again.error.retry_after = wait
                    raise again.error from again.__cause__
            await self.clock.pause(wait)
            attempt += 1
            self.made += 1


def _backoff(attempt: int) -> float:
    return _FIRST_WAIT * 2.0**attempt * random.uniform(1 - _JITTER, 1 + _JITTER)


def retry_after(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Seconds that the service asks to wait: `Retry-After` in seconds or as a date, or Azure's headers in milliseconds."""
    for name in ("retry-after-ms", "x-ms-retry-after-ms"):
        if _SECONDS.fullmatch(headers.get(name, "").strip()):
            return float(headers[name]) / 1000
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, (moment - clock.date()).total_seconds())
