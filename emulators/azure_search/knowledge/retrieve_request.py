"""Turns a retrieve call to a knowledge base or an agent into searches on targets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import ServiceError, invalid_request
from .models import AgentCall, BaseCall, Message, Source, SourceParameters, TargetIndex, TargetParameters

DEFAULT_THRESHOLD = 1.9
MAX_DOCUMENTS = 50


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


def base_queries(call: BaseCall) -> list[str]:
    """The texts to search: the intents. Messages need a model in the knowledge base, and bases here have no model."""
    if call.intents:
        return [each.search for each in call.intents]
    if not call.messages:
        raise invalid_request("retrievalRequest", "A request needs 'intents' or 'messages'.")
    raise invalid_request("retrievalRequest", "'messages' need a model in the knowledge base; use 'intents'.")


def last_question(messages: Iterable[Message]) -> str:
    """The text of the user's last message."""
    texts = [text for each in messages if each.role == "user" and (text := _text(each))]
    if not texts:
        raise invalid_request("retrievalRequest", "At least one message of the user needs a text.")
    return texts[-1]


def _text(message: Message) -> str:
    return " ".join(part.text for part in message.content or () if part.type == "text" and part.text).strip()


def source_target(name: str, source: Source, asked: SourceParameters | None) -> Target:
    """A knowledge source as a target of this call."""
    options = source.search_index_parameters
    threshold = asked.reranker_threshold if asked else None
    return Target(
        name=name,
        index=options.search_index_name,
        configuration=options.semantic_configuration_name,
        source_fields=tuple(each.name for each in options.source_data_fields or ()),
        search_fields=tuple(each.name for each in options.search_fields or ()),
        filter=asked.filter_add_on if asked else None,
        threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
        references=not (asked and asked.include_references is False),
        source_data=bool(asked and asked.include_reference_source_data),
    )


def index_target(known: TargetIndex, asked: TargetParameters | None) -> Target:
    """An index of an agent as a target of this call."""
    threshold = asked.reranker_threshold if asked else None
    threshold = known.default_reranker_threshold if threshold is None else threshold
    documents = (asked.max_docs_for_reranker if asked else None) or known.default_max_docs_for_reranker
    shown = asked.include_reference_source_data if asked else None
    return Target(
        name=known.index_name,
        index=known.index_name,
        filter=asked.filter_add_on if asked else None,
        threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
        documents=min(documents or MAX_DOCUMENTS, MAX_DOCUMENTS),
        source_data=bool(known.default_include_reference_source_data if shown is None else shown),
    )


def sources_asked(call: BaseCall, known: Iterable[str]) -> dict[str, SourceParameters]:
    """The parameters of each source by its name; a foreign source or one named twice is a 400."""
    asked = call.knowledge_source_params or []
    _check_names([each.knowledge_source_name for each in asked], set(known), "knowledge source")
    return {each.knowledge_source_name: each for each in asked}


def indexes_asked(call: AgentCall, known: Iterable[str]) -> dict[str, TargetParameters]:
    """The parameters of each index by its name; a foreign index or one named twice is a 400."""
    asked = call.target_index_params or []
    _check_names([each.index_name for each in asked], set(known), "index")
    return {each.index_name: each for each in asked}


def _check_names(names: list[str], known: set[str], kind: str) -> None:
    for name in names:
        if name not in known:
            raise _call_error(f"The {kind} '{name}' does not belong to this definition.")
        if names.count(name) > 1:
            raise _call_error(f"The {kind} '{name}' is named twice.")


def _call_error(text: str) -> ServiceError:
    return invalid_request("retrievalRequest", text)
