"""Several ranked lists become one: by rank in turns, each document once, whole entries within the size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..evidence.escaping import defused
from ..evidence.ranking import once, take_turns
from ..graphemes import cut
from .replies import SearchActivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A hit as it is shown: `activity` is the id of the search that found it, `content` its evidence lines."""

    activity: int
    index: str
    key: str | None
    title: str
    content: str
    source_data: Mapping[str, object] | None = None
    reranker_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a search gave: its record, the hits that stay, as entries in their order, and whether the ranker ranked."""

    activity: SearchActivity
    entries: tuple[Entry, ...]
    ranked: bool


def merged(lists: Sequence[Sequence[Entry]]) -> list[Entry]:
    """The first of each list, then the second of each, …; a document (index and key) only where it comes first."""
    first, _ = once(take_turns(lists), lambda entry: None if entry.key is None else (entry.index, entry.key))
    return first


def text_of(entries: Sequence[Entry]) -> str:
    """The response text: a JSON list of `{ref_id, title, terms, content}`."""
    return _dumped([_shown(number, entry) for number, entry in enumerate(entries)])


def within(entries: Sequence[Entry], most: int) -> list[Entry]:
    """The entries, from the first, that stand whole in a response text of at most `most` characters.

    The first always stays; its content is cut where it alone is longer.
    """
    size = len("[]") - len(",")
    for number, entry in enumerate(entries):
        size += len(_dumped(_shown(number, entry))) + len(",")
        if size > most:
            return list(entries[:number]) or [_cut(entry, most)]
    return list(entries)


def _cut(entry: Entry, most: int) -> Entry:
    """The longest start of the content whose JSON fits; escapes make a character longer, so it is searched for."""
    least, longest = 0, len(entry.content)
    while least < longest:
        middle = (least + longest + 1) // 2
        fits = len(text_of([replace(entry, content=entry.content[:middle])])) <= most
        least, longest = (middle, longest) if fits else (least, middle - 1)
    return replace(entry, content=cut(entry.content, least).rstrip())


def _shown(number: int, entry: Entry) -> dict[str, object]:
    return {"ref_id": number, "title": defused(entry.title), "terms": "", "content": entry.content}


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
