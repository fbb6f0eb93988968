"""An index definition: read from JSON with the service's checks, written back with its defaults filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..analysis.analyzers import ANALYZERS
from ..errors import invalid_request
from .fields import Field, read_fields, unknown_member, walk
from .models import IndexParts, validate
from .semantic_config import SemanticConfigurations, read_semantic
from .vector_config import VectorSearch, read_vector_search

NAME = re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9_-]{0,126}[a-z0-9_])?")
_MEMBERS_TEXT = """
name description fields scoringProfiles defaultScoringProfile corsOptions suggesters analyzers tokenizers
tokenFilters charFilters normalizers encryptionKey similarity semantic vectorSearch permissionFilterOption
purviewEnabled
"""
MEMBERS = frozenset(_MEMBERS_TEXT.split())
NOT_OFFERED = ("analyzers", "tokenizers", "tokenFilters", "charFilters", "normalizers", "encryptionKey")


@dataclass(frozen=True)
class IndexDefinition:
    """A checked definition; `raw` is the definition as it was sent, `fields` the tree of its fields."""

    name: str
    fields: tuple[Field, ...]
    raw: Mapping[str, Any]
    suggesters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    semantic: SemanticConfigurations = field(default_factory=SemanticConfigurations)
    vector_search: VectorSearch = field(default_factory=VectorSearch)

    @cached_property
    def by_path(self) -> dict[str, Field]:
        """Every field under its full path."""
        return {each.path: each for each in walk(self.fields)}

    @cached_property
    def key(self) -> Field:
        """The key field."""
        return next(each for each in self.fields if each.key)

    @cached_property
    def searchable(self) -> tuple[Field, ...]:
        """The text fields that a query without `searchFields` searches."""
        return tuple(each for each in walk(self.fields) if each.searchable and not each.vector)

    @cached_property
    def permission_fields(self) -> tuple[Field, ...]:
        """Fields whose values decide who may see a document; empty while the index switches trimming off."""
        if self.raw.get("permissionFilterOption") != "enabled":
            return ()
        return tuple(each for each in walk(self.fields) if each.permission)

    @cached_property
    def scoring_profiles(self) -> dict[str, Mapping[str, Any]]:
        """Scoring profiles by name."""
        return {profile["name"]: profile for profile in self.raw.get("scoringProfiles") or []}


def read_definition(raw: Mapping[str, Any]) -> IndexDefinition:
    """The definition in a create or update call; every problem is the service's 400."""
    unknown = next((name for name in raw if name not in MEMBERS and not name.startswith("@odata.")), None)
    if unknown is not None:
        raise unknown_member(unknown, "search.index")
    name = raw.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise invalid_request(
            "index",
            "Index name must only contain lowercase letters, digits, underscores or single dashes, must start with a letter "
            "or digit, cannot end with a dash and is limited to 128 characters.",
        )
    for member in NOT_OFFERED:
        if raw.get(member):
            raise invalid_request("index", f"The member '{member}' is not offered by the embedded search service.")
    validate(IndexParts, raw, "index")
    fields = read_fields(raw.get("fields"))
    definition = IndexDefinition(
        name=name,
        fields=fields,
        raw=raw,
        suggesters=_suggesters(raw, fields),
        semantic=read_semantic(raw.get("semantic"), fields),
        vector_search=read_vector_search(raw.get("vectorSearch"), fields),
    )
    _check_key(fields)
    _check_analyzers(fields)
    _check_profiles(raw, definition)
    return definition


def _check_key(fields: tuple[Field, ...]) -> None:
    keys = [each for each in walk(fields) if each.key]
    if len(keys) != 1 or "/" in keys[0].path:
        raise invalid_request("index", f"An index must have exactly one key field, at its top level; found {len(keys)}.")
    if keys[0].type != "Edm.String" or not keys[0].retrievable:
        raise invalid_request("index", f"The key field '{keys[0].name}' must be a retrievable Edm.String.")


def _check_analyzers(fields: tuple[Field, ...]) -> None:
    for each in walk(fields):
        for name in (each.analyzer, each.search_analyzer):
            if name is not None and name not in ANALYZERS:
                raise invalid_request("index", f"The analyzer '{name}' of the field '{each.path}' is not known.")


def _suggesters(raw: Mapping[str, Any], fields: tuple[Field, ...]) -> dict[str, tuple[str, ...]]:
    searchable = {each.path for each in walk(fields) if each.searchable and not each.vector}
    found: dict[str, tuple[str, ...]] = {}
    for suggester in raw.get("suggesters") or []:
        sources = tuple(suggester.get("sourceFields") or ())
        missing = next((path for path in sources if path not in searchable), None)
        if missing is not None or not sources:
            raise invalid_request(
                "index", f"The suggester '{suggester.get('name')}' names no searchable field: '{missing}'."
            )
        found[str(suggester.get("name"))] = sources
    return found


def _check_profiles(raw: Mapping[str, Any], definition: IndexDefinition) -> None:
    for profile in raw.get("scoringProfiles") or []:
        for path in [*((profile.get("text") or {}).get("weights") or {})]:
            if path not in {each.path for each in definition.searchable}:
                raise invalid_request(
                    "index", f"The scoring profile '{profile.get('name')}' weighs no searchable field: '{path}'."
                )
        for function in profile.get("functions") or []:
            target = definition.by_path.get(str(function.get("fieldName")))
            if target is None or not target.filterable:
                raise invalid_request(
                    "index", f"The scoring function on '{function.get('fieldName')}' needs a filterable field."
                )
    default = raw.get("defaultScoringProfile")
    if default and default not in definition.scoring_profiles:
        raise invalid_request("index", f"The default scoring profile '{default}' is not defined.")
