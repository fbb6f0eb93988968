"""Chat messages as a context provider sees them: role, contents and the mark that says where a message came from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import InvalidRequest, Problem
from ..evidence.sources import Source
from .memory import State, is_blank

EXTERNAL = "External"
CHAT_HISTORY = "ChatHistory"
CONTEXT_PROVIDER = "AIContextProvider"
SOURCE_ID = "TextSearchProvider"
ATTRIBUTION = "_attribution"

# The .NET provider writes its full class name; a conversation may have been begun there and go on here.
_OWN_IDS = frozenset({SOURCE_ID, "Microsoft.Agents.AI.TextSearchProvider"})


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A part that is no text (`image`, `function_call`, `reasoning`, …): passed on, never searched or remembered."""

    kind: str
    value: object = None


Part = TextPart | OtherPart


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a message came from: `External`, `ChatHistory`, `AIContextProvider` or a type of one's own."""

    source: str = EXTERNAL
    source_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message. `properties` may carry a mark under `_attribution`, also one that went through JSON."""

    role: str
    contents: tuple[Part, ...] = ()
    mark: Mark | None = None
    author_name: str | None = None
    properties: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, role: str, text: str, *, mark: Mark | None = None) -> ChatMessage:
        """A message of one text."""
        return cls(role=role, contents=(TextPart(text),), mark=mark)

    @property
    def text(self) -> str:
        """Its text parts, joined with nothing between."""
        return "".join(part.text for part in self.contents if isinstance(part, TextPart))

    @property
    def origin(self) -> Mark:
        """Its mark; a message without one is `External`."""
        return self.mark or mark_from_json(self.properties.get(ATTRIBUTION)) or Mark()

    @property
    def injected(self) -> bool:
        """Whether a provider of this kind put the message there: such a one is never searched or remembered."""
        origin = self.origin
        return origin.source == CONTEXT_PROVIDER and origin.source_id in _OWN_IDS


def injected_message(text: str) -> ChatMessage:
    """The message that a provider adds: role `user`, marked as its own."""
    return ChatMessage.of("user", text, mark=Mark(CONTEXT_PROVIDER, SOURCE_ID))


def mark_from_json(value: object) -> Mark | None:
    """The mark that stands in JSON, `sourceType` as text or as `{"value": text}`, names in any case; None without one."""
    if isinstance(value, Mark):
        return value
    if not isinstance(value, Mapping):
        return None
    members = {str(name).lower(): member for name, member in value.items()}
    source = members.get("sourcetype")
    if isinstance(source, Mapping):
        source = next((member for name, member in source.items() if str(name).lower() == "value"), None)
    source_id = members.get("sourceid")
    return Mark(source, source_id if isinstance(source_id, str) else None) if isinstance(source, str) else None


# The search tool that a model may call instead of being given context (`OnDemandFunctionCalling`).

ARGUMENT = "userQuestion"

NOTHING_FOUND = (
    "No information was found for this question. Try once more with other words, or say that nothing was found; "
    "do not answer from this search."
)
SEARCH_FAILED = (
    "The search could not be carried out just now, so it is not known whether there is information. "
    "Try again later, or say that the search is not available."
)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model sees it: `parameters` is the JSON schema of its arguments."""

    name: str
    description: str

    @property
    def parameters(self) -> dict[str, object]:
        """One required text."""
        return {"type": "object", "properties": {ARGUMENT: {"type": "string"}}, "required": [ARGUMENT]}


def question_of(arguments: Mapping[str, object]) -> str:
    """The question among a model's arguments; others are ignored, null counts as the empty text.

    Raises InvalidRequest when it is missing or no text.
    """
    if ARGUMENT not in arguments:
        raise _invalid("is required", "missing")
    value = arguments[ARGUMENT]
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _invalid("must be text", "wrong_type")
    return value


def _invalid(what: str, code: str) -> InvalidRequest:
    message = f"{ARGUMENT} {what}."
    return InvalidRequest(message, problems=(Problem(f"$.{ARGUMENT}", code, message),))


# What a search gives to a context provider, and what a provider gives back.

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
