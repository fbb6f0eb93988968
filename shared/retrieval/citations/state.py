"""The state of a stream between two calls: the text held back and the account so far, without any source.

It is harmless by construction: the text is read again from where it stands, and everything that is released passes the same
rules on every call. The checksum only tells a damaged state from a sound one.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest
from .markdown.blocks import ITEM_MARKS, Container, Fence, Open
from .markdown.reader import Position
from .tables import MAX_LINE, HeaderRow

VERSION = "cite2"
MAX_META_BYTES = 1_000_000
"""What the packed part may unpack to: a forged one must not fill the memory."""


@dataclass(frozen=True, slots=True)
class State:
    """What goes from one call to the next. `meta` holds JSON values only."""

    meta: dict[str, Any]
    held: str


def pack(state: State) -> str:
    """The state as text."""
    plain = json.dumps(state.meta, ensure_ascii=False, separators=(",", ":")).encode()
    meta = base64.urlsafe_b64encode(zlib.compress(plain)).decode().rstrip("=")
    return f"{VERSION}.{meta}.{_sum(meta, state.held)}.{state.held}"


def unpack(text: str) -> State:
    """The state that `pack` wrote. Raises InvalidRequest (`unknown_state`) for any other text."""
    version, _, rest = text.partition(".")
    if version != VERSION:
        raise unknown_state("is of another version of this service")
    meta, _, rest = rest.partition(".")
    checksum, _, held = rest.partition(".")
    if checksum != _sum(meta, held):
        raise unknown_state("is damaged")
    try:
        packed = zlib.decompressobj()
        plain = packed.decompress(base64.urlsafe_b64decode(meta + "=" * (-len(meta) % 4)), MAX_META_BYTES)
        values = json.loads(plain)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise unknown_state("is damaged") from None
    if not isinstance(values, dict) or packed.unconsumed_tail:
        raise unknown_state("is damaged")
    return State(values, held)


def unknown_state(what: str) -> InvalidRequest:
    """The error for a state that cannot be taken up."""
    message = f"The state {what}: start the stream again from the answer's beginning, without a state."
    return InvalidRequest(message, code="unknown_state")


def _sum(meta: str, held: str) -> str:
    return f"{zlib.crc32(held.encode('utf-8', 'surrogatepass'), zlib.crc32(meta.encode('utf-8', 'surrogatepass'))):08x}"


def position_json(position: Position) -> list[Any]:
    """A position as JSON values."""
    now = position.open
    containers = [[c.marker, c.indent, c.empty] for c in now.containers]
    fence = [now.fence.mark, now.fence.length] if now.fence else None
    flags = [position.within, position.leads, _row_json(position.row), position.columns, position.missing]
    return [containers, now.leaf, fence, *flags]


def _row_json(row: HeaderRow) -> list[Any]:
    return [row.line, row.unsure, row.piped, row.ended]


def position_from(values: list[Any]) -> Position:
    """The position of `position_json`. Raises ValueError, TypeError or LookupError for anything else."""
    containers, leaf, fence, within, leads, row, columns, missing = values
    opened = tuple(Container(container_marker(marker), int(indent), bool(empty)) for marker, indent, empty in containers)
    if leaf not in ("none", "paragraph", "fence", "indented", "table") or len(opened) > 64:
        raise ValueError
    now = Open(opened, leaf, _fence(*fence) if fence else None)
    return Position(
        now,
        bool(within),
        bool(leads),
        HeaderRow(_whole_text(row[0])[:MAX_LINE], bool(row[1]), bool(row[2]), bool(row[3])),
        int(columns),
        int(missing),
    )


def container_marker(value: str) -> str:
    """The marker of a container. Raises ValueError for what marks none."""
    if value != ">" and value not in ITEM_MARKS:
        raise ValueError
    return value


def _fence(mark: str, length: int) -> Fence:
    if mark not in ("`", "~"):
        raise ValueError
    return Fence(mark, int(length))


def _whole_text(value: object) -> str:
    """The text, seams and places in it as they are. Raises ValueError for half a surrogate pair, which cannot be sent on."""
    text = str(value)
    text.encode()
    return text
