"""What a retrieve call asks of a knowledge base or an agent, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ServiceError, invalid_request
from .fields import unknown_member

DEFAULT_THRESHOLD = 1.9
MAX_DOCUMENTS = 50
BASE_MEMBERS = frozenset(
    {
        "intents",
        "messages",
        "knowledgeSourceParams",
        "retrievalReasoningEffort",
        "outputMode",
        "maxRuntimeInSeconds",
        "maxOutputSize",
        "maxOutputSizeInTokens",
        "includeActivity",
    }
)
SOURCE_MEMBERS = frozenset(
    {
        "knowledgeSourceName",
        "kind",
        "filterAddOn",
        "includeReferences",
        "includeReferenceSourceData",
        "alwaysQuerySource",
        "rerankerThreshold",
    }
)
TARGET_MEMBERS = frozenset(
    {"indexName", "filterAddOn", "maxDocsForReranker", "rerankerThreshold", "includeReferenceSourceData"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One index that is searched: under which name it is shown, and how."""

    name: str
    index: str
    configuration: str | None = None
    source_fields: tuple[str, ...] = ()
    search_fields: tuple[str, ...] = ()
    filter: str | None = None
    threshold: float = DEFAULT_THRESHOLD
    documents: int = MAX_DOCUMENTS
    references: bool = True
    source_data: bool = False


def queries_of(body: Mapping[str, Any], *, planned: bool) -> list[str]:
    """The texts to search: the intents, or the last message of the user where a model would plan."""
    intents = body.get("intents")
    if intents:
        return [_intent(each) for each in intents]
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid_request("retrievalRequest", "A request needs 'intents' or 'messages'.")
    if not planned:
        raise invalid_request("retrievalRequest", "'messages' need a model in the knowledge base; use 'intents'.")
    texts = [text for each in messages if (text := _user_text(each))]
    if not texts:
        raise invalid_request("retrievalRequest", "At least one message of the user needs a text.")
    return texts[-1:]


def _intent(raw: Any) -> str:
    text = raw.get("search") if isinstance(raw, Mapping) else None
    if not isinstance(text, str) or not text.strip() or raw.get("type", "semantic") != "semantic":
        raise invalid_request("retrievalRequest", "An intent has the type 'semantic' and a 'search' text.")
    return text


def _user_text(raw: Any) -> str:
    if not isinstance(raw, Mapping) or raw.get("role", "user") != "user":
        return ""
    parts = raw.get("content") or []
    return " ".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("type") == "text").strip()


def checked_members(raw: Any, known: frozenset[str], kind: str) -> Mapping[str, Any]:
    """An object with known members only."""
    if not isinstance(raw, Mapping):
        raise invalid_request("retrievalRequest", f"A {kind} must be an object.")
    unknown = next((name for name in raw if name not in known), None)
    if unknown is not None:
        raise unknown_member(unknown, f"search.{kind}")
    return raw


def by_name(parameters: Any, member: str, known: frozenset[str]) -> dict[str, Mapping[str, Any]]:
    """Per-source parameters under the name that they speak of; a name given twice is a 400."""
    found: dict[str, Mapping[str, Any]] = {}
    for raw in parameters or []:
        each = checked_members(raw, known, member)
        name = each.get(member)
        if not isinstance(name, str) or name in found:
            raise invalid_request("retrievalRequest", f"'{member}' must be given once per entry.")
        found[name] = each
    return found


def threshold(raw: Mapping[str, Any], otherwise: float) -> float:
    """The least reranker score, from 0 to 4."""
    value = raw.get("rerankerThreshold")
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 4:
        raise invalid_request("retrievalRequest", "'rerankerThreshold' must be between 0 and 4.")
    return float(value)


def missing_name(kind: str, name: str) -> ServiceError:
    """The 400 of parameters for a source that the base does not have."""
    return invalid_request("retrievalRequest", f"The {kind} '{name}' does not belong to this definition.")
