"""What a deployment snapshot says, as tables: which roles are granted to whom where, and which resources there would be.

`python -m scripts.inventory` prints both as docs/deployment.md shows them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scripts.snapshots import ENVIRONMENT, NAMES, load

ROLES = {
    "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": "Storage Blob Data Owner",
    "974c5e8b-45b9-4653-ba55-5f855dd0fb88": "Storage Queue Data Contributor",
    "c6a89b2d-59bc-44d0-9896-0f6e12d7b80a": "Storage Queue Data Message Sender",
    "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": "Storage Table Data Contributor",
    "1407120a-92aa-4202-b7e9-c0e197c71c8f": "Search Index Data Reader",
    "8ebe5a00-799e-43f5-93ac-243d3dce84a7": "Search Index Data Contributor",
    "7ca78c08-252a-4471-8644-bb5ff32d4ba0": "Search Service Contributor",
    "3913510d-42f4-4e42-8a64-420c390055eb": "Monitoring Metrics Publisher",
    "5e0bd9bd-7b93-4f28-af87-19fc36ad61bd": "Cognitive Services OpenAI User",
}
_PEOPLE = {ENVIRONMENT["AZURE_PRINCIPAL_ID"]: "operator", ENVIRONMENT["CALLER_PRINCIPAL_ID"]: "sender"}
_OWNERS = {"userAssignedIdentities": "app", "searchServices": "search service"}
_SCOPES = {
    "Microsoft.Storage/storageAccounts": "storage account",
    "Microsoft.Storage/storageAccounts/queueServices/queues": "briefing queue",
    "Microsoft.Search/searchServices": "search service",
    "Microsoft.CognitiveServices/accounts": "model account",
    "Microsoft.Insights/components": "Application Insights",
}


@dataclass(frozen=True, slots=True, order=True)
class Grant:
    """One role assignment: who holds which role where. What is not known here keeps its id."""

    identity: str
    role: str
    scope: str


def grants(snapshot: Mapping[str, Any]) -> list[Grant]:
    """Every role assignment of a snapshot, sorted."""
    found = (entry for entry in snapshot["predictedResources"] if entry["type"] == "Microsoft.Authorization/roleAssignments")
    return sorted(_grant(entry) for entry in found)


def _grant(assignment: Mapping[str, Any]) -> Grant:
    properties = assignment["properties"]
    role = properties["roleDefinitionId"].rsplit("/", 1)[-1]
    scope = scope_of(assignment["id"])
    kind = resource_type(scope)
    return Grant(_identity(properties["principalId"]), ROLES.get(role, role), _SCOPES.get(kind, scope))


def scope_of(assignment_id: str) -> str:
    """The resource id that a role assignment stands on, from its own id (an expression while the principal is not known)."""
    expression = re.match(r"\[extensionResourceId\('([^']+)'", assignment_id)
    return expression[1] if expression else assignment_id.split("/providers/Microsoft.Authorization/")[0]


def resource_type(resource_id: str) -> str:
    """`/subscriptions/…/providers/A.B/c/name/d/name` is of type `A.B/c/d`; a resource group has none."""
    if "/providers/" not in resource_id:
        return ""
    namespace, *rest = resource_id.rsplit("/providers/", 1)[1].split("/")
    return "/".join([namespace, *rest[::2]])


def _identity(principal: str) -> str:
    owner = re.match(r"\[reference\('[^']*/([A-Za-z]+)/[^'/]+'", principal)
    return _OWNERS.get(owner[1], owner[1]) if owner else _PEOPLE.get(principal, principal)


def role_table(snapshots: Mapping[str, Mapping[str, Any]]) -> str:
    """Identity × role × scope as a Markdown table, marked for each snapshot that grants it."""
    held = {name: grants(snapshot) for name, snapshot in snapshots.items()}
    rows = sorted({grant for found in held.values() for grant in found})
    lines = [
        [grant.identity, grant.role, grant.scope, *("✓" if grant in held[name] else "" for name in snapshots)]
        for grant in rows
    ]
    return _table(["identity", "role", "scope", *snapshots], lines)


def resource_table(snapshots: Mapping[str, Mapping[str, Any]]) -> str:
    """How many resources of each type a snapshot would make, as a Markdown table."""
    kinds = {name: [entry["type"] for entry in snapshot["predictedResources"]] for name, snapshot in snapshots.items()}
    rows = sorted({kind for found in kinds.values() for kind in found}, key=str.lower)
    lines = [[f"`{kind}`", *(str(kinds[name].count(kind) or "") for name in snapshots)] for kind in rows]
    return _table(["resource", *snapshots], [*lines, ["**all**", *(str(len(kinds[name])) for name in snapshots)]])


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(
        "|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in [head, ["---"] * len(head), *rows]
    )


if __name__ == "__main__":
    committed = {name: load(name) for name in NAMES}
    print(role_table(committed), resource_table(committed), sep="\n\n")
