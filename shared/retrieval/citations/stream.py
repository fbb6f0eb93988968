"""Citations of an answer that arrives in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..evidence import Evidence
from ..sources import Source
from .values import Format, Resolution


class CitationStream:
    """Resolves an answer piece by piece: the joined pieces equal `resolve` of the whole.

    `state` (after any `feed`) carries on in another process, with the same sources and options; it holds none of them.
    """

    def __init__(
        self,
        sources: Sequence[Source] | Evidence,
        *,
        format: Format = "html",
        required: bool = True,
        allowed_hosts: Iterable[str] = (),
        references: bool = False,
        state: str | None = None,
    ) -> None:
        raise NotImplementedError

    def feed(self, chunk: str, final: bool = False) -> str:
        """The text that `chunk` releases, safe to show. With `final` everything held back follows and `resolution` is set.

        Raises TooLarge when the answer passes its limit, InvalidRequest (`stream_finished`) after the final piece.
        """
        raise NotImplementedError

    @property
    def state(self) -> str:
        """What to hand to the next `CitationStream`: the text held back and at most 64 KiB. Raises as `feed` when finished."""
        raise NotImplementedError

    @property
    def resolution(self) -> Resolution | None:
        """The whole answer's verdict, None before the final piece."""
        raise NotImplementedError
