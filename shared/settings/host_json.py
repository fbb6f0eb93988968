"""The values of host.json that the app has to know: how often the queue delivers a message, how long a function may run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DEFAULT_MAX_DEQUEUE_COUNT = 5
OVERRIDES = "AzureFunctionsJobHost__"
_SPAN = re.compile(r"(?:(\d+)\.)?(\d{1,2}):(\d{2}):(\d{2})(?:\.\d+)?")


class HostJson:
    """The values of host.json under the settings that override them (`AzureFunctionsJobHost__a__b`), as in the host."""

    def __init__(self, environ: Mapping[str, str], path: Path | None) -> None:
        self._overrides = {name.lower(): value for name, value in environ.items()}
        self._values: Any = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.is_file() else {}

    def max_dequeue_count(self) -> int:
        """How many times a message is delivered before it goes to the poison queue."""
        override = self._override("extensions", "queues", "maxDequeueCount")
        found = int(override) if override.isdecimal() else self._value("extensions", "queues", "maxDequeueCount")
        return found if isinstance(found, int) and not isinstance(found, bool) and found >= 1 else DEFAULT_MAX_DEQUEUE_COUNT

    def function_timeout(self) -> float | None:
        """Seconds that a function may run; None where host.json sets no limit that can be read."""
        text = self._override("functionTimeout") or self._value("functionTimeout")
        match = _SPAN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)

    def _override(self, *keys: str) -> str:
        return self._overrides.get((OVERRIDES + "__".join(keys)).lower(), "").strip()

    def _value(self, *keys: str) -> Any:
        node = self._values
        for key in keys:
            node = node.get(key) if isinstance(node, dict) else None
        return node
