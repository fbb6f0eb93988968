"""What holds for the app settings and for what must fit them: queues, lifecycle, authentication, alerts, the network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .reading import (
    COMPONENT,
    CONFIG,
    CONTAINER,
    DIAGNOSTICS,
    ENDPOINT,
    IDENTITY,
    LIFECYCLE,
    LOG_ALERT,
    METRIC_ALERT,
    MODEL,
    NETWORK,
    QUEUE,
    SEARCH,
    SITE,
    STORAGE,
    ZONE,
    Snapshot,
    app_settings,
    names,
    only,
    resources,
    texts_in,
    value_at,
)

# Flex Consumption ignores or refuses these; the last two would export telemetry unredacted or by key.
FORBIDDEN_SETTINGS = frozenset(
    [
        "FUNCTIONS_WORKER_RUNTIME", "FUNCTIONS_WORKER_RUNTIME_VERSION", "FUNCTIONS_EXTENSION_VERSION",
        "FUNCTIONS_MAX_HTTP_CONCURRENCY", "FUNCTIONS_WORKER_PROCESS_COUNT",
        "FUNCTIONS_WORKER_DYNAMIC_CONCURRENCY_ENABLED", "WEBSITE_RUN_FROM_PACKAGE", "SCM_DO_BUILD_DURING_DEPLOYMENT",
        "ENABLE_ORYX_BUILD", "WEBSITE_CONTENTAZUREFILECONNECTIONSTRING", "WEBSITE_CONTENTSHARE",
        "WEBSITE_CONTENTOVERVNET", "WEBSITE_SKIP_CONTENTSHARE_VALIDATION", "WEBSITE_MAX_DYNAMIC_APPLICATION_SCALE_OUT",
        "WEBSITE_VNET_ROUTE_ALL", "WEBSITE_DNS_SERVER", "WEBSITE_NODE_DEFAULT_VERSION", "WEBSITE_TIME_ZONE", "TZ",
        "AzureWebJobsStorage", "BriefingStorage", "AzureWebJobsStorage__accountName", "AZURE_TRACING_ENABLED",
        "WEBSITE_AUTH_ENABLED", "PYTHON_APPLICATIONINSIGHTS_ENABLE_TELEMETRY", "APPINSIGHTS_INSTRUMENTATIONKEY",
    ]
)  # fmt: skip
CONNECTIONS = {"AzureWebJobsStorage": ("blob", "queue", "table"), "BriefingStorage": ("queue", "blob")}
TELEMETRY = {
    "PYTHON_ENABLE_OPENTELEMETRY": "true",
    "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL": "true",
    "APPLICATIONINSIGHTS_SDKSTATS_DISABLED": "true",
    "APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED": "true",
    "APPLICATIONINSIGHTS_OPENTELEMETRY_RESOURCE_METRIC_DISABLED": "true",
    "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS": "azure_app_service",
    "OTEL_PROPAGATORS": "tracecontext",
    "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "azure_sdk,django,fastapi,flask,httpx,httpx2,psycopg2,requests,urllib,urllib3",
    "OTEL_TRACES_SAMPLER": "microsoft.fixed_percentage",
    "AiAgents__Telemetry__EnableSensitiveTelemetryData": "false",
    "AiAgents__Telemetry__ConfirmSensitiveInAzure": "false",
}
ALERTS = ("poison-messages", "failures", "throttling", "telemetry-unsafe", "misconfigured", "briefings-failing")
SECRETS = ("AiAgents__AISearch__Authentication__ClientSecret", "AiAgents__Telemetry__HmacKey")
_NEED_DNS = {
    "blob": 1, "queue": 1, "table": 1, "searchService": 1, "account": 3, "sites": 1,
}  # fmt: skip


def forbidden_settings(snapshot: Snapshot) -> Iterator[str]:
    """None of the names that Flex Consumption does not take."""
    yield from (f"{name} must not be set" for name in app_settings(snapshot) if name in FORBIDDEN_SETTINGS)


def text_values(snapshot: Snapshot) -> Iterator[str]:
    """Settings are texts, as they reach the environment of a process."""
    yield from (f"{name} is no text" for name, value in app_settings(snapshot).items() if not isinstance(value, str))


def connections(snapshot: Snapshot) -> Iterator[str]:
    """Both storage connections: each service's address, the credential, the client id of the identity made here."""
    settings, account = app_settings(snapshot), only(snapshot, STORAGE)["id"]
    client = f"[reference('{only(snapshot, IDENTITY)['id']}', '2024-11-30').clientId]"
    for prefix, services in CONNECTIONS.items():
        expected = {
            f"{service}ServiceUri": f"[reference('{account}', '2025-06-01').primaryEndpoints.{service}]"
            for service in services
        }
        expected |= {"credential": "managedidentity", "clientId": client}
        found = {
            name.removeprefix(f"{prefix}__"): value for name, value in settings.items() if name.startswith(f"{prefix}__")
        }
        if found != expected:
            yield f"{prefix} is not exactly {sorted(expected)}, from the account and the identity made here"
    if settings.get("AZURE_CLIENT_ID") != client:
        yield "AZURE_CLIENT_ID is not the client id of the identity made here"


def telemetry(snapshot: Snapshot) -> Iterator[str]:
    """Nothing is exported but what we export, with an Entra token, and no content."""
    settings = app_settings(snapshot)
    yield from (f"{name} is not {value!r}" for name, value in TELEMETRY.items() if settings.get(name) != value)
    component = f"[reference('{only(snapshot, COMPONENT)['id']}', '2020-02-02').ConnectionString]"
    if settings.get("APPLICATIONINSIGHTS_CONNECTION_STRING") != component:
        yield "the connection string is not that of the component made here"
    if "Authorization=AAD;ClientId={0}" not in settings.get("APPLICATIONINSIGHTS_AUTHENTICATION_STRING", ""):
        yield "the exporter does not sign in with the app's identity"
    if not re.fullmatch(r"1\.0|0\.[0-9]{2}", settings.get("OTEL_TRACES_SAMPLER_ARG", "")):
        yield "OTEL_TRACES_SAMPLER_ARG is no share"


def secrets(snapshot: Snapshot) -> Iterator[str]:
    """A secret setting, if any, is a reference to a vault."""
    settings = app_settings(snapshot)
    yield from (
        f"{name} is no Key Vault reference"
        for name in SECRETS
        if not settings.get(name, "@Microsoft.KeyVault(").startswith("@Microsoft.KeyVault(")
    )


def search_and_model(snapshot: Snapshot) -> Iterator[str]:
    """The endpoints are those of the resources, and the deployment is one that the account made here has."""
    settings = app_settings(snapshot)
    for service in resources(snapshot, SEARCH):
        if settings.get("AiAgents__AISearch__Endpoint") != f"https://{service['name']}.search.windows.net":
            yield "AiAgents__AISearch__Endpoint is not the service made here"
    for account in resources(snapshot, MODEL):
        if settings.get("AiAgents__Model__Endpoint") != f"[reference('{account['id']}', '2025-06-01').endpoint]":
            yield "AiAgents__Model__Endpoint is not the account made here"
        if settings.get("AiAgents__Model__Deployment") not in names(snapshot, f"{MODEL}/deployments"):
            yield "AiAgents__Model__Deployment is no deployment of the account"


def briefings(snapshot: Snapshot) -> Iterator[str]:
    """Queues, container and lifecycle rule are those that the settings name; the package has its own container."""
    settings = app_settings(snapshot)
    queue, done = settings["AiAgents__Briefings__QueueName"], settings["AiAgents__Briefings__DoneQueueName"]
    if sorted(names(snapshot, QUEUE)) != sorted(name for name in (queue, f"{queue}-poison", done) if name):
        yield "the queues are not those of the settings and the poison queue"
    container = settings["AiAgents__Briefings__Container"]
    package = only(snapshot, SITE)["properties"]["functionAppConfig"]["deployment"]["storage"]["value"]
    if sorted(names(snapshot, CONTAINER)) != sorted([container, "packages"]) or "packages" not in package:
        yield "the containers are not that of the settings and that of the package"
    rule = value_at(only(snapshot, LIFECYCLE), "properties.policy.rules.0")
    days = value_at(rule, "definition.actions.baseBlob.delete.daysAfterModificationGreaterThan")
    if str(days) != settings["AiAgents__Briefings__RetentionDays"] or not value_at(rule, "enabled"):
        yield "the lifecycle rule does not keep RetentionDays"
    if value_at(rule, "definition.filters.prefixMatch") != [f"{container}/"]:
        yield "the lifecycle rule is not for the briefing container alone"


def callers(snapshot: Snapshot) -> Iterator[str]:
    """Every caller brings a token of the registration; the app and the MCP webhook rely on it."""
    settings, auth = app_settings(snapshot), only(snapshot, CONFIG, "/authsettingsV2")["properties"]
    client = value_at(auth, "identityProviders.azureActiveDirectory.registration.clientId")
    expected = {
        "platform.enabled": True,
        "globalValidation.requireAuthentication": True,
        "globalValidation.unauthenticatedClientAction": "Return401",
        "globalValidation.excludedPaths": ["/api/health/live"],
        "httpSettings.requireHttps": True,
        "identityProviders.azureActiveDirectory.enabled": True,
        "identityProviders.azureActiveDirectory.validation.allowedAudiences": [client, f"api://{client}"],
        "identityProviders.azureActiveDirectory.registration.clientSecretSettingName": None,
        "login.tokenStore.enabled": False,
    }
    yield from (
        f"authentication: {path} is {value_at(auth, path)!r}"
        for path, value in expected.items()
        if value_at(auth, path) != value
    )
    if settings.get("AiAgents__Auth__Mode") != "entra":
        yield "AiAgents__Auth__Mode is not entra"
    if settings.get("WEBSITE_AUTH_AAD_ALLOWED_TENANTS", "") not in value_at(
        auth, "identityProviders.azureActiveDirectory.registration.openIdIssuer"
    ):
        yield "the tenants allowed are not the issuer's"
    if settings.get("AzureFunctionsJobHost__extensions__mcp__system__webhookAuthorizationLevel") != "Anonymous":
        yield "the MCP webhook still asks for a key"


def query_logging(snapshot: Snapshot) -> Iterator[str]:
    """No log of what people searched for or asked; metrics of everything that has them."""
    settings = resources(snapshot, DIAGNOSTICS)
    for entry in settings:
        yield from (
            f"{text} is logged"
            for text in texts_in(entry["properties"])
            if text in ("OperationLogs", "allLogs", "RequestResponse", "StorageRead")
        )
    watched = [
        kind
        for kind in (f"{STORAGE}/blobServices", f"{STORAGE}/queueServices", SEARCH, MODEL)
        for _ in resources(snapshot, kind)
    ]
    if len(settings) != len(watched):
        yield "a service has no diagnostic setting"


def alerts(snapshot: Snapshot) -> Iterator[str]:
    """Poison messages, failures and throttling raise an alert, and somebody hears of it where addresses are given."""
    log = names(snapshot, LOG_ALERT)
    yield from (f"no alert for {kind}" for kind in ALERTS if not any(name.endswith(kind) for name in log))
    metric = [entry["name"] for entry in resources(snapshot, METRIC_ALERT)]
    for kind, ending in ((SEARCH, "search-throttling"), (MODEL, "model-throttling")):
        if len(resources(snapshot, kind)) != sum(name.endswith(ending) for name in metric):
            yield f"{ending} does not fit the resources"
    groups = [entry["id"] for entry in resources(snapshot, "Microsoft.Insights/actionGroups")]
    for entry in resources(snapshot, LOG_ALERT):
        if value_at(entry, "properties.actions.actionGroups") != groups or not entry["properties"]["enabled"]:
            yield f"{entry['name']} tells nobody"


def network(snapshot: Snapshot) -> Iterator[str]:
    """Either all is open to tokens, or storage, search and model answer inside the network only, under their own names."""
    networks = resources(snapshot, NETWORK)
    wanted = "disabled" if networks else "enabled"
    for kind in (STORAGE, SEARCH, MODEL):
        for entry in resources(snapshot, kind):
            if str(value_at(entry, "properties.publicNetworkAccess")).lower() != wanted:
                yield f"{entry['name']}: publicNetworkAccess is not {wanted}"
    account = only(snapshot, STORAGE)
    if value_at(account, "properties.networkAcls.defaultAction") != ("Deny" if networks else "Allow"):
        yield "the storage firewall does not fit the network"
    yield from _endpoints(snapshot, inside=bool(networks))
    for entry in networks:
        if (
            value_at(entry, "properties.subnets.0.properties.delegations.0.properties.serviceName")
            != "Microsoft.App/environments"
        ):
            yield "the subnet of the app is not delegated to Flex Consumption"


def _endpoints(snapshot: Snapshot, *, inside: bool) -> Iterator[str]:
    site = only(snapshot, SITE)["properties"]
    groups = [
        value_at(entry, "properties.privateLinkServiceConnections.0.properties.groupIds.0")
        for entry in resources(snapshot, ENDPOINT)
    ]
    wanted = {"blob", "queue", "table", "searchService"} if inside else set()
    wanted |= {"account"} if inside and "AiAgents__Model__Endpoint" in app_settings(snapshot) else set()
    wanted |= {"sites"} if site["publicNetworkAccess"] == "Disabled" else set()
    if sorted(groups) != sorted(wanted):
        yield f"private endpoints for {sorted(groups)}, not {sorted(wanted)}"
    if bool(site.get("virtualNetworkSubnetId")) != inside:
        yield "the app goes out past the network"
    zones = sum(_NEED_DNS[group] for group in wanted)
    for kind in (ZONE, f"{ZONE}/virtualNetworkLinks"):
        if len(resources(snapshot, kind)) != zones:
            yield f"{kind}: not one for each name"
    if len(resources(snapshot, f"{ENDPOINT}/privateDnsZoneGroups")) != len(wanted):
        yield "an endpoint has no DNS zone group"


RULES = (
    *(forbidden_settings, text_values, connections, telemetry, secrets, search_and_model),
    *(briefings, callers, query_logging, alerts, network),
)
