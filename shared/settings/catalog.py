"""The app settings by name: the one table that the loader, the README and the infrastructure are held to (spec 2)."""

from __future__ import annotations

from dataclasses import dataclass

SEARCH = "AiAgents__AISearch__"
INDEXES = SEARCH + "Indexes"
AUTHENTICATION = SEARCH + "Authentication__"
AGENTS = "AiAgents__KnowledgeAgents"
CONTEXT = "AiAgents__Context__"
MODEL = "AiAgents__Model__"
BRIEFINGS = "AiAgents__Briefings__"
TELEMETRY = "AiAgents__Telemetry__"
LINK_HOSTS = "AiAgents__Citations__AllowedLinkHosts"
CONCURRENCY = "AiAgents__MaxConcurrentRequests"
AUTH_MODE = "AiAgents__Auth__Mode"
STORAGE = "BriefingStorage"
CLIENT_ID = "AZURE_CLIENT_ID"


@dataclass(frozen=True, slots=True)
class Setting:
    """One app setting: full name, default as text (`required` and `none` are words) and what it means."""

    name: str
    default: str
    meaning: str


SETTINGS: tuple[Setting, ...] = (
    Setting(SEARCH + "Endpoint", "required", "Address of the search service; http only on a loopback address."),
    Setting(INDEXES, "required", "The indexes callers may name: a JSON list, or `…__Indexes__0__Name` and so on."),
    Setting(SEARCH + "MinimumRelevanceFilter", "0.5", "0–1: keep hits scoring at least this share of the top hit."),
    Setting(SEARCH + "MaxEvidenceCharacters", "190000", "Most characters of evidence text, at least 400."),
    Setting(SEARCH + "MaxRetryAttempts", "3", "Retries of one search, honouring `Retry-After`."),
    Setting(SEARCH + "TimeoutSeconds", "20", "Most seconds for one search, retries included."),
    Setting(AUTHENTICATION + "TenantId", "none", "Another identity for search: with `ClientId` and `ClientSecret`."),
    Setting(AUTHENTICATION + "ClientId", "none", "See `TenantId`."),
    Setting(AUTHENTICATION + "ClientSecret", "none", "See `TenantId`."),
    Setting(AUTHENTICATION + "AuthorityHost", "none", "Sign-in host of another cloud."),
    Setting(AUTHENTICATION + "ManagedIdentityClientId", "none", "Another managed identity for search, given alone."),
    Setting(CLIENT_ID, "none", "Client id of the app's user-assigned identity; blank counts as absent."),
    Setting(AGENTS, "none", "JSON list of knowledge agents."),
    Setting(CONTEXT + "Index", "none", "The index that `/api/context` and the search tool read."),
    Setting(CONTEXT + "Filter", "none", 'Its filter as JSON: `{"equals": …}`, or `template` with `values`.'),
    Setting(CONTEXT + "Unfiltered", "false", "Must be true for a context without a filter."),
    Setting(CONTEXT + "SearchTime", "BeforeAIInvoke", "`BeforeAIInvoke` or `OnDemandFunctionCalling`."),
    Setting(CONTEXT + "RecentMessageMemoryLimit", "0", "How many earlier messages join the search text."),
    Setting(CONTEXT + "RecentMessageRolesIncluded", '["user"]', "JSON list of the roles that are remembered."),
    Setting(CONTEXT + "StateKey", "TextSearchProvider", "Key of the provider's part of the state."),
    Setting(CONTEXT + "ContextPrompt", "none", "Text before the results, instead of the built-in one."),
    Setting(CONTEXT + "CitationsPrompt", "none", "Text after the results, instead of the built-in one."),
    Setting(CONTEXT + "FunctionToolName", "Search", "Name of the on-demand tool."),
    Setting(CONTEXT + "FunctionToolDescription", "none", "Description of the on-demand tool."),
    Setting(MODEL + "Endpoint", "none", "OpenAI-compatible chat endpoint; without it the extractive writer writes."),
    Setting(MODEL + "Deployment", "none", "Name of the model deployment; required with `Endpoint`."),
    Setting(MODEL + "MaxOutputTokens", "2000", "Most tokens of one model reply."),
    Setting(MODEL + "MaxConcurrency", "4", "Model calls at once in one process."),
    Setting(MODEL + "DailyTokenLimit", "none", "Most tokens a day for the whole app."),
    Setting(MODEL + "TakesImages", "false", "Whether the model takes image parts of an agent's messages."),
    Setting(BRIEFINGS + "QueueName", "briefings", "The queue of the briefing function; read when the app is imported."),
    Setting(BRIEFINGS + "Container", "briefings", "Blob container of records and requests."),
    Setting(BRIEFINGS + "DoneQueueName", "none", "Queue that gets a small message for each final record."),
    Setting(BRIEFINGS + "MaxConcurrency", "4", "Sections and writers at work at once in one process."),
    Setting(BRIEFINGS + "DeadlineSeconds", "240", "Most seconds for one briefing; below `functionTimeout` of host.json."),
    Setting(BRIEFINGS + "RetentionDays", "90", "Days after which records and requests go."),
    Setting(STORAGE + "__queueServiceUri", "required for briefings", "Queue service, reached with the app's identity."),
    Setting(STORAGE + "__blobServiceUri", "required for briefings", "Blob service, reached with the app's identity."),
    Setting(STORAGE + "__credential", "none", "`managedidentity` in Azure."),
    Setting(STORAGE + "__clientId", "none", "Client id of the user-assigned identity."),
    Setting(STORAGE, "none", "Connection string of the local emulator; never in Azure."),
    Setting(CONCURRENCY, "100", "Content calls at once in one process; more get 429."),
    Setting(LINK_HOSTS, "none", "JSON list of hosts whose model-written links may stay links."),
    Setting(TELEMETRY + "EnableSensitiveTelemetryData", "false", "Lets content into telemetry."),
    Setting(TELEMETRY + "ConfirmSensitiveInAzure", "false", "Must be true too for that in Azure."),
    Setting(TELEMETRY + "Redactor", "erase", "`erase`, `hmac` or `package.module:Class`."),
    Setting(TELEMETRY + "HmacKey", "none", "Base64 key of the `hmac` redactor, at least 44 characters."),
    Setting(TELEMETRY + "HmacKeyId", "none", "Number that stands before each `hmac` value."),
    Setting(AUTH_MODE, "function", "`function`, `entra` or `open`; read when the app is imported."),
)

INDEX_KEYS = (
    *("Name", "ContentFields", "NameField", "LinkField", "KeyField", "ReturnFields", "PermissionFilter"),
    *("SemanticConfiguration", "VectorFields", "SemanticFallback", "FilterFields", "RequiredFilterFields"),
    *("MinimumRelevanceFilter", "MinimumRerankerScore", "AllowedRoles"),
)
"""The keys of one entry of `AiAgents__AISearch__Indexes`."""
