"""The indexes of the service by name: create, read, list, replace, delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import ServiceError, index_missing
from .index import SearchIndex
from .schema.definition import IndexDefinition, read_definition
from .schema.definition_json import definition_json


class Indexes:
    """All indexes; `service` is the name in its error texts."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._indexes: dict[str, SearchIndex] = {}

    def get(self, name: str) -> SearchIndex:
        """The index of that name; 404 when it does not exist."""
        found = self._indexes.get(name)
        if found is None:
            raise index_missing(name, self._service)
        return found

    def list_all(self) -> list[SearchIndex]:
        """All indexes by name."""
        return [self._indexes[name] for name in sorted(self._indexes)]

    def create(self, raw: Mapping[str, Any]) -> SearchIndex:
        """A new index; 409 when its name is taken."""
        definition = read_definition(raw)
        if definition.name in self._indexes:
            message = f"Cannot create index '{definition.name}' because it already exists."
            raise ServiceError(409, "ResourceNameAlreadyInUse", message, (("CannotCreateExistingIndex", message),))
        self._indexes[definition.name] = SearchIndex(definition)
        return self._indexes[definition.name]

    def put(self, name: str, raw: Mapping[str, Any]) -> tuple[SearchIndex, bool]:
        """Create or replace the definition of that name; True when it is new. Fields that exist cannot change."""
        definition = read_definition({"name": name, **raw})
        if definition.name != name:
            raise ServiceError(
                400, "", f"The index name '{definition.name}' in the body does not match the address ('{name}')."
            )
        known = self._indexes.get(name)
        if known is None:
            return self.create({"name": name, **raw}), True
        _check_update(known.definition, definition)
        renewed = SearchIndex(definition)
        for document in known.store.documents:
            if document is not None:
                renewed.store.put(
                    {field.name: document.get(field.name, _empty(field.collection)) for field in definition.fields}
                )
        self._indexes[name] = renewed
        return renewed, False

    def delete(self, name: str) -> None:
        """Forget an index; 404 when it does not exist."""
        self.get(name)
        del self._indexes[name]


def _empty(collection: bool) -> list[Any] | None:
    return [] if collection else None


def _check_update(old: IndexDefinition, new: IndexDefinition) -> None:
    unstable = frozenset({"searchAnalyzer", "synonymMaps", "retrievable"})
    before = {field["name"]: field for field in definition_json(old)["fields"]}
    after = {field["name"]: field for field in definition_json(new)["fields"]}
    for name, field in before.items():
        kept = after.get(name)
        if kept is None or any(kept.get(k) != v for k, v in field.items() if k not in unstable):
            message = f"Existing field '{name}' cannot be changed."
            raise ServiceError(400, "OperationNotAllowed", message, (("CannotChangeExistingField", message),))
