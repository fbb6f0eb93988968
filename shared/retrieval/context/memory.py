"""What a provider remembers between turns, and the search text it makes of that and of the current request."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ..limits import MAX_QUERY_CHARACTERS
from .blank import is_blank
from .state import Texts


def remember(remembered: Texts, new: Sequence[str], limit: int) -> Texts:
    """The newest `limit` texts of both; of a resent history only what follows the remembered texts is added."""
    added = tuple(new)
    if _begins_with(added, _texts(remembered)):
        added = added[len(_texts(remembered)) :]
    # A history resent after the limit had cut the memory ends in at least `limit` texts of its own: the cut is the same.
    everything = (*remembered, *added)
    return everything[max(0, len(everything) - limit) :]


def holds_remembered(remembered: Texts, current: Sequence[str], limit: int) -> bool:
    """Whether the `current` texts are a history resent by the caller: they begin with the remembered texts, or hold
    them further on when the memory is full, since then the limit may have cut off what came before."""
    known = _texts(remembered)
    if not known:
        return False
    if len(remembered) < limit:
        return _begins_with(current, known)
    return any(_begins_with(current[start:], known) for start in range(len(current) - len(known) + 1))


def search_text(remembered: Texts, current: Sequence[str]) -> str:
    """Remembered texts and current ones, one per line, at most 10,000 characters.

    Over that the remembered texts go first, oldest first, then the start of the current ones.
    """
    own = _join(current)
    if len(own) > MAX_QUERY_CHARACTERS:
        return own[-MAX_QUERY_CHARACTERS:]
    # A state may hold many thousand short texts: where to begin is searched for, not tried one by one.
    start = bisect_left(
        range(len(remembered)), True, key=lambda place: len(_join((*remembered[place:], *current))) <= MAX_QUERY_CHARACTERS
    )
    return _join((*remembered[start:], *current))


def _join(texts: Sequence[str | None]) -> str:
    """As the original: a line feed before each text but where nothing stands yet, so leading empty texts leave no line."""
    joined: list[str] = []
    for text in texts:
        if joined:
            joined.append("\n")
        if text:
            joined.append(text)
    return "".join(joined)


def _texts(remembered: Texts) -> tuple[str, ...]:
    return tuple(text for text in remembered if text is not None and not is_blank(text))


def _begins_with(texts: Sequence[str], start: Sequence[str]) -> bool:
    return bool(start) and tuple(texts[: len(start)]) == tuple(start)
