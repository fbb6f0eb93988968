"""The state of a conversation: a JSON object that the caller keeps, in which each provider has one entry.

The entry is `{"recentMessagesText": ["…", …]}`: the remembered texts, oldest first. A state is a value: reading and
writing give a new one, and a call that raises has changed nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from ..errors import InvalidRequest, Problem, TooLarge
from ..filters.template import shown
from ..limits import MAX_STATE_BYTES

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
