"""Retention: what nobody has changed for `RetentionDays` goes."""

from __future__ import annotations

from datetime import datetime, timedelta

from .composer import for_each
from .storage import Blobs
from .submission import AT_ONCE

CONTENT_PREFIXES = ("requests/", "records/", "rejections/", "deleted/", "tokens/")
POINTER_PREFIX = "ids/"
LONGEST_WAY_DAYS = 8
"""A pointer is written before its record is final, which takes seven days at most; it must not go before the record."""


async def remove_expired(blobs: Blobs, retention_days: int, moment: datetime) -> int:
    """The number of blobs removed that were last changed before `moment` less the days. Raises the storage errors.

    A call that breaks off is gone on with by the next one.
    """
    cutoff = moment - timedelta(days=retention_days)
    removed = [await _remove(blobs, prefix, cutoff) for prefix in CONTENT_PREFIXES]
    return sum(removed) + await _remove(blobs, POINTER_PREFIX, cutoff - timedelta(days=LONGEST_WAY_DAYS))


async def _remove(blobs: Blobs, prefix: str, cutoff: datetime) -> int:
    removed, marker = 0, None
    while True:
        page = await blobs.list_page(prefix, marker=marker)
        expired = [entry.name for entry in page.entries if entry.modified < cutoff]
        await for_each(expired, blobs.delete, AT_ONCE)
        removed += len(expired)
        if page.marker is None:
            return removed
        marker = page.marker
