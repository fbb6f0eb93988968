"""Numbered blocks of evidence within a size limit: headings, the closing note, the cut of a first hit (spec 4.2, 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..graphemes import cut
from ..values import one_line

_GAP = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What is shown of one hit: the index it is from and its lines."""

    index: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The text that fits, the bodies of the blocks in it, and whether the first was cut."""

    text: str
    bodies: tuple[str, ...]
    truncated: bool = False


def heading(index: str, number: int) -> str:
    """The line above a block."""
    return f"--- {one_line(index)} Evidence {number} ---"


def nothing_found(indexes: Sequence[str]) -> str:
    """The text of evidence without a hit: one line per search."""
    return "\n".join(f"No {one_line(index)} information found." for index in indexes)


def fit(blocks: Sequence[Block], limit: int) -> Fitted:
    """Whole blocks in their order until the next would pass `limit` code points, then one note that counts the rest.

    The limit covers headings and note. The first block is always kept and cut if need be. A limit that has no room for the
    note beside the first heading goes without it.
    """
    texts = [f"{heading(block.index, number)}\n{block.body}" for number, block in enumerate(blocks, 1)]
    whole = _GAP.join(texts)
    if len(whole) <= limit:
        return Fitted(text=whole, bodies=tuple(block.body for block in blocks))
    notes = limit > len(heading(blocks[0].index, 1)) + 1 + len(_note(len(texts) - 1, limit))
    kept = _most(texts, limit, notes)
    if not kept:
        return _first_cut(blocks[0], len(texts) - 1 if notes else 0, limit)
    note = _note(len(texts) - kept, limit) if notes else ""
    text = _GAP.join(texts[:kept]) + note
    return Fitted(text=text, bodies=tuple(block.body for block in blocks[:kept]))


def _most(texts: Sequence[str], limit: int, notes: bool) -> int:
    """How many of the blocks fit with the note about the others; 0 when not even the first does."""
    length, most = -len(_GAP), 0
    for count, text in enumerate(texts[:-1], 1):
        length += len(_GAP) + len(text)
        if length > limit:
            break
        if not notes or length + len(_note(len(texts) - count, limit)) <= limit:
            most = count
    return most


def _note(left_out: int, limit: int) -> str:
    return f"{_GAP}[{left_out} less relevant result(s) left out to keep the evidence within {limit} characters.]"


def _first_cut(block: Block, left_out: int, limit: int) -> Fitted:
    above = heading(block.index, 1) + "\n"
    note = _note(left_out, limit) if left_out else ""
    body = cut(block.body, limit - len(above) - len(note)).rstrip()
    text = above + body + note if body else cut(above.rstrip(), limit)
    return Fitted(text=text, bodies=(body,), truncated=body != block.body)
