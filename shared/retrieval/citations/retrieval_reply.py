"""Sources from the reply of a retrieve call (spec 6): reference k is source k+1."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import InvalidRequest, Problem
from ..evidence.escaping import restored
from ..evidence.sources import Source
from ..limits import MAX_SOURCES
from .links import normal_link


def sources_from_retrieval(reply: Mapping[str, Any], *, path: str = "$") -> tuple[Source, ...]:
    """The sources of a retrieve `reply` as it came; its answers cite them as `[ref_id:k]` (`references=True` of `resolve`).

    A source's name is the title that the reply's text gives the reference, else the reference's `docKey`, else its id; its
    link the first whole address in `sourceData`. Raises InvalidRequest with JSON paths (`$.references[0].id`) for what is no
    such reply; `path` is that of the reply itself.
    """
    references = reply.get("references")
    if not isinstance(references, list):
        raise _invalid(f"{path}.references", "A retrieve reply has a list of references.")
    if len(references) > MAX_SOURCES:
        raise _invalid(f"{path}.references", f"At most {MAX_SOURCES} references.")
    titles = _titles(reply.get("response"))
    return tuple(_source(f"{path}.references[{at}]", reference, titles) for at, reference in enumerate(references))


def _source(path: str, reference: object, titles: Mapping[int, str]) -> Source:
    if not isinstance(reference, Mapping):
        raise _invalid(path, "A reference is an object.")
    number = _whole(reference.get("id"))
    if number is None:
        raise _invalid(f"{path}.id", "A reference's id is a whole number from 0, as text.")
    key = reference.get("docKey")
    key = key if isinstance(key, str) and key.strip() else None
    name = titles.get(number) or key or f"Reference {number}"
    return Source(number=number + 1, name=name, link=_link(reference.get("sourceData")), key=key)


def _whole(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value < 1_000_000 else None
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 6 else None


def _link(data: object) -> str | None:
    values = data.values() if isinstance(data, Mapping) else ()
    links = (normal_link(value) for value in values if isinstance(value, str))
    return next((link for link in links if link is not None), None)


def _titles(response: object) -> dict[int, str]:
    """The titles in the reply's text: a JSON list of {ref_id, title, …}; whatever else the text is has none."""
    titles: dict[int, str] = {}
    for message in response if isinstance(response, list) else ():
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list) else ():
            titles |= _titles_in(part.get("text") if isinstance(part, Mapping) else None)
    return titles


def _titles_in(text: object) -> dict[int, str]:
    try:
        rows = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return {}
    found: dict[int, str] = {}
    for row in rows if isinstance(rows, list) else ():
        number = _whole(row.get("ref_id")) if isinstance(row, Mapping) else None
        title = row.get("title") if isinstance(row, Mapping) else None
        if number is not None and isinstance(title, str) and title.strip():
            found[number] = restored(title)
    return found


def _invalid(path: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, code="invalid_retrieval", problems=(Problem(path, "invalid_retrieval", message),))
