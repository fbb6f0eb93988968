"""Whether somebody else exports from this process: a provider that was installed before us would let everything out."""

from __future__ import annotations

import sys

_GETTERS = (
    ("opentelemetry.trace", "get_tracer_provider"),
    ("opentelemetry.metrics", "get_meter_provider"),
    ("opentelemetry._logs", "get_logger_provider"),
)
_OWN_OF_THE_API = ("opentelemetry.trace", "opentelemetry.metrics", "opentelemetry._logs")


def foreign_provider() -> bool:
    """True when a global provider is set that is not the API's own placeholder. Imports nothing."""
    return any(_is_foreign(module, getter) for module, getter in _GETTERS if module in sys.modules)


def _is_foreign(module: str, getter: str) -> bool:
    provider = getattr(sys.modules[module], getter)()
    return not type(provider).__module__.startswith(_OWN_OF_THE_API)
