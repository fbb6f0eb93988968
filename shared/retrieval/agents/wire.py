"""Requests from JSON, in the two shapes of the service that callers may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..errors import InvalidRequest, Problem, TooLarge
from ..knowledge.json_reading import Reading
from ..limits import (
    MAX_INTENTS,
    MAX_MESSAGE_PARTS,
    MAX_MESSAGES,
    MAX_OUTPUT_TOKENS,
    MAX_QUERY_CHARACTERS,
    MAX_RUNTIME_SECONDS,
    MAX_TARGETS,
)
from .models import (
    AGENT_VERSION,
    DEFAULT_DOCUMENTS,
    KNOWLEDGE_BASE_VERSION,
    MessageImage,
    MessageText,
    RetrieveMessage,
    RetrieveRequest,
    Role,
    Shape,
    Target,
)

_VERSIONS: dict[Shape, str] = {"agent": AGENT_VERSION, "knowledge_base": KNOWLEDGE_BASE_VERSION}


def parse_retrieve_request(body: object, api_version: str | None, shape: Shape) -> RetrieveRequest:
    """The request in `body` (parsed JSON). Raises InvalidRequest naming every path, TooLarge for a text over the limit."""
    check_version(api_version, shape)
    reading = Reading()
    request = _agent_request(reading, body) if shape == "agent" else _knowledge_base_request(reading, body)
    reading.check()
    for place, intent in enumerate(request.intents):
        check_length(intent, f"$.intents[{place}].search")
    return request


def check_version(api_version: str | None, shape: Shape) -> None:
    """Raises InvalidRequest unless it is the api-version of that shape; case plays no part, as for the service."""
    wanted = _VERSIONS[shape]
    if (api_version or "").strip().lower() != wanted:
        message = f"The query parameter api-version must be {wanted} on this route."
        raise InvalidRequest(
            message, code="invalid_api_version", problems=(Problem("api-version", "invalid_api_version", message),)
        )


def check_length(query: str, path: str) -> None:
    """Raises TooLarge for a query over the limit."""
    if len(query) > MAX_QUERY_CHARACTERS:
        message = f"A query may have at most {MAX_QUERY_CHARACTERS} characters."
        raise TooLarge(message, problems=(Problem(path, "too_large", message),))


def _agent_request(reading: Reading, body: object) -> RetrieveRequest:
    members = reading.members(body, "$", ("messages", "targetIndexParams"))
    messages = reading.entries(members.get("messages"), "$.messages", least=1, most=MAX_MESSAGES)
    targets = reading.entries(members.get("targetIndexParams", []), "$.targetIndexParams", most=MAX_TARGETS)
    return RetrieveRequest(
        shape="agent",
        messages=tuple(_message(reading, one, f"$.messages[{n}]") for n, one in enumerate(messages)),
        targets=_distinct(
            reading, [_agent_target(reading, one, f"$.targetIndexParams[{n}]") for n, one in enumerate(targets)]
        ),
    )


def _message(reading: Reading, value: object, path: str) -> RetrieveMessage:
    members = reading.members(value, path, ("role", "content"))
    role = reading.choice(members.get("role", "user"), f"{path}.role", ("user", "assistant", "system"))
    parts = reading.entries(members.get("content"), f"{path}.content", least=1, most=MAX_MESSAGE_PARTS)
    content = tuple(_part(reading, one, f"{path}.content[{n}]") for n, one in enumerate(parts))
    return RetrieveMessage(role=cast(Role, role), content=content)


def _part(reading: Reading, value: object, path: str) -> MessageText | MessageImage:
    members = reading.members(value, path, ("type", "text", "image"))
    kind = reading.choice(members.get("type"), f"{path}.type", ("text", "image"))
    for other in {"text", "image"} - {kind}:
        if other in members:
            reading.fault(f"{path}.{other}", "unknown_key", f"A part of type {kind} has no member {other}.")
    if kind == "image":
        image = reading.members(members.get("image", {}), f"{path}.image", ("url",))
        return MessageImage(reading.text(image.get("url"), f"{path}.image.url"))
    text = members.get("text")
    if isinstance(text, str):
        return MessageText(text)
    return MessageText(reading.text(text, f"{path}.text"))


def _agent_target(reading: Reading, value: object, path: str) -> Target:
    known = ("indexName", "filterAddOn", "maxDocsForReranker", "rerankerThreshold", "includeReferenceSourceData")
    members = reading.members(value, path, known)
    documents = reading.whole(members.get("maxDocsForReranker"), f"{path}.maxDocsForReranker", 1, 10_000)
    return Target(
        index=reading.text(members.get("indexName"), f"{path}.indexName"),
        path=f"{path}.indexName",
        max_documents=min(documents or DEFAULT_DOCUMENTS, DEFAULT_DOCUMENTS),
        **_common(reading, members, path),
    )


def _knowledge_base_request(reading: Reading, body: object) -> RetrieveRequest:
    known = ("intents", "maxRuntimeInSeconds", "maxOutputSizeInTokens", "includeActivity", "knowledgeSourceParams")
    members = reading.members(body, "$", known)
    intents = reading.entries(members.get("intents"), "$.intents", least=1, most=MAX_INTENTS)
    targets = reading.entries(members.get("knowledgeSourceParams", []), "$.knowledgeSourceParams", most=MAX_TARGETS)
    named = [_source_target(reading, one, f"$.knowledgeSourceParams[{n}]") for n, one in enumerate(targets)]
    runtime = reading.whole(members.get("maxRuntimeInSeconds"), "$.maxRuntimeInSeconds", 1, MAX_RUNTIME_SECONDS)
    tokens = reading.whole(members.get("maxOutputSizeInTokens"), "$.maxOutputSizeInTokens", 1, MAX_OUTPUT_TOKENS)
    return RetrieveRequest(
        shape="knowledge_base",
        intents=tuple(_intent(reading, one, f"$.intents[{n}]") for n, one in enumerate(intents)),
        targets=_distinct(reading, named),
        max_runtime_seconds=runtime,
        max_output_tokens=tokens,
        include_activity=reading.flag(members.get("includeActivity"), "$.includeActivity", True),
    )


def _intent(reading: Reading, value: object, path: str) -> str:
    members = reading.members(value, path, ("type", "search"))
    reading.choice(members.get("type"), f"{path}.type", ("semantic",))
    return reading.text(members.get("search"), f"{path}.search")


def _source_target(reading: Reading, value: object, path: str) -> Target:
    known = (
        "kind",
        "knowledgeSourceName",
        "filterAddOn",
        "rerankerThreshold",
        "includeReferences",
        "includeReferenceSourceData",
    )
    members = reading.members(value, path, known)
    reading.choice(members.get("kind"), f"{path}.kind", ("searchIndex",))
    return Target(
        index=reading.text(members.get("knowledgeSourceName"), f"{path}.knowledgeSourceName"),
        path=f"{path}.knowledgeSourceName",
        include_references=reading.flag(members.get("includeReferences"), f"{path}.includeReferences", True),
        **_common(reading, members, path),
    )


def _common(reading: Reading, members: Mapping[str, Any], path: str) -> dict[str, Any]:
    source_data = members.get("includeReferenceSourceData")
    return {
        "filter": reading.filter(members.get("filterAddOn"), f"{path}.filterAddOn"),
        "reranker_threshold": reading.number(members.get("rerankerThreshold"), f"{path}.rerankerThreshold", 0, 4),
        "include_source_data": reading.flag(source_data, f"{path}.includeReferenceSourceData", False),
    }


def _distinct(reading: Reading, targets: list[Target]) -> tuple[Target, ...]:
    for place, target in enumerate(targets):
        if target.index and any(target.index == earlier.index for earlier in targets[:place]):
            reading.fault(target.path, "duplicate_index", "This index is named twice.")
    return tuple(targets)
