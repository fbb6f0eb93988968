"""Requests from JSON, in the two shapes of the service that callers may use."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import unquote

from ..errors import InvalidFilter, InvalidRequest, Problem, TooLarge
from ..filters.filter import ODataFilter
from ..filters.template import shown
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
    Activity,
    MessageImage,
    MessageText,
    PlanningActivity,
    RankingActivity,
    ReasoningActivity,
    Reference,
    RetrieveMessage,
    RetrieveReply,
    RetrieveRequest,
    Role,
    SearchActivity,
    Shape,
    Target,
)

# Reading of request members: every fault is collected with its JSON path, then raised together.


class Reading:
    """One pass over a request. Each method gives a usable value even after a fault, so that all of them are found.

    A null where a member may be left out counts as left out, as for the service.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def fault(self, path: str, code: str, message: str) -> None:
        """Notes a problem."""
        self.problems.append(Problem(path, code, message))

    def check(self) -> None:
        """Raises InvalidRequest when a problem was noted."""
        if self.problems:
            message = "The request has members that cannot be used; see details."
            raise InvalidRequest(message, code=self._code(), problems=tuple(self.problems))

    def _code(self) -> str:
        codes = {problem.code for problem in self.problems}
        return codes.pop() if len(codes) == 1 else InvalidRequest.code

    def members(self, value: object, path: str, known: tuple[str, ...]) -> Mapping[str, Any]:
        """The members of an object, nulls left out."""
        if not isinstance(value, Mapping):
            self.fault(path, "wrong_type", "This must be an object.")
            return {}
        for name in value:
            if name not in known:
                self.fault(path + shown(str(name)), "unknown_key", "This member is not known.")
        return {name: member for name, member in value.items() if name in known and member is not None}

    def entries(self, value: object, path: str, *, least: int = 0, most: int) -> list[Any]:
        """The entries of a list."""
        if value is None and least:
            self.fault(path, "missing", "This member is required.")
            return []
        if not isinstance(value, list):
            self.fault(path, "wrong_type", "This must be a list.")
            return []
        if not least <= len(value) <= most:
            self.fault(path, "out_of_range", f"This list must have from {least} to {most} entries.")
            return []
        return value

    def text(self, value: object, path: str) -> str:
        """A text that is not blank."""
        if value is None:
            self.fault(path, "missing", "This member is required.")
        elif not isinstance(value, str):
            self.fault(path, "wrong_type", "This must be a text.")
        elif not value.strip():
            self.fault(path, "blank", "This text must not be blank.")
        else:
            return value
        return ""

    def choice(self, value: object, path: str, allowed: tuple[str, ...]) -> str:
        """One of some words."""
        if isinstance(value, str) and value in allowed:
            return value
        code = "missing" if value is None else "out_of_range" if isinstance(value, str) else "wrong_type"
        self.fault(path, code, f"This must be one of {', '.join(allowed)}.")
        return allowed[0]

    def flag(self, value: object, path: str, default: bool) -> bool:
        """True or false."""
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.fault(path, "wrong_type", "This must be true or false.")
        return default

    def whole(self, value: object, path: str, least: int, most: int) -> int | None:
        """A whole number of a range, None where there is none. `5.0` is one in JSON."""
        number = self.number(value, path, least, most)
        if number is not None and number != int(number):
            self.fault(path, "wrong_type", "This must be a whole number.")
            return None
        return None if number is None else int(number)

    def number(self, value: object, path: str, least: float, most: float) -> float | None:
        """A number of a range, None where there is none."""
        if value is None:
            return None
        # Of floats alone: a whole number may be beyond every double, and `isfinite` fails at that.
        if isinstance(value, bool | float) and not (isinstance(value, float) and math.isfinite(value)):
            value = None
        if not isinstance(value, int | float):
            self.fault(path, "wrong_type", "This must be a number.")
            return None
        if not least <= value <= most:
            self.fault(path, "out_of_range", f"This must be from {least:g} to {most:g}.")
            return None
        return value

    def filter(self, value: object, path: str) -> ODataFilter | None:
        """An OData text that parses by itself."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.fault(path, "wrong_type", "This must be a text.")
            return None
        try:
            return ODataFilter.raw(value, path=path)
        except InvalidFilter as error:
            self.problems.extend(error.problems or (error.at(path),))
            return None


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


# Replies as JSON, in the shape of the request. Members whose value is not known are left out, never invented.

Json = dict[str, object]


def reply_to_json(reply: RetrieveReply, request: RetrieveRequest) -> Json:
    """The reply's JSON: 2025-05-01-preview for an agent, 2026-04-01 for a knowledge base."""
    content = [{"type": "text", "text": reply.text}]
    if request.shape == "agent":
        return {
            "response": [{"role": "assistant", "content": content}],
            # What reasoning took is a record of the later contract only.
            "activity": [_agent_activity(one) for one in reply.activity if not isinstance(one, ReasoningActivity)],
            "references": [_agent_reference(one) for one in reply.references],
        }
    hidden = {target.index for target in request.targets if not target.include_references}
    made: Json = {"response": [{"content": content}]}
    if request.include_activity:
        made["activity"] = [_base_activity(one) for one in reply.activity]
    return made | {"references": [_base_reference(one) for one in reply.references if one.index not in hidden]}


def _agent_activity(one: PlanningActivity | SearchActivity | RankingActivity) -> Json:
    match one:
        case PlanningActivity():
            kind, figures = "ModelQueryPlanning", _planning(one)
        case SearchActivity():
            query = {"search": one.search, "filter": one.filter}
            kind, figures = "AzureSearchQuery", {"targetIndex": one.index, "query": query, **_searched(one)}
        case RankingActivity():
            kind, figures = "AzureSearchSemanticRanker", {"inputTokens": one.input_tokens, "elapsedMs": one.elapsed_ms}
    return {"type": kind, "id": one.id, **_known(figures)}


def _base_activity(one: Activity) -> Json:
    match one:
        case PlanningActivity():
            kind, figures = "modelQueryPlanning", _planning(one)
        case SearchActivity():
            arguments = {
                "search": one.search,
                "filter": one.filter,
                "sourceDataFields": [{"name": name} for name in one.source_data_fields],
                "searchFields": [],
                "semanticConfigurationName": one.semantic_configuration,
            }
            figures = {"knowledgeSourceName": one.index, **_searched(one), "searchIndexArguments": arguments}
            kind = "searchIndex"
        case RankingActivity():
            kind, figures = "semanticReranker", {"inputTokens": one.input_tokens, "elapsedMs": one.elapsed_ms}
        case ReasoningActivity():
            kind, figures = "agenticReasoning", {"reasoningTokens": one.reasoning_tokens}
    return {"type": kind, "id": one.id, **_known(figures)}


def _planning(one: PlanningActivity) -> Json:
    return {"inputTokens": one.input_tokens, "outputTokens": one.output_tokens, "elapsedMs": one.elapsed_ms}


def _searched(one: SearchActivity) -> Json:
    time = None if one.query_time is None else _instant(one.query_time)
    return {"queryTime": time, "count": one.count, "elapsedMs": one.elapsed_ms, "warning": one.warning}


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _known(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def _agent_reference(one: Reference) -> Json:
    return {
        "type": "AzureSearchDoc",
        "id": one.id,
        "activitySource": one.activity_source,
        "docKey": one.doc_key,
        "sourceData": None if one.source_data is None else dict(one.source_data),
    }


def _base_reference(one: Reference) -> Json:
    return {
        "type": "searchIndex",
        "id": one.id,
        "activitySource": one.activity_source,
        "sourceData": None if one.source_data is None else dict(one.source_data),
        **_known({"rerankerScore": one.reranker_score, "docKey": one.doc_key, "title": one.title}),
    }


# The quoted key of the service's addresses: `agents('hr')/retrieve`, read from one path segment.

_QUOTED = re.compile(r"\('((?:[^']|'')+)'\)", re.DOTALL)


def parse_agent_key(text: str) -> str:
    """The name in `('name')`: percent-encoding (also `%2F` and `%27`) is read, a doubled quote means one.

    Raises InvalidRequest for anything else, `(name)` and `('')` among them. A host hands the segment over decoded but
    for `%2F`, so decoding it once more does no harm to a name without percent signs.
    """
    match = _QUOTED.fullmatch(unquote(text))
    if match is None or not match[1].strip():
        message = "The name in the address must stand in single quotes and brackets, such as agents('name')."
        raise InvalidRequest(message, code="invalid_key", problems=(Problem("agentName", "invalid_key", message),))
    return match[1].replace("''", "'")


# Errors in the shape of the Azure services, as the retrieve routes answer them.


def azure_error(code: str, message: str, problems: Sequence[Problem] = ()) -> dict[str, object]:
    """`{"error": {code, message, target?, details[]?}}`: `target` is the path of the only problem, `details` names each."""
    error: dict[str, object] = {"code": code, "message": message}
    if len(problems) == 1:
        error["target"] = problems[0].path
    if problems:
        error["details"] = [{"code": p.code, "message": p.message, "target": p.path} for p in problems]
    return {"error": error}
