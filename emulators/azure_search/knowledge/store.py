"""Knowledge sources, knowledge bases and agents: their definitions, as each api-version writes them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..errors import ServiceError, invalid_request
from ..indexes import Indexes
from ..schema.definition import NAME
from ..schema.definition_json import etag
from ..schema.fields import unknown_member
from ..schema.models import validate
from .models import Agent, Base, Source

Definition = dict[str, Any]
Kind = Literal["knowledgesources", "knowledgebases", "agents"]
WORDS = {"knowledgesources": "knowledge source", "knowledgebases": "knowledge base", "agents": "knowledge agent"}
PARAMETERS = ("azureBlobParameters", "webParameters", "indexedOneLakeParameters")
PREVIEW_PARAMETERS = ("mcpToolParameters", "remoteSharePointParameters", "indexedSharePointParameters")
PREVIEW_MEMBERS = ("retrievalInstructions", "answerInstructions", "outputMode", "retrievalReasoningEffort")
SOURCE_MEMBERS = frozenset(
    {"name", "kind", "description", "encryptionKey", "searchIndexParameters", *PARAMETERS, *PREVIEW_PARAMETERS}
)
BASE_MEMBERS = frozenset(
    {"name", "description", "knowledgeSources", "models", "encryptionKey", "corsOptions", *PREVIEW_MEMBERS}
)
AGENT_MEMBERS = frozenset({"name", "description", "targetIndexes", "models", "requestLimits", "encryptionKey"})
TARGET_MEMBERS = ("indexName", "defaultRerankerThreshold", "defaultIncludeReferenceSourceData", "defaultMaxDocsForReranker")


class Knowledge:
    """All definitions by kind and name."""

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes
        self._held: dict[str, dict[str, Definition]] = {kind: {} for kind in WORDS}

    def get(self, kind: str, name: str) -> Definition:
        """The definition as it was sent; 404 when it does not exist."""
        found = self._held[kind].get(name)
        if found is None:
            raise ServiceError(404, "", f"No {WORDS[kind]} with the name '{name}' was found.")
        return found

    def list_all(self, kind: str) -> list[Definition]:
        """All of a kind by name."""
        return [self._held[kind][name] for name in sorted(self._held[kind])]

    def create(self, kind: str, raw: Mapping[str, Any]) -> Definition:
        """A new definition; 409 when its name is taken."""
        if _name(raw) in self._held[kind]:
            message = f"Cannot create the {WORDS[kind]} '{raw['name']}' because it already exists."
            raise ServiceError(409, "ResourceNameAlreadyInUse", message)
        return self._keep(kind, raw)

    def put(self, kind: str, name: str, raw: Mapping[str, Any]) -> tuple[Definition, bool]:
        """Create or replace; True when it is new."""
        new = name not in self._held[kind]
        return self._keep(kind, {**raw, "name": name}), new

    def delete(self, kind: str, name: str) -> None:
        """Forget a definition; 404 when it does not exist, 409 for a source that a base still uses."""
        self.get(kind, name)
        if kind == "knowledgesources":
            for base in self._held["knowledgebases"].values():
                if name in [each["name"] for each in base["knowledgeSources"]]:
                    message = f"The knowledge source '{name}' is used by the knowledge base '{base['name']}'."
                    raise ServiceError(409, "OperationNotAllowed", message)
        del self._held[kind][name]

    def _keep(self, kind: str, raw: Mapping[str, Any]) -> Definition:
        name = _name(raw)
        checks = {"knowledgesources": self._check_source, "knowledgebases": self._check_base, "agents": self._check_agent}
        checks[kind](raw)
        self._held[kind][name] = dict(raw)
        return self._held[kind][name]

    def _check_source(self, raw: Mapping[str, Any]) -> None:
        _only(raw, SOURCE_MEMBERS, "search.knowledgeSource")
        _refuse(raw, (*PARAMETERS, *PREVIEW_PARAMETERS, "encryptionKey"), "knowledgeSource")
        options = validate(Source, raw, "knowledgeSource").search_index_parameters
        definition = self._indexes.get(options.search_index_name).definition
        configurations = definition.semantic.by_name
        if not configurations or options.semantic_configuration_name not in (None, *configurations):
            raise invalid_request("knowledgeSource", f"The index '{definition.name}' has no such semantic configuration.")

    def _check_base(self, raw: Mapping[str, Any]) -> None:
        _only(raw, BASE_MEMBERS, "search.knowledgeBase")
        _refuse(raw, ("models", "retrievalInstructions", "answerInstructions", "encryptionKey"), "knowledgeBase")
        for each in validate(Base, raw, "knowledgeBase").knowledge_sources:
            self.get("knowledgesources", each.name)

    def _check_agent(self, raw: Mapping[str, Any]) -> None:
        _only(raw, AGENT_MEMBERS, "search.knowledgeAgent")
        _refuse(raw, ("models", "requestLimits", "encryptionKey"), "knowledgeAgent")
        for each in validate(Agent, raw, "agent").target_indexes:
            self._indexes.get(each.index_name)


def _name(raw: Mapping[str, Any]) -> str:
    name = raw.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise invalid_request(
            "definition", "A name has lowercase letters, digits, underscores and single dashes, at most 128."
        )
    return name


def _only(raw: Mapping[str, Any], known: frozenset[str], kind: str) -> None:
    unknown = next((name for name in raw if name not in known and not name.startswith("@odata.")), None)
    if unknown is not None:
        raise unknown_member(unknown, kind)


def _refuse(raw: Mapping[str, Any], members: tuple[str, ...], where: str) -> None:
    """400 for a member with a value that nothing here would act on, such as a model."""
    found = next((name for name in members if raw.get(name)), None)
    if found is not None:
        raise invalid_request(where, f"The member '{found}' is not offered by the embedded search service.")


def describe_definition(kind: str, raw: Mapping[str, Any], version: str) -> Definition:
    """A definition as the service writes it back."""
    head: Definition = {"@odata.etag": etag(raw), "name": raw["name"]}
    if kind == "knowledgesources":
        return head | _source_shown(raw, version)
    if kind == "knowledgebases":
        return head | _base_shown(raw, version)
    return head | {
        "description": raw.get("description"),
        "targetIndexes": [{name: each.get(name) for name in TARGET_MEMBERS} for each in raw["targetIndexes"]],
        "models": [],
        "requestLimits": None,
        "encryptionKey": None,
    }


def _source_shown(raw: Mapping[str, Any], version: str) -> Definition:
    options = raw["searchIndexParameters"]
    members = (*PARAMETERS, *PREVIEW_PARAMETERS) if version.endswith("preview") else PARAMETERS
    return {
        "kind": raw["kind"],
        "description": raw.get("description"),
        "encryptionKey": None,
        "searchIndexParameters": {
            "searchIndexName": options["searchIndexName"],
            "semanticConfigurationName": options.get("semanticConfigurationName"),
            "sourceDataFields": options.get("sourceDataFields") or [],
            "searchFields": options.get("searchFields") or [],
        },
        **dict.fromkeys(members),
    }


def _base_shown(raw: Mapping[str, Any], version: str) -> Definition:
    preview, later = version.endswith("preview"), version >= "2026-05"
    extra = {"enableImageServing": None, "enableFreshness": None} if preview and later else {}
    body: Definition = {
        "description": raw.get("description"),
        **({name: raw.get(name) for name in PREVIEW_MEMBERS} if preview else {}),
        "knowledgeSources": [extra | dict(each) for each in raw["knowledgeSources"]],
        "models": [],
        "encryptionKey": None,
    }
    return body | {"corsOptions": raw.get("corsOptions")} if preview and later else body


STATUS: Definition = {
    "kind": "searchIndex",
    "synchronizationStatus": "active",
    "synchronizationInterval": None,
    "currentSynchronizationState": None,
    "lastSynchronizationState": None,
    "statistics": None,
}
