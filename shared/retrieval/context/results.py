"""What a search gives to a context provider, and what a provider gives back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..evidence.sources import Source
from .blank import is_blank
from .models import ChatMessage
from .state import State
from .tool import ToolDefinition

Status = Literal["found", "no_results", "search_failed", "on_demand"]
MAX_NAME_CHARACTERS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSearchResult:
    """One text found, with its origin. `raw_representation` is the search's own, handed to a formatter and not shown."""

    text: str | None = None
    source_name: str | None = None
    source_link: str | None = None
    raw_representation: object = None


Search = Callable[[str], Awaitable[Iterable[TextSearchResult | Mapping[str, Any]]]]
"""Any asynchronous function from a search text to results, most relevant first; cancelled with the caller's task.

A result may be a mapping with the names of TextSearchResult too.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextResult:
    """What `invoking` gives: `messages` are those that came in, then those `added`; `state` is what to keep."""

    status: Status
    messages: tuple[ChatMessage, ...] | None
    added: tuple[ChatMessage, ...] = ()
    tools: tuple[object, ...] = ()
    instructions: str | None = None
    sources: tuple[Source, ...] = ()
    state: State | None = None

    @property
    def offered(self) -> tuple[ToolDefinition, ...]:
        """The tools that this provider offers itself."""
        return tuple(tool for tool in self.tools if isinstance(tool, ToolDefinition))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What the search tool gives: a text for the model, and the sources for citations."""

    status: Status
    text: str
    sources: tuple[Source, ...] = ()


def sources_of(results: Sequence[TextSearchResult | None]) -> tuple[Source, ...]:
    """The results as sources, numbered from 1 in their order; one without a name is named by the start of its text."""
    return tuple(_source(number, result) for number, result in enumerate(results, start=1) if result is not None)


def _source(number: int, result: TextSearchResult) -> Source:
    raw = result.raw_representation
    if isinstance(raw, Source):
        return Source(number=number, name=raw.name, link=raw.link, index=raw.index, key=raw.key, score=raw.score)
    link = None if is_blank(result.source_link) else result.source_link
    return Source(number=number, name=_name(result) or f"Source {number}", link=link)


def _name(result: TextSearchResult) -> str:
    for text in (result.source_name, result.text):
        if text is not None and not is_blank(text):
            return " ".join(text.split())[:MAX_NAME_CHARACTERS]
    return ""
