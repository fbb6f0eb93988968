"""What the app has to know of host.json: how often the queue delivers a message before it gives up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .environment import Environment

DEFAULT_MAX_DEQUEUE_COUNT = 5
OVERRIDE = "AzureFunctionsJobHost__extensions__queues__maxDequeueCount"


def max_dequeue_count(env: Environment, host_json: Path | None) -> int:
    """`extensions.queues.maxDequeueCount` of host.json, or its override among the settings, which wins as in the host."""
    found = DEFAULT_MAX_DEQUEUE_COUNT
    if host_json is not None and host_json.is_file():
        node: Any = json.loads(host_json.read_text(encoding="utf-8"))
        for key in ("extensions", "queues", "maxDequeueCount"):
            node = node.get(key) if isinstance(node, dict) else None
        found = node if isinstance(node, int) and not isinstance(node, bool) and node >= 1 else found
    override = env.optional_whole(OVERRIDE, least=1)
    return found if override is None else override
