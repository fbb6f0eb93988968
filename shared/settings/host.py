"""What the app has to know of host.json: how often the queue delivers a message, and how long a function may run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .environment import Environment

DEFAULT_MAX_DEQUEUE_COUNT = 5
OVERRIDES = "AzureFunctionsJobHost__"
_SPAN = re.compile(r"(?:(\d+)\.)?(\d{1,2}):(\d{2}):(\d{2})(?:\.\d+)?")


class HostFile:
    """The values of host.json under the settings that override them (`AzureFunctionsJobHost__a__b`), as in the host."""

    def __init__(self, env: Environment, path: Path | None) -> None:
        self._env = env
        self._values: Any = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.is_file() else {}

    def max_dequeue_count(self) -> int:
        """How many times a message is delivered before it goes to the poison queue."""
        override = self._env.optional_whole(OVERRIDES + "extensions__queues__maxDequeueCount", least=1)
        found = self._value("extensions", "queues", "maxDequeueCount") if override is None else override
        return found if isinstance(found, int) and not isinstance(found, bool) and found >= 1 else DEFAULT_MAX_DEQUEUE_COUNT

    def function_timeout(self) -> float | None:
        """Seconds that a function may run; None where host.json sets no limit that can be read."""
        text = self._env.text(OVERRIDES + "functionTimeout") or self._value("functionTimeout")
        match = _SPAN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)

    def _value(self, *keys: str) -> Any:
        node = self._values
        for key in keys:
            node = node.get(key) if isinstance(node, dict) else None
        return node
