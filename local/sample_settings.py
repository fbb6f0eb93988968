"""App settings of the sample workspace for tests: its indexes by name, and all of them with local addresses."""

from __future__ import annotations

import json
from typing import Any

from .stack import SAMPLE
from .workspace import local_settings, settings_as_text

_SETTINGS: dict[str, Any] = json.loads((SAMPLE / "settings.json").read_text(encoding="utf-8"))
SCHOOLS, INSPECTIONS, TRUSTS = _SETTINGS["AiAgents__AISearch__Indexes"]


def app_settings(search: str, storage: str) -> dict[str, str]:
    """The sample's settings with `search` as endpoint and `storage` as connection string of the emulator."""
    return settings_as_text(_SETTINGS) | local_settings(search, storage)
