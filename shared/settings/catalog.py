"""The app settings by name, made from the `tree`: the table of the README and of the infrastructure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from .tree import AppSettings, IndexEntry

INDEXES = "AiAgents__AISearch__Indexes"


@dataclass(frozen=True, slots=True)
class Setting:
    """One app setting: full name, default as text (`required` and `none` are words) and what it means."""

    name: str
    default: str
    meaning: str


def _settings(block: type[BaseModel], prefix: str) -> Iterator[Setting]:
    for field in block.model_fields.values():
        name = prefix + str(field.alias)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _settings(field.annotation, f"{name}__")
        else:
            yield Setting(name.removesuffix("__"), _default(field), field.description or "")


def _default(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    if isinstance(extra, dict):
        return str(extra["shown"])
    value = field.default
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


SETTINGS: tuple[Setting, ...] = tuple(_settings(AppSettings, ""))
INDEX_KEYS = tuple(str(field.alias) for field in IndexEntry.model_fields.values())
"""The keys of one entry of `AiAgents__AISearch__Indexes`."""
