"""Citations of an answer that arrives in pieces."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest
from ..evidence.evidence import Evidence
from ..evidence.sources import Source
from ..limits import MAX_ANSWER_CHARACTERS
from .formats.output import HtmlSink, OpenList
from .markdown.blocks import ITEM_MARKS, MAX_LINE, Container, Fence, HeaderRow, Open
from .markdown.reader import Position
from .resolve import Account, Asked, given_sources, within_limit
from .results import Format, Resolution
from .sentinels import BYTE_ORDER_MARK, clean_text
from .tally import bounded_count

# The state of a stream between two calls: the text held back and the account so far, without any source.
#
# It is harmless by construction: the text is read again from where it stands, and what is released passes the same
# rules on every call. The checksum only tells a damaged state from a sound one.

VERSION = "cite2"
MAX_META_BYTES = 1_000_000
"""What the packed part may unpack to: a forged one must not fill the memory."""
MAX_CONTAINERS = 64
MAX_INDENT = 2_000
"""Columns of a list item's content: a marker has ten characters at most, with few blanks, in each of the containers."""
MAX_COLUMNS = 65_535
"""Cells of a table's row, as cmark-gfm bounds them."""


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
    if leaf not in ("none", "paragraph", "fence", "indented", "table") or len(containers) > MAX_CONTAINERS:
        raise ValueError
    opened = tuple(
        Container(container_marker(marker), bounded_count(indent, MAX_INDENT), bool(empty))
        for marker, indent, empty in containers
    )
    now = Open(opened, leaf, _fence(*fence) if fence else None)
    return Position(
        now,
        bool(within),
        bool(leads),
        HeaderRow(_whole_text(row[0])[:MAX_LINE], bool(row[1]), bool(row[2]), bool(row[3])),
        bounded_count(columns, MAX_COLUMNS),
        bounded_count(missing, MAX_ANSWER_CHARACTERS),
    )


def container_marker(value: str) -> str:
    """The marker of a container. Raises ValueError for what marks none."""
    if value != ">" and value not in ITEM_MARKS:
        raise ValueError
    return value


def _fence(mark: str, length: int) -> Fence:
    if mark not in ("`", "~"):
        raise ValueError
    return Fence(mark, bounded_count(length, MAX_ANSWER_CHARACTERS))


def _whole_text(value: object) -> str:
    """The text, seams and places in it as they are. Raises ValueError for half a surrogate pair, which cannot be sent on."""
    text = str(value)
    text.encode()
    return text


_HIGH_SURROGATES = ("\ud800", "\udbff")


class CitationStream:
    """Resolves an answer piece by piece: the joined pieces equal `resolve` of the whole.

    What `feed` gives has passed everything but the checks that need the end: when `resolution.valid` is false at last,
    withdraw or label the text. `state` (after any `feed`) carries on elsewhere, with the same sources and options; it holds
    none of them. Figures are not checked in a stream.
    """

    def __init__(
        self,
        sources: Sequence[Source] | Evidence,
        *,
        format: Format = "html",  # noqa: A002 - the name of the wire and of the spec
        required: bool = True,
        allowed_hosts: Iterable[str] = (),
        references: bool = False,
        state: str | None = None,
    ) -> None:
        """Begins a stream, or takes up the one of `state`.

        Raises InvalidRequest for sources that are no sources, and with code `unknown_state` for a state that is damaged, of
        another version or of other options: the stream then has to start again.
        """
        asked = Asked(given_sources(sources), format, required, tuple(allowed_hosts), references)
        self._options = [format, required, references]
        self._half = ""
        self._characters = 0
        self._resolution: Resolution | None = None
        saved = unpack(state) if state is not None else None
        self._account = self._begin(asked, saved)
        self._save_block()
        if saved is not None:
            self._account.feed(saved.held, final=False)

    def feed(self, chunk: str, final: bool = False) -> str:
        """The text that `chunk` releases, safe to show. With `final` everything held back follows and `resolution` is set.

        Raises TooLarge when the answer or its citations pass their limit, InvalidRequest (`stream_finished`) after the final
        piece.
        """
        if self._resolution is not None:
            raise InvalidRequest("The stream has had its final piece.", code="stream_finished")
        within_limit(self._characters + len(chunk))
        text = self._half + (chunk if self._characters else chunk.removeprefix(BYTE_ORDER_MARK))
        self._characters += len(chunk)
        cut = len(text) - (not final and _HIGH_SURROGATES[0] <= text[-1:] <= _HIGH_SURROGATES[1])
        self._half = text[cut:]
        shown = self._account.feed(clean_text(text[:cut]), final=final)
        if final:
            self._resolution = self._account.resolution(shown)
        return shown

    @property
    def state(self) -> str:
        """What to hand to the next `CitationStream`: the text held back and at most 64 KiB.

        Raises InvalidRequest (`stream_finished`) after the final piece.
        """
        if self._resolution is not None:
            raise InvalidRequest("The stream has had its final piece.", code="stream_finished")
        reader, sink = self._account.reader, self._account.sink
        meta: dict[str, Any] = {
            "options": self._options,
            "characters": self._characters,
            "half": [ord(c) for c in self._half],
        }
        if isinstance(sink, HtmlSink):
            meta["list"] = [sink.list.marker, sink.list.tag] if sink.list else None
            position, ledger, held = *self._block, "".join(sink.source) + reader.waiting
        else:
            position, ledger, held = reader.position, self._account.ledger.saved(), reader.held
        return pack(State(meta | {"position": position_json(position), "ledger": ledger}, held))

    @property
    def resolution(self) -> Resolution | None:
        """The whole answer's verdict, None before the final piece."""
        return self._resolution

    def _begin(self, asked: Asked, saved: State | None) -> Account:
        if saved is None:
            return Account(asked, on_block=self._save_block)
        if saved.meta.get("options") != self._options:
            raise unknown_state("was made for another format or with other options")
        try:
            account = Account(asked, position_from(saved.meta["position"]), self._save_block)
            account.ledger.restore(saved.meta["ledger"])
            self._characters = bounded_count(saved.meta["characters"], MAX_ANSWER_CHARACTERS)
            self._half = "".join(chr(bounded_count(code, 0x10FFFF)) for code in saved.meta["half"][:1])
            if isinstance(account.sink, HtmlSink) and saved.meta["list"]:
                account.sink.list = _open_list(*saved.meta["list"])
        except (LookupError, TypeError, ValueError, OverflowError):
            raise unknown_state("is damaged") from None
        return account

    def _save_block(self) -> None:
        """What the next block of HTML begins with: it is read again from there."""
        self._block = (Position(self._account.reader.open), self._account.ledger.saved())


def _open_list(marker: str, tag: str) -> OpenList:
    if tag not in ("ul", "ol"):
        raise ValueError
    return OpenList(container_marker(marker), tag)
