"""Names of the blobs in the container of briefings.

| blob | what | written |
|---|---|---|
| `ids/{id}.json` | pointer: the batch of an id and the digest of its content | once, never changed |
| `records/{batch}~{id}.json` | THE record of a briefing: status in the metadata, request and result inside | by ETag only |
| `requests/{id}.json` | a request too big for a message | once, never changed |
| `rejections/{time}-{message}.json` | a message that could not be taken | once, never changed |
| `deleted/{batch}.json` | the batch was deleted: it takes no more briefings | once |
| `tokens/{day}.json` | the model tokens used that day | by ETag only |

`~` cannot stand in an id, so no batch's prefix begins another's; the ending keeps a dot off the end of a name, which
Azure would cut.
"""

from __future__ import annotations

REJECTIONS = "rejections/"
ENDING = ".json"


def pointer(briefing_id: str) -> str:
    """The pointer of an id."""
    return f"ids/{briefing_id}{ENDING}"


def batch_prefix(batch_id: str) -> str:
    """How the names of a batch's records begin."""
    return f"records/{batch_id}~"


def record(batch_id: str, briefing_id: str) -> str:
    """The record of a briefing."""
    return f"{batch_prefix(batch_id)}{briefing_id}{ENDING}"


def id_in_record(name: str) -> str:
    """The briefing id in the name of a record."""
    return name.partition("~")[2].removesuffix(ENDING)


def request(briefing_id: str) -> str:
    """The stored request of an id."""
    return f"requests/{briefing_id}{ENDING}"


def deleted_batch(batch_id: str) -> str:
    """The mark of a deleted batch."""
    return f"deleted/{batch_id}{ENDING}"


def tokens(day: str) -> str:
    """The count of a day, `2026-11-30`."""
    return f"tokens/{day}{ENDING}"
