"""Waiting is not failing: which faults end a briefing, and how long it waits for the others.

What time or an operator cures never ends a briefing: throttling, a day's limit, faulty settings, a refused identity. Its
message is put back, hidden until the next try; after seven days it is given up.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from shared.answers import ContentFiltered, DailyLimit, ModelFailed, ModelIncomplete
from shared.retrieval import CallerError, RetrievalError

GAVE_UP = "gave_up"
GIVE_UP_AFTER = timedelta(days=7)
FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 3_600.0
LONGEST_HIDDEN_SECONDS = 6 * 24 * 3_600
"""A queue hides a message for at most seven days."""
JITTER = 0.25
MAX_ATTEMPTS_AT_A_FAULTY_REPLY = 3


def ends_briefing(error: RetrievalError, attempts: int) -> bool:
    """Whether a fault is final: what was asked for cannot be had, or the model failed at it for the third time."""
    if isinstance(error, ModelIncomplete | ModelFailed):
        return attempts >= MAX_ATTEMPTS_AT_A_FAULTY_REPLY
    return isinstance(error, CallerError | ContentFiltered)


def is_given_up(created_at: datetime, now: datetime) -> bool:
    """Whether a briefing has waited long enough."""
    return now - created_at >= GIVE_UP_AFTER


def wait_seconds(error: RetrievalError, briefing_id: str, wait: int) -> int:
    """How long to wait before the next try: longer each time, spread by the id, and no less than the service asks for.

    A day's limit is waited out until the day turns.
    """
    asked = error.retry_after or 0.0
    if not isinstance(error, DailyLimit):
        backoff = min(FIRST_WAIT_SECONDS * 2.0 ** min(wait, 20), LONGEST_WAIT_SECONDS)
        asked = max(asked, backoff * (1 - JITTER + 2 * JITTER * _share(briefing_id, wait)))
    return round(min(max(asked, 1.0), LONGEST_HIDDEN_SECONDS))


def _share(briefing_id: str, wait: int) -> float:
    """A number from 0 to 1 that is another one for each briefing and wait."""
    return int.from_bytes(hashlib.sha256(f"{briefing_id}/{wait}".encode()).digest()[:2]) / 0xFFFF
