"""What a provider remembers between turns, and the search text it makes of that and of the current request."""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ..errors import InvalidRequest, Problem, TooLarge
from ..filters.template import shown
from ..limits import MAX_QUERY_CHARACTERS, MAX_STATE_BYTES

# The state of a conversation: a JSON object that the caller keeps, in which each provider has one entry.
#
# The entry is `{"recentMessagesText": ["…", …]}`: the remembered texts, oldest first. A state is a value: reading and
# writing give a new one, and a call that raises has changed nothing.

TEXTS = "recentMessagesText"

State = Mapping[str, object]
Texts = tuple[str | None, ...]


def read_texts(state: State, key: str, limit: int, path: str = "$.state") -> Texts | None:
    """The newest `limit` remembered texts under `key`, None when nothing was remembered yet.

    A text may be null, which counts as empty. Raises InvalidRequest when the entry is of another shape.
    """
    entry = state.get(key)
    path += shown(key)
    if entry is None:
        return None
    if not isinstance(entry, Mapping):
        raise _malformed(path, "must be an object")
    texts = next((member for name, member in entry.items() if str(name).lower() == TEXTS.lower()), None)
    return None if texts is None else _newest(_checked(texts, f"{path}.{TEXTS}"), limit)


def write_texts(state: State, key: str, texts: Texts | None) -> dict[str, object]:
    """The state with `texts` under `key`, the oldest left out where the whole would pass 64 KiB.

    Raises TooLarge when the other entries alone are over it.
    """
    room = MAX_STATE_BYTES - _size({**state, key: {TEXTS: []}})
    if room < 0:
        raise TooLarge(f"The state without its remembered texts is over {MAX_STATE_BYTES} bytes.")
    if texts is None:
        return {**state, key: {}}
    kept = len(texts)
    for text in reversed(texts):
        room -= _size(text) + len(", ")
        if room < 0:
            break
        kept -= 1
    return {**state, key: {TEXTS: list(texts[kept:])}}


def bounded(state: State, key: str) -> dict[str, object]:
    """The state as it is where it keeps within 64 KiB, else without its oldest remembered texts.

    Raises InvalidRequest for a malformed entry, TooLarge when the other entries alone are over it.
    """
    texts = read_texts(state, key, limit=sys.maxsize)
    return dict(state) if _size(state) <= MAX_STATE_BYTES else write_texts(state, key, texts)


def _newest(texts: Texts, limit: int) -> Texts:
    return texts[max(0, len(texts) - limit) :]


def _checked(texts: object, path: str) -> Texts:
    if not isinstance(texts, Sequence) or isinstance(texts, str | bytes):
        raise _malformed(path, "must be a list")
    for number, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise _malformed(f"{path}[{number}]", "must be text")
    return tuple(texts)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _malformed(path: str, what: str) -> InvalidRequest:
    return InvalidRequest("The state is malformed.", problems=(Problem(path, "wrong_type", f"The state {what} here."),))


# What counts as blank text: the notion of .NET, which the original provider was measured with.
#
# Python's `str.strip` also removes U+001C to U+001F, which count as text there; U+200B and U+FEFF are text in both.

_BLANKS = (
    "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def is_blank(text: str | None) -> bool:
    """Whether `text` is missing, empty or white space only."""
    return not text or not text.strip(_BLANKS)


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
