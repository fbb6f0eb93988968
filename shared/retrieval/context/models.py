"""Chat messages as a context provider sees them: role, contents and the mark that says where a message came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
