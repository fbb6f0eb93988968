"""Citations of an answer that arrives in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import InvalidRequest
from ..evidence.results import Evidence
from ..evidence.sources import Source
from .account import Account, Asked
from .formats.output import HtmlSink, OpenList
from .given import given_sources, within_limit
from .markdown.reader import Position
from .results import Format, Resolution
from .sentinels import BYTE_ORDER_MARK, clean_text
from .state import State, container_marker, pack, position_from, position_json, unknown_state, unpack

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
            self._characters = max(0, int(saved.meta["characters"]))
            self._half = "".join(chr(int(code)) for code in saved.meta["half"][:1])
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
