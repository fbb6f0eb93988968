"""What holds for the resources of every deployment. Each rule gives what is wrong, so that a test can see it fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scripts.inventory import ROLES, resource_type, scope_of

from .reading import (
    COMPONENT,
    CONTAINER,
    DIAGNOSTICS,
    IDENTITY,
    LOG_ALERT,
    MODEL,
    QUEUE,
    ROLE,
    SEARCH,
    SITE,
    STORAGE,
    WORKSPACE,
    Snapshot,
    keys_in,
    resources,
    texts_in,
    value_at,
)

# The versions that were seen to have types in the compiler, so that properties are checked, not guessed.
API_VERSIONS = {
    "Microsoft.Authorization/roleAssignments": "2022-04-01",
    "Microsoft.CognitiveServices": "2025-06-01",
    "Microsoft.Insights/actionGroups": "2023-01-01",
    "Microsoft.Insights/components": "2020-02-02",
    "Microsoft.Insights/diagnosticSettings": "2021-05-01-preview",
    "Microsoft.Insights/metricAlerts": "2026-01-01",
    "Microsoft.Insights/scheduledQueryRules": "2026-03-01",
    "Microsoft.Insights/workbooks": "2023-06-01",
    "Microsoft.ManagedIdentity/userAssignedIdentities": "2024-11-30",
    "Microsoft.Network/privateDnsZones": "2024-06-01",
    "Microsoft.Network/privateEndpoints": "2025-05-01",
    "Microsoft.Network/virtualNetworks": "2025-05-01",
    "Microsoft.OperationalInsights/workspaces": "2025-07-01",
    "Microsoft.Resources/resourceGroups": "2025-04-01",
    "Microsoft.Search/searchServices": "2025-05-01",
    "Microsoft.Storage/storageAccounts": "2025-06-01",
    "Microsoft.Web": "2025-03-01",
}

REQUIRED: tuple[tuple[str, str, Any], ...] = (
    (STORAGE, "kind", "StorageV2"),
    (STORAGE, "properties.allowSharedKeyAccess", False),
    (STORAGE, "properties.defaultToOAuthAuthentication", True),
    (STORAGE, "properties.allowBlobPublicAccess", False),
    (STORAGE, "properties.allowCrossTenantReplication", False),
    (STORAGE, "properties.minimumTlsVersion", "TLS1_2"),
    (STORAGE, "properties.supportsHttpsTrafficOnly", True),
    (f"{STORAGE}/blobServices", "properties.isVersioningEnabled", False),
    (f"{STORAGE}/blobServices", "properties.deleteRetentionPolicy.enabled", False),
    (CONTAINER, "properties.publicAccess", "None"),
    (SEARCH, "properties.disableLocalAuth", True),
    (SEARCH, "properties.authOptions", None),
    (SEARCH, "identity.type", "SystemAssigned"),
    (MODEL, "kind", "OpenAI"),
    (MODEL, "properties.disableLocalAuth", True),
    (COMPONENT, "kind", "web"),
    (COMPONENT, "properties.DisableLocalAuth", True),
    (WORKSPACE, "properties.features.disableLocalAuth", True),
    (LOG_ALERT, "properties.skipQueryValidation", True),
    ("Microsoft.Web/serverfarms", "kind", "functionapp"),
    ("Microsoft.Web/serverfarms", "sku.name", "FC1"),
    ("Microsoft.Web/serverfarms", "sku.tier", "FlexConsumption"),
    ("Microsoft.Web/serverfarms", "properties.reserved", True),
    (SITE, "kind", "functionapp,linux"),
    (SITE, "identity.type", "UserAssigned"),
    (SITE, "properties.httpsOnly", True),
    (SITE, "properties.siteConfig.minTlsVersion", "1.2"),
    (SITE, "properties.siteConfig.cors.supportCredentials", False),
    (SITE, "properties.functionAppConfig.runtime.name", "python"),
    (SITE, "properties.functionAppConfig.deployment.storage.type", "blobContainer"),
    (SITE, "properties.functionAppConfig.deployment.storage.authentication.type", "UserAssignedIdentity"),
)

# Flex Consumption refuses or ignores these.
FORBIDDEN_PROPERTIES = frozenset(
    [
        "alwaysOn", "ftpsState", "use32BitWorkerProcess", "linuxFxVersion", "windowsFxVersion", "javaVersion",
        "netFrameworkVersion", "powerShellVersion", "isReserved", "isXenon", "containerSize", "dnsConfiguration",
        "functionAppScaleLimit", "preWarmedInstanceCount", "vnetRouteAllEnabled", "vnetContentShareEnabled",
        "vnetImagePullEnabled", "vnetBackupRestoreEnabled",
    ]
)  # fmt: skip

_KEY = re.compile(
    r"list\w*(?:Keys|Secrets|ConnectionStrings|Credentials)\b|AccountKey=|SharedAccess|[?&]sig=|InstrumentationKey=|clientSecret",
    re.IGNORECASE,
)
_NAME = {
    STORAGE: re.compile(r"[a-z0-9]{3,24}"),
    SEARCH: re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])"),
    SITE: re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])"),
    MODEL: re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])"),
    QUEUE: re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])"),
    CONTAINER: re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])"),
}
# Children, extensions and role assignments take no tags.
_TAGLESS = (
    "/config",
    "/blobServices",
    "/queueServices",
    "/containers",
    "/queues",
    "/managementPolicies",
    "/deployments",
    "DnsZoneGroups",
)


def api_versions(snapshot: Snapshot) -> Iterator[str]:
    """Every resource has the version of the list, or that of its nearest parent there."""
    for entry in snapshot["predictedResources"]:
        kind = entry["type"]
        known = max((name for name in API_VERSIONS if kind == name or kind.startswith(f"{name}/")), key=len, default=None)
        if known is None or entry["apiVersion"] != API_VERSIONS[known]:
            yield f"{kind}@{entry['apiVersion']} is not in the list"


def required_properties(snapshot: Snapshot) -> Iterator[str]:
    """Each row of REQUIRED holds for every resource of its type."""
    for kind, path, wanted in REQUIRED:
        for entry in resources(snapshot, kind):
            if value_at(entry, path) != wanted:
                yield f"{entry['name']}: {path} is {value_at(entry, path)!r}, not {wanted!r}"


def forbidden_properties(snapshot: Snapshot) -> Iterator[str]:
    """No site property that Flex Consumption does not take."""
    for entry in resources(snapshot, SITE):
        yield from (f"{entry['name']}: {key} is not for Flex" for key in keys_in(entry) if key in FORBIDDEN_PROPERTIES)


def keys(snapshot: Snapshot) -> Iterator[str]:
    """No key, no key function and no connection string, in a value, a name or an output."""
    yield from (f"a key in {text[:80]!r}" for text in texts_in(snapshot) if _KEY.search(text))
    yield from (
        f"a member {key} for a key"
        for key in keys_in(snapshot)
        if key.lower() in ("clientsecret", "clientsecretsettingname")
    )


def role_assignments(snapshot: Snapshot) -> Iterator[str]:
    """A known role on a resource, never on a group, for a stated kind of principal; the name is made of all three."""
    for entry in resources(snapshot, ROLE):
        properties, scope = entry["properties"], scope_of(entry["id"])
        role = properties["roleDefinitionId"].rsplit("/", 1)[-1]
        if role not in ROLES:
            yield f"the role {role} is none of ours"
        if not resource_type(scope):
            yield f"{scope} is no resource: roles are for the resource they are needed on"
        if properties.get("principalType") not in ("ServicePrincipal", "User", "Group"):
            yield f"{entry['name']}: no principalType"
        principal = properties["principalId"]
        if principal.startswith("[") and entry["name"] != f"[guid('{scope}', {principal[1:-1]}, '{role}')]":
            yield f"{entry['name']} is not made of scope, principal and role"


def unique_names(snapshot: Snapshot) -> Iterator[str]:
    """No two resources are one, which would let the later overwrite the earlier."""
    seen: set[str] = set()
    for entry in snapshot["predictedResources"]:
        if entry["id"].lower() in seen:
            yield f"{entry['id']} stands twice"
        seen.add(entry["id"].lower())


def well_formed_names(snapshot: Snapshot) -> Iterator[str]:
    """The names fit what the service takes."""
    for kind, pattern in _NAME.items():
        for entry in resources(snapshot, kind):
            if not pattern.fullmatch(entry["name"].rsplit("/", 1)[-1]):
                yield f"{entry['name']} is no name for {kind}"


def tags(snapshot: Snapshot) -> Iterator[str]:
    """azd finds the environment by one tag on everything, and the app by another on the site alone."""
    for entry in snapshot["predictedResources"]:
        if "location" in entry and not value_at(entry, "tags.azd-env-name"):
            yield f"{entry['name']} has no azd-env-name"
        if "location" not in entry and not entry["type"].endswith(_TAGLESS) and entry["type"] not in (ROLE, DIAGNOSTICS):
            yield f"{entry['type']} has no location"
        if (value_at(entry, "tags.azd-service-name") == "app") != (entry["type"] == SITE):
            yield f"{entry['name']}: azd-service-name belongs on the site alone"


def identity(snapshot: Snapshot) -> Iterator[str]:
    """The site has the one identity that is made here, and reads its package and its vault references with it."""
    made = [entry["id"] for entry in resources(snapshot, IDENTITY)]
    for site in resources(snapshot, SITE):
        storage = value_at(
            site, "properties.functionAppConfig.deployment.storage.authentication.userAssignedIdentityResourceId"
        )
        held = list(site["identity"].get("userAssignedIdentities", {}))
        if not (made == held == [storage] == [site["properties"].get("keyVaultReferenceIdentity")]):
            yield f"{site['name']} does not use the one identity made here throughout"


RULES = (
    *(api_versions, required_properties, forbidden_properties, keys, role_assignments),
    *(unique_names, well_formed_names, tags, identity),
)
