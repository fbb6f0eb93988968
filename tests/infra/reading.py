"""Reading a deployment snapshot: its resources by type, a value by path, every text in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Snapshot = Mapping[str, Any]
Resource = Mapping[str, Any]

STORAGE = "Microsoft.Storage/storageAccounts"
SITE = "Microsoft.Web/sites"
SEARCH = "Microsoft.Search/searchServices"
MODEL = "Microsoft.CognitiveServices/accounts"
COMPONENT = "Microsoft.Insights/components"
WORKSPACE = "Microsoft.OperationalInsights/workspaces"
IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities"
ROLE = "Microsoft.Authorization/roleAssignments"
CONFIG = f"{SITE}/config"
QUEUE = f"{STORAGE}/queueServices/queues"
CONTAINER = f"{STORAGE}/blobServices/containers"
LIFECYCLE = f"{STORAGE}/managementPolicies"
DIAGNOSTICS = "Microsoft.Insights/diagnosticSettings"
LOG_ALERT = "Microsoft.Insights/scheduledQueryRules"
METRIC_ALERT = "Microsoft.Insights/metricAlerts"
NETWORK = "Microsoft.Network/virtualNetworks"
ENDPOINT = "Microsoft.Network/privateEndpoints"
ZONE = "Microsoft.Network/privateDnsZones"


def resources(snapshot: Snapshot, kind: str) -> list[Resource]:
    """Every resource of one type, in the order of the deployment."""
    return [entry for entry in snapshot["predictedResources"] if entry["type"] == kind]


def only(snapshot: Snapshot, kind: str, ending: str = "") -> Resource:
    """The one resource of a type (whose name ends so); more or fewer is a broken snapshot."""
    (found,) = [entry for entry in resources(snapshot, kind) if entry["name"].endswith(ending)]
    return found


def names(snapshot: Snapshot, kind: str) -> list[str]:
    """The last parts of the names of all resources of a type."""
    return [entry["name"].rsplit("/", 1)[-1] for entry in resources(snapshot, kind)]


def app_settings(snapshot: Snapshot) -> Mapping[str, str]:
    """The app settings as they would be written; what Azure alone knows is an expression in brackets."""
    settings: Mapping[str, str] = only(snapshot, f"{SITE}/config", "/appsettings")["properties"]
    return settings


def value_at(node: Any, path: str) -> Any:
    """The value at `a.b.0.c`, or None where the path ends early."""
    for step in path.split("."):
        if isinstance(node, list):
            node = node[int(step)] if int(step) < len(node) else None
        else:
            node = node.get(step) if isinstance(node, Mapping) else None
    return node


def keys_in(node: Any) -> Iterator[str]:
    """Every member name, however deep."""
    for key, value in _members(node):
        if key is not None:
            yield key
        yield from keys_in(value)


def texts_in(node: Any) -> Iterator[str]:
    """Every text, however deep."""
    if isinstance(node, str):
        yield node
    for _, value in _members(node):
        yield from texts_in(value)


def _members(node: Any) -> Iterator[tuple[str | None, Any]]:
    if isinstance(node, Mapping):
        yield from node.items()
    elif isinstance(node, list):
        yield from ((None, entry) for entry in node)
