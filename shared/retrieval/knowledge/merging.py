"""Several ranked lists become one: by rank in turns, each document once, whole entries within the size."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..hits import Hit
from .replies import SearchActivity

Ranked = tuple["Entry", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A hit with what is shown of it, and the activity that found it."""

    activity: SearchActivity
    hit: Hit
    key: str | None
    title: str
    content: str
    include_source_data: bool = False


def merged(lists: Sequence[Sequence[Entry]]) -> list[Entry]:
    """The first of each list, then the second of each, …; a document (index and key) only where it comes first."""
    taken: list[Entry] = []
    seen: set[tuple[str, str]] = set()
    for rank in range(max(map(len, lists), default=0)):
        for entry in (ranked[rank] for ranked in lists if rank < len(ranked)):
            document = None if entry.key is None else (entry.activity.index, entry.key)
            if document is None or document not in seen:
                taken.append(entry)
            if document is not None:
                seen.add(document)
    return taken


def text_entry(ref_id: int, title: str, content: str) -> dict[str, object]:
    """An entry of the response text."""
    return {"ref_id": ref_id, "title": title, "terms": "", "content": content}


def text_of(entries: Sequence[Entry]) -> str:
    """The response text: a JSON list."""
    return _dumped([text_entry(number, one.title, one.content) for number, one in enumerate(entries)])


def entry_size(number: int, entry: Entry) -> int:
    """Characters that the entry takes in the response text, its comma included."""
    return len(_dumped(text_entry(number, entry.title, entry.content))) + 1


def within(entries: Sequence[Entry], most: int) -> int:
    """How many entries, from the first, stand whole in a response text of at most `most` characters; at least one."""
    size = len("[]") - 1
    for number, entry in enumerate(entries):
        size += entry_size(number, entry)
        if size > most:
            return max(number, 1)
    return len(entries)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
