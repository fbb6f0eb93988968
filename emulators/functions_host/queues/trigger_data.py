"""The trigger's data of a queue message: the queue's own, and the members of a JSON message laid over it.

Microsoft.Azure.WebJobs.Script, `Utility.ApplyBindingData`: when the message reaches the function as text and is a JSON
object, each of its top-level members but arrays and nulls joins the trigger's data. That dictionary ignores the case of
names, so a member called `id` or `dequeuecount` replaces the queue's own value.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from azure.storage.queue import QueueMessage


def trigger_data(message: QueueMessage, text: bytes | None) -> dict[str, str]:
    """The data that the function's parameter is made of; `text` is None for a message that arrives as bytes."""
    data = {
        "Id": message.id,
        "DequeueCount": str(message.dequeue_count),
        "ExpirationTime": _time(message.expires_on),
        "InsertionTime": _time(message.inserted_on),
        "NextVisibleTime": _time(message.next_visible_on),
        "PopReceipt": message.pop_receipt or "",
    }
    for name, value in _members(text or b"").items():
        known = next((own for own in data if own.casefold() == name.casefold()), name)
        data[known] = value
    return data


def _members(text: bytes) -> dict[str, str]:
    try:
        content = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {name: _text(value) for name, value in content.items() if value is not None and not isinstance(value, list)}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else json.dumps(value)


def _time(value: datetime | str | None) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value or "")
