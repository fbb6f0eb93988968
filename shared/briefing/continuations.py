"""Continuations: where a list goes on, as one opaque text that an address can carry."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass

from .errors import InvalidContinuation

MAX_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Continuation:
    """The storage's marker of the page to read, and the name in it after which to go on."""

    marker: str | None = None
    after: str = ""


def write_continuation(of: str, marker: str | None, after: str = "") -> str | None:
    """The text for the next page of the list `of`; None when there is nothing more."""
    if marker is None and not after:
        return None
    text = json.dumps([of, marker, after], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_continuation(text: str | None, of: str) -> Continuation:
    """Where the list `of` goes on; its beginning without a text. Raises `InvalidContinuation` for any other text."""
    if text is None:
        return Continuation()
    try:
        if len(text) > MAX_CHARACTERS:
            raise ValueError
        padded = text + "=" * (-len(text) % 4)
        named, marker, after = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise InvalidContinuation("the continuation is not one of this list") from None
    if named != of or not (marker is None or _is_plain(marker)) or not _is_plain(after):
        raise InvalidContinuation("the continuation is not one of this list")
    return Continuation(marker, after)


def _is_plain(value: object) -> bool:
    """Whether the storage could have given it: its markers and our names are plain ASCII."""
    return isinstance(value, str) and value.isascii() and (value.isprintable() or not value)
