"""Ids of briefings and batches: their form, the ones made here, and the digest that tells equal content from other."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
ID_RULE = "1 to 100 letters, digits, dots, underscores and hyphens, the first a letter or digit"
KEPT_IN_RETRY = 80
"""How much of an id its retry shows: the rest of the hundred characters is for what tells it apart."""


def is_id(value: object) -> bool:
    """Whether it can be the id of a briefing or batch (spec 8.2)."""
    return isinstance(value, str) and ID.fullmatch(value) is not None


def new_id() -> str:
    """An id that nobody has."""
    return uuid4().hex


def repeatable_id(batch_id: str, digest: str, ordinal: int) -> str:
    """The id of a briefing that came without one into a named batch: the same when the call is repeated.

    `ordinal` counts equal briefings of one call.
    """
    return hashlib.sha256(f"{batch_id}\n{digest}\n{ordinal}".encode()).hexdigest()[:32]


def retry_id(batch_id: str, briefing_id: str) -> str:
    """The id of the one retry of a briefing: the same whenever it is asked for."""
    digest = hashlib.sha256(f"retry\n{batch_id}\n{briefing_id}".encode()).hexdigest()[:12]
    return f"{briefing_id[:KEPT_IN_RETRY]}-retry-{digest}"


def content_digest(batch_id: str, briefing: str, parameters: Mapping[str, Any], retry_of: str | None = None) -> str:
    """A digest of what was asked for. The definition's version is not part: a repeated call may meet a newer one."""
    content = {"batchId": batch_id, "briefing": briefing, "parameters": parameters, "retryOf": retry_of}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
