"""The app settings as one tree of pydantic models: their names, forms, defaults and meanings.

The README's table, the example file and the names that the infrastructure writes are held to this tree. It checks types,
names and forms; the frozen values that `load` makes of it check ranges and combinations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel, to_pascal
from pydantic.fields import FieldInfo

from .forms import (
    Address,
    Flag,
    Hosts,
    HttpsAddress,
    Integer,
    JsonList,
    JsonObject,
    Labels,
    NamedTexts,
    Number,
    QueueName,
    RawText,
    StorageName,
    Text,
    Texts,
    is_blank,
)


class Block(BaseModel):
    """Settings under one prefix, or one object of a JSON list. Keys ignore letter case; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_pascal, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise ValueError("Must be an object.")
        fields = {str(field.alias).lower(): field for field in cls.model_fields.values()}
        members = {}
        for key, member in value.items():
            field = fields.get(str(key).lower())
            name = str(key) if field is None else str(field.alias)
            if name in members:
                raise ValueError("Names a key twice.")
            members[name] = member
        return {name: member for name, member in members.items() if not _is_absent(member, fields.get(name.lower()))}


def _is_absent(value: object, field: FieldInfo | None) -> bool:
    """Whether a member is blank, or the word `null` where no text belongs: the numbered form has texts alone."""
    if field is None or is_blank(value):
        return field is not None
    return isinstance(value, str) and value.strip().lower() == "null" and field.annotation not in (str, str | None)


def _setting(meaning: str, default: Any = None, *, shown: str | None = None, **more: Any) -> Any:
    """A setting's field. `shown` stands in the tables where the default is no value."""
    return Field(default, description=meaning, json_schema_extra={"shown": shown} if shown else None, **more)


class IndexEntry(Block):
    """One entry of `AiAgents__AISearch__Indexes`."""

    name: Text
    content_fields: Texts = ()
    name_field: Text | None = None
    link_field: Text | None = None
    key_field: Text | None = None
    return_fields: NamedTexts | None = None
    search_fields: Texts = ()
    permission_filter: Flag = False
    semantic_configuration: Text | None = None
    vector_fields: Texts = ()
    semantic_fallback: Flag = False
    filter_fields: NamedTexts | None = None
    required_filter_fields: Texts = ()
    minimum_relevance_filter: Number | None = None
    minimum_reranker_score: Number | None = None
    allowed_roles: NamedTexts | None = None
    labels: Labels = Field(default_factory=dict)


class AgentIndexEntry(Block):
    """An index of an agent, with the agent's own filter as an object."""

    name: Text
    filter: JsonObject | None = None


Engine = Annotated[
    Literal["planned", "service"], BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)
]


class AgentEntry(Block):
    """One entry of `AiAgents__KnowledgeAgents`."""

    name: Text
    engine: Engine = "planned"
    indexes: tuple[AgentIndexEntry, ...] = ()
    max_sub_queries: Integer = 3
    reranker_threshold: Number | None = None
    knowledge_base: Text | None = None
    knowledge_agent: Text | None = None


class AuthenticationBlock(Block):
    """`AiAgents__AISearch__Authentication__…`."""

    tenant_id: Text | None = _setting("Another identity for search: with `ClientId` and `ClientSecret`.")
    client_id: Text | None = _setting("See `TenantId`.")
    client_secret: Text | None = _setting("See `TenantId`.", repr=False)
    authority_host: HttpsAddress | None = _setting("Sign-in host of another cloud.")
    managed_identity_client_id: Text | None = _setting("Another managed identity for search, given alone.")


class SearchBlock(Block):
    """`AiAgents__AISearch__…`."""

    endpoint: Address | None = _setting("Address of the search service; http only on a loopback address.", shown="required")
    indexes: Any = _setting(
        "The indexes callers may name: a JSON list, or `…__Indexes__0__Name` and so on.", shown="required"
    )
    minimum_relevance_filter: Number = _setting("0–1: keep hits scoring at least this share of the top hit.", 0.5)
    max_evidence_characters: Integer = _setting("Most characters of evidence text, 400–500,000.", 190_000)
    max_retry_attempts: Integer = _setting("Retries of one search, honouring `Retry-After`.", 3)
    timeout_seconds: Number = _setting("Most seconds for one search, retries included.", 20)
    authentication: AuthenticationBlock = AuthenticationBlock()


class ContextBlock(Block):
    """`AiAgents__Context__…`."""

    index: Text | None = _setting("The index that `/api/context` and the search tool read.")
    filter: JsonObject | None = _setting('Its filter as JSON: `{"equals": …}`, or `template` with `values`.')
    unfiltered: Flag = _setting("Must be true for a context without a filter.", False)
    search_time: Text = _setting("`BeforeAIInvoke` or `OnDemandFunctionCalling`.", "BeforeAIInvoke")
    recent_message_memory_limit: Integer = _setting("How many earlier messages join the search text.", 0, ge=0, le=1_000)
    recent_message_roles_included: Texts = _setting(
        "JSON list of the roles that are remembered.", ("user",), shown='["user"]'
    )
    state_key: Text = _setting("Key of the provider's part of the state.", "TextSearchProvider")
    context_prompt: RawText | None = _setting("Text before the results, instead of the built-in one.")
    citations_prompt: RawText | None = _setting("Text after the results, instead of the built-in one.")
    function_tool_name: Text = _setting("Name of the on-demand tool.", "Search")
    function_tool_description: Text | None = _setting("Description of the on-demand tool.")


class ModelBlock(Block):
    """`AiAgents__Model__…`."""

    endpoint: Address | None = _setting("OpenAI-compatible chat endpoint; without it the extractive writer writes.")
    deployment: Text | None = _setting("Name of the model deployment; required with `Endpoint`.")
    max_output_tokens: Integer = _setting("Most tokens of one model reply.", 2_000, ge=1)
    max_concurrency: Integer = _setting("Model calls at once in one process.", 4, ge=1, le=1_000)
    daily_token_limit: Integer | None = _setting("Most tokens a day for the whole app.", ge=1)
    timeout_seconds: Number = _setting("Most seconds for one model call.", 120, ge=1, le=3_600)
    api_key: Text | None = _setting("Key of an endpoint that is not Azure's; in Azure a Key Vault reference.", repr=False)
    scope: Text | None = _setting("What to ask the app's token for, for an endpoint that is not one of Azure's model hosts.")
    takes_images: Flag = _setting("Whether the model takes image parts of an agent's messages.", False)


class BriefingsBlock(Block):
    """`AiAgents__Briefings__…`."""

    queue_name: QueueName = _setting("The queue of the briefing function; read when the app is imported.", "briefings")
    container: StorageName = _setting("Blob container of records and requests.", "briefings")
    done_queue_name: StorageName | None = _setting("Queue that gets a small message for each final record.")
    max_concurrency: Integer = _setting("Sections and writers at work at once in one process.", 4, ge=1, le=1_000)
    deadline_seconds: Number = _setting(
        "Most seconds for one briefing; below `functionTimeout` of host.json.", 240, ge=1, le=86_400
    )
    definitions_folder: Text | None = _setting(
        "Folder of the definitions that are offered, relative to the app or absolute.", shown="the shipped samples"
    )
    retention_days: Integer = _setting("Days after which records and requests go.", 90, ge=1, le=36_500)


class TelemetryBlock(Block):
    """`AiAgents__Telemetry__…`."""

    enable_sensitive_telemetry_data: Flag = _setting("Lets content into telemetry.", False)
    confirm_sensitive_in_azure: Flag = _setting("Must be true too for that in Azure.", False)
    redactor: Text = _setting("`erase`, `hmac` or `package.module:Class`.", "erase")
    hmac_key: Text | None = _setting("Base64 key of the `hmac` redactor, at least 44 characters.", repr=False)
    hmac_key_id: Text | None = _setting("Number that stands before each `hmac` value.")


class CitationsBlock(Block):
    """`AiAgents__Citations__…`."""

    allowed_link_hosts: Hosts = _setting("JSON list of hosts whose model-written links may stay links.", (), shown="none")


class AuthBlock(Block):
    """`AiAgents__Auth__…`."""

    mode: Text = _setting("`function`, `entra` or `open`; read when the app is imported.", "function")


class AiAgentsBlock(Block):
    """`AiAgents__…`."""

    search: SearchBlock = Field(SearchBlock(), alias="AISearch")
    knowledge_agents: JsonList = _setting("JSON list of knowledge agents.", (), shown="none")
    context: ContextBlock = ContextBlock()
    model: ModelBlock = ModelBlock()
    briefings: BriefingsBlock = BriefingsBlock()
    max_concurrent_requests: Integer = _setting("Content calls at once in one process; more get 429.", 100, ge=1, le=10_000)
    citations: CitationsBlock = CitationsBlock()
    telemetry: TelemetryBlock = TelemetryBlock()
    auth: AuthBlock = AuthBlock()


class StorageBlock(Block):
    """`BriefingStorage__…`, and `BriefingStorage` itself."""

    model_config = ConfigDict(alias_generator=to_camel)

    queue_service_uri: HttpsAddress | None = _setting(
        "Queue service, reached with the app's identity.", shown="required for briefings"
    )
    blob_service_uri: HttpsAddress | None = _setting(
        "Blob service, reached with the app's identity.", shown="required for briefings"
    )
    credential: Text | None = _setting("`managedidentity` in Azure.")
    client_id: Text | None = _setting("Client id of the user-assigned identity.")
    connection_string: Text | None = _setting(
        "Connection string of the local emulator; never in Azure.", alias="", repr=False
    )


class AppSettings(Block):
    """Everything that the app reads of its environment under its own names."""

    ai_agents: AiAgentsBlock = Field(AiAgentsBlock(), alias="AiAgents")
    briefing_storage: StorageBlock = Field(StorageBlock(), alias="BriefingStorage")
    client_id: Text | None = _setting(
        "Client id of the app's user-assigned identity; blank counts as absent.", alias="AZURE_CLIENT_ID"
    )
