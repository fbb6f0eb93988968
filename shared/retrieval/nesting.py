"""How deep lists and objects of JSON stand inside each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def is_nested_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects stand inside each other in more than `levels` levels, `value` itself being the first."""
    level = [value]
    for _ in range(levels):
        level = [inner for outer in level for inner in _members(outer) if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def _members(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
