"""App settings as the Functions host looks them up: names ignore case, `__` and `:` mean the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import HostError

PLACEHOLDER = re.compile(r"%([^%]+)%")


class UnresolvedSetting(Exception):
    """A `%SETTING%` in a binding names a setting that is not set."""


class AppSettings(Mapping[str, str]):
    """The settings of an app, as its process sees them in the environment, with the host's rules for names."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)
        self._by_name = {_normal(name): value for name, value in self._values.items()}

    def __getitem__(self, name: str) -> str:
        return self._by_name[_normal(name)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _normal(name) in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def section(self, name: str) -> dict[str, str]:
        """The settings below `name`, by the rest of their names in lower case: `X__queueServiceUri` of `X`."""
        start = _normal(name) + ":"
        return {key[len(start) :]: value for key, value in self._by_name.items() if key.startswith(start)}

    def resolve(self, text: str) -> str:
        """Replaces each `%SETTING%`; raises `UnresolvedSetting` where one is missing or empty."""
        return PLACEHOLDER.sub(self._resolve_match, text)

    def _resolve_match(self, match: re.Match[str]) -> str:
        value = self.get(match[1])
        if not value:
            raise UnresolvedSetting(f"'%{match[1]}%' does not resolve to a value.")
        return value


@dataclass(frozen=True, kw_only=True)
class LocalSettings:
    """The content of `local.settings.json`: settings for the app, and the origins that may call it."""

    values: Mapping[str, str] = field(default_factory=dict)
    cors: tuple[str, ...] = ()
    cors_credentials: bool = False


def read_local_settings(folder: Path) -> LocalSettings:
    """Reads the file beside host.json, which need not exist; raises `HostError` when it is not readable."""
    path = folder / "local.settings.json"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return LocalSettings()
    try:
        content = json.loads(text)
    except ValueError as error:
        raise HostError(f"local.settings.json is not JSON (line {getattr(error, 'lineno', 1)}): correct it.") from error
    if not isinstance(content, dict) or not all(isinstance(content.get(name, {}), dict) for name in ("Values", "Host")):
        raise HostError("local.settings.json must be an object whose `Values` and `Host` are objects.")
    return _local_settings(content)


def _local_settings(content: Mapping[str, Any]) -> LocalSettings:
    host = content.get("Host", {})
    origins = str(host.get("CORS", ""))
    return LocalSettings(
        values={str(name): str(value) for name, value in content.get("Values", {}).items()},
        cors=tuple(origin.strip() for origin in origins.split(",") if origin.strip()),
        cors_credentials=host.get("CORSCredentials") is True,
    )


def _normal(name: str) -> str:
    return name.replace("__", ":").casefold()
