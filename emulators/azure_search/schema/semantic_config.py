"""The semantic configurations of an index: which fields are title, content and keywords."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import invalid_request
from .fields import Field, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticConfiguration:
    """One configuration: the fields that semantic ranking reads, in order of weight."""

    name: str
    title: str | None = None
    content: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """All its fields, title first."""
        return (*((self.title,) if self.title else ()), *self.content, *self.keywords)


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticConfigurations:
    """All configurations by name, and the default for queries that do not name one."""

    by_name: Mapping[str, SemanticConfiguration] = field(default_factory=dict)
    default: str | None = None


def read_semantic(raw: Mapping[str, Any] | None, fields: tuple[Field, ...]) -> SemanticConfigurations:
    """The `semantic` member of a definition; a field that is no searchable text is a 400."""
    if not raw:
        return SemanticConfigurations()
    texts = {each.path for each in walk(fields) if each.element == "Edm.String"}
    found = {each.name: each for each in (_read(item) for item in raw.get("configurations") or [])}
    for configuration in found.values():
        missing = next((path for path in configuration.paths if path not in texts), None)
        if missing is not None:
            raise invalid_request(
                "index", f"The semantic configuration '{configuration.name}' names no text field: '{missing}'."
            )
    default = raw.get("defaultConfiguration")
    if default is not None and default not in found:
        raise invalid_request("index", f"The default semantic configuration '{default}' is not defined.")
    return SemanticConfigurations(by_name=found, default=default)


def _read(raw: Mapping[str, Any]) -> SemanticConfiguration:
    fields = raw.get("prioritizedFields") or {}
    return SemanticConfiguration(
        name=str(raw.get("name")),
        title=(fields.get("titleField") or {}).get("fieldName"),
        content=tuple(each["fieldName"] for each in fields.get("prioritizedContentFields") or []),
        keywords=tuple(each["fieldName"] for each in fields.get("prioritizedKeywordsFields") or []),
    )
