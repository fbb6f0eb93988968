"""The shape of knowledge definitions and of retrieve calls."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..schema.models import LenientModel, StrictModel

Threshold = Annotated[float, Field(ge=0, le=4, strict=False)]


class MinimalEffort(StrictModel):
    """The effort of a retrieval without a language model; the service calls it minimal, and it is the only one here."""

    kind: Literal["minimal"]


class FieldReference(StrictModel):
    """A field by name."""

    name: str


class SourceIndex(StrictModel):
    """The index of a knowledge source."""

    search_index_name: str
    semantic_configuration_name: str | None = None
    source_data_fields: list[FieldReference] | None = None
    search_fields: list[FieldReference] | None = None


class Source(LenientModel):
    """A knowledge source; only those over a search index are offered."""

    name: str
    kind: Literal["searchIndex"]
    description: str | None = None
    search_index_parameters: SourceIndex


class SourceReference(StrictModel):
    """A source of a knowledge base; images and freshness are not offered."""

    name: str
    enable_image_serving: Literal[False] | None = None
    enable_freshness: Literal[False] | None = None


class Base(LenientModel):
    """A knowledge base."""

    name: str
    description: str | None = None
    knowledge_sources: list[SourceReference] = Field(min_length=1)
    output_mode: Literal["extractiveData"] | None = None
    retrieval_reasoning_effort: MinimalEffort | None = None


class TargetIndex(StrictModel):
    """An index of an agent."""

    index_name: str
    default_reranker_threshold: Threshold | None = None
    default_include_reference_source_data: bool | None = None
    default_max_docs_for_reranker: Annotated[int, Field(ge=1, le=10_000)] | None = None


class Agent(LenientModel):
    """An agent."""

    name: str
    description: str | None = None
    target_indexes: list[TargetIndex] = Field(min_length=1)


class Intent(StrictModel):
    """A query that needs no planning."""

    type: Literal["semantic"] = "semantic"
    search: str = Field(pattern=r"\S")


class Part(LenientModel):
    """A part of a message."""

    type: str = "text"
    text: str | None = None


class Message(StrictModel):
    """A message of a conversation."""

    role: str = "user"
    content: list[Part] | None = None


class SourceParameters(StrictModel):
    """How a source is searched in one call."""

    knowledge_source_name: str
    kind: Literal["searchIndex"] = "searchIndex"
    filter_add_on: str | None = None
    include_references: bool | None = None
    include_reference_source_data: bool | None = None
    always_query_source: bool | None = None
    reranker_threshold: Threshold | None = None


class BaseCall(StrictModel):
    """A retrieve call to a knowledge base. Limits of time and size have no effect here."""

    intents: list[Intent] | None = None
    messages: list[Message] | None = None
    knowledge_source_params: list[SourceParameters] | None = None
    retrieval_reasoning_effort: MinimalEffort | None = None
    output_mode: Literal["extractiveData"] | None = None
    max_runtime_in_seconds: int | None = None
    max_output_size: int | None = None
    max_output_size_in_tokens: int | None = None
    include_activity: bool | None = None


class TargetParameters(StrictModel):
    """How an index of an agent is searched in one call."""

    index_name: str
    filter_add_on: str | None = None
    max_docs_for_reranker: Annotated[int, Field(ge=1, le=10_000)] | None = None
    reranker_threshold: Threshold | None = None
    include_reference_source_data: bool | None = None


class AgentCall(StrictModel):
    """A retrieve call to an agent."""

    messages: list[Message] = Field(min_length=1)
    target_index_params: list[TargetParameters] | None = None
