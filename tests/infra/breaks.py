"""Ways to break a snapshot: for each rule, copies that it must not let through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import resource_rules as r
from . import setting_rules as s
from .reading import (
    CONFIG,
    CONTAINER,
    DIAGNOSTICS,
    ENDPOINT,
    LIFECYCLE,
    LOG_ALERT,
    METRIC_ALERT,
    NETWORK,
    QUEUE,
    ROLE,
    SEARCH,
    SITE,
    STORAGE,
    ZONE,
    only,
    resources,
)

Deed = Callable[[dict[str, Any]], None]


def put(kind: str, path: str, value: Any, ending: str = "") -> Deed:
    """Set a value (None: remove it) at a path of the first resource of a type."""

    def deed(snapshot: dict[str, Any]) -> None:
        *steps, last = path.split(".")
        node: Any = next(entry for entry in resources(snapshot, kind) if entry["name"].endswith(ending))
        for step in steps:
            node = node[int(step)] if isinstance(node, list) else node.setdefault(step, {})
        _assign(node, last, value)

    return deed


def setting(name: str, value: Any) -> Deed:
    """Set one app setting (None: remove it)."""
    return lambda snapshot: _assign(only(snapshot, CONFIG, "/appsettings")["properties"], name, value)


def drop(kind: str, ending: str = "") -> Deed:
    """Take the first resource of a type away."""
    return lambda snapshot: snapshot["predictedResources"].remove(
        next(entry for entry in resources(snapshot, kind) if entry["name"].endswith(ending))
    )


def auth(path: str, value: Any) -> Deed:
    """Set one property of the authentication in front of the app."""
    return put(CONFIG, f"properties.{path}", value, "/authsettingsV2")


def _assign(node: Any, key: str, value: Any) -> None:
    if value is None:
        del node[key]
    else:
        node[key] = value


_AAD = "identityProviders.azureActiveDirectory"
_GROUP_ID = "[extensionResourceId('/subscriptions/x/resourceGroups/g', 'Microsoft.Authorization/roleAssignments', 'x')]"
_RULE = "properties.policy.rules.0"
_DELEGATION = "properties.subnets.0.properties.delegations.0.properties.serviceName"
_QUERIES = [{"category": "OperationLogs", "enabled": True}]
_WEBHOOK = "AzureFunctionsJobHost__extensions__mcp__system__webhookAuthorizationLevel"

BREAKS: dict[Callable[..., Any], tuple[tuple[str, Deed], ...]] = {
    r.api_versions: (
        ("dev", put(SITE, "apiVersion", "2026-03-15")),
        ("dev", put(STORAGE, "type", "Microsoft.KeyVault/vaults")),
    ),
    r.required_properties: tuple(("prod", put(kind, path, "broken")) for kind, path, _ in r.REQUIRED),
    r.forbidden_properties: tuple(
        ("dev", put(SITE, f"properties.siteConfig.{name}", True)) for name in sorted(r.FORBIDDEN_PROPERTIES)
    ),
    r.keys: (
        ("dev", setting("X", "[listKeys('/subscriptions/x', '2025-06-01').keys[0].value]")),
        ("dev", setting("X", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b")),
        ("dev", setting("X", "https://a.blob.example.org/c?sv=1&sig=abc")),
        ("dev", setting("X", "InstrumentationKey=0")),
        ("dev", lambda snapshot: snapshot["outputs"].update(KEY="[listAdminKeys('x', '1').primaryKey]")),
        ("dev", auth(f"{_AAD}.registration.clientSecretSettingName", "S")),
    ),
    r.role_assignments: (
        ("dev", put(ROLE, "properties.roleDefinitionId", "/x/8e3af657-a8ff-443c-a75c-2fe8c4bcb635")),
        ("dev", put(ROLE, "properties.principalType", None)),
        ("dev", put(ROLE, "name", "[guid(newGuid())]")),
        ("dev", put(ROLE, "id", _GROUP_ID)),
    ),
    r.unique_names: (("dev", lambda snapshot: snapshot["predictedResources"].append(only(snapshot, STORAGE))),),
    r.well_formed_names: (
        ("dev", put(STORAGE, "name", "st-dev")),
        ("dev", put(SEARCH, "name", "srch_dev")),
        ("dev", put(QUEUE, "name", "a/default/Briefings")),
        ("dev", put(CONTAINER, "name", "a/default/a--b")),
    ),
    r.tags: (
        ("dev", put(SEARCH, "tags", None)),
        ("dev", put(SITE, "tags.azd-service-name", None)),
        ("dev", put(SEARCH, "tags.azd-service-name", "app")),
        ("dev", put(SEARCH, "location", None)),
    ),
    r.identity: (
        ("dev", put(SITE, "identity.userAssignedIdentities", {"/another": {}})),
        ("dev", put(SITE, "properties.keyVaultReferenceIdentity", None)),
    ),
    s.forbidden_settings: tuple(("dev", setting(name, "x")) for name in sorted(s.FORBIDDEN_SETTINGS)),
    s.text_values: (("dev", setting("AiAgents__Briefings__RetentionDays", 30)),),
    s.connections: (
        *(("dev", setting(f"AzureWebJobsStorage__{part}ServiceUri", None)) for part in ("blob", "queue", "table")),
        *(("dev", setting(f"BriefingStorage__{part}ServiceUri", None)) for part in ("blob", "queue")),
        *(("dev", setting(f"{name}__credential", None)) for name in s.CONNECTIONS),
        *(("dev", setting(f"{name}__clientId", "11111111-1111-4111-8111-111111111111")) for name in s.CONNECTIONS),
        ("dev", setting("BriefingStorage__accountName", "x")),
        ("dev", setting("AZURE_CLIENT_ID", "")),
    ),
    s.telemetry: (
        *(("dev", setting(name, "x")) for name in s.TELEMETRY),
        ("dev", setting("APPLICATIONINSIGHTS_AUTHENTICATION_STRING", "Authorization=AAD")),
        ("dev", setting("APPLICATIONINSIGHTS_CONNECTION_STRING", "x")),
        ("dev", setting("OTEL_TRACES_SAMPLER_ARG", "20")),
    ),
    s.secrets: tuple(("dev", setting(name, "c2VjcmV0")) for name in s.SECRETS),
    s.search_and_model: (
        ("prod", setting("AiAgents__AISearch__Endpoint", "https://other.search.windows.net")),
        ("prod", setting("AiAgents__Model__Endpoint", None)),
        ("prod", setting("AiAgents__Model__Deployment", "another")),
    ),
    s.briefings: (
        ("dev", setting("AiAgents__Briefings__QueueName", "other")),
        ("dev", setting("AiAgents__Briefings__Container", "other")),
        ("prod", setting("AiAgents__Briefings__DoneQueueName", "")),
        ("dev", setting("AiAgents__Briefings__RetentionDays", "31")),
        ("dev", drop(QUEUE, "-poison")),
        ("dev", drop(CONTAINER)),
        ("dev", put(LIFECYCLE, f"{_RULE}.enabled", False)),
        ("dev", put(LIFECYCLE, f"{_RULE}.definition.filters.prefixMatch", [""])),
    ),
    s.callers: (
        ("dev", auth("platform.enabled", False)),
        ("dev", auth("globalValidation.requireAuthentication", False)),
        ("dev", auth("globalValidation.unauthenticatedClientAction", "AllowAnonymous")),
        ("dev", auth("globalValidation.excludedPaths", ["/api/health/live", "/api"])),
        ("dev", auth(f"{_AAD}.validation.allowedAudiences", [])),
        ("dev", auth("login.tokenStore.enabled", True)),
        ("dev", setting("AiAgents__Auth__Mode", "function")),
        ("dev", setting("WEBSITE_AUTH_AAD_ALLOWED_TENANTS", "other")),
        ("dev", setting(_WEBHOOK, None)),
    ),
    s.query_logging: (("dev", put(DIAGNOSTICS, "properties.logs", _QUERIES)), ("dev", drop(DIAGNOSTICS))),
    s.alerts: (
        *(("dev", drop(LOG_ALERT, ending)) for ending in s.ALERTS),
        *(("prod", drop(METRIC_ALERT, ending)) for ending in ("search-throttling", "model-throttling")),
        ("prod", put(LOG_ALERT, "properties.actions.actionGroups", [])),
        ("dev", put(LOG_ALERT, "properties.enabled", False)),
    ),
    s.network: (
        ("dev", put(STORAGE, "properties.publicNetworkAccess", "Disabled")),
        ("private", put(STORAGE, "properties.networkAcls.defaultAction", "Allow")),
        ("private", put(SITE, "properties.virtualNetworkSubnetId", None)),
        ("private", put(SITE, "properties.publicNetworkAccess", "Enabled")),
        ("private", put(NETWORK, _DELEGATION, "Microsoft.Web/serverFarms")),
        *(("private", drop(kind)) for kind in (ENDPOINT, f"{ENDPOINT}/privateDnsZoneGroups")),
        *(("private", drop(kind)) for kind in (ZONE, f"{ZONE}/virtualNetworkLinks")),
    ),
}
