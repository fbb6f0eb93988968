"""Sources: what a citation shows of a document, its name and its link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..search.responses import value_at
from ..settings import IndexSettings
from .links import normalised_link
from .rendering import cut, one_line, scalar_text, without_data

_NAME_LENGTH = 80
_MIDDLE = 40
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a citation shows. `number` is the evidence number from 1; `link` is a normalised http(s) address or None."""

    number: int
    name: str
    link: str | None = None
    index: str | None = None
    key: str | None = None
    score: float | None = None
    truncated: bool = False


def source_name(document: Mapping[str, Any], index: IndexSettings, values: Sequence[tuple[str, str]]) -> str:
    """The declared name on one line, else the start of the shown `values`: at most 80 characters, cut past the middle."""
    return _declared(document, index.name_field) or _start(_first_words(text for _, text in values))


def _first_words(texts: Iterable[str]) -> str:
    """Enough of the texts for a name, on one line: a long text is not read to its end."""
    words: list[str] = []
    for text in texts:
        words += text.split(None, _NAME_LENGTH)[:_NAME_LENGTH]
        if len(words) >= _NAME_LENGTH:
            break
    return " ".join(words)


def _declared(document: Mapping[str, Any], field: str | None) -> str:
    value = value_at(document, field) if field is not None else None
    values = value if isinstance(value, list) else [value]
    texts = (without_data(text) if isinstance(text, str) else scalar_text(text) or "" for text in values)
    texts = ("" if text in ("[data]", "[image]") else text for text in texts)
    return one_line(", ".join(filter(None, map(one_line, texts))))


def _start(text: str) -> str:
    if len(text) <= _NAME_LENGTH:
        return text
    space = text.rfind(" ", _MIDDLE + 1, _NAME_LENGTH)
    return (text[:space] if space > 0 else cut(text, _NAME_LENGTH - 1)) + _ELLIPSIS


def source_link(document: Mapping[str, Any], index: IndexSettings) -> str | None:
    """The declared link if it is a good one; without a declaration the first shown field that is wholly an address."""
    if index.link_field is not None:
        value = value_at(document, index.link_field)
        return normalised_link(value) if isinstance(value, str) else None
    values = (value_at(document, field) for field in index.content_fields) if index.content_fields else document.values()
    links = (normalised_link(value) for value in values if isinstance(value, str))
    return next((link for link in links if link is not None), None)


def source_key(document: Mapping[str, Any], index: IndexSettings) -> str | None:
    """The value of the declared key, None without one."""
    value = value_at(document, index.key_field) if index.key_field is not None else None
    return None if value is None else value if isinstance(value, str) else scalar_text(value)
