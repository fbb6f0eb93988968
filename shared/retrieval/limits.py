"""The limits of calls, in one place. Characters are code points, sizes are bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MAX_BODY_BYTES = 1024 * 1024
MAX_CITATIONS_BODY_BYTES = 8 * 1024 * 1024
MAX_JSON_VALUES = 200_000
"""Values of one JSON text, counted before it is parsed."""
MAX_JSON_DEPTH = 64
"""Levels of lists and objects in a JSON text: more than anything that a route takes."""
MAX_LIST_ENTRIES = 100
"""Entries of `select`, `orderBy`, `facets` and `highlight`, each."""
MAX_CHECKED_EVIDENCE_CHARACTERS = 500_000
"""Characters of evidence given to a check of figures."""
MAX_QUERY_CHARACTERS = 10_000
MAX_FILTER_CHARACTERS = 1_000_000
MAX_ZONE_MINUTES = 14 * 60
"""As far from UTC as a moment may say to be: the search service is .NET, whose `DateTimeOffset` goes no further."""
MAX_SEARCHES = 10
MAX_TOP = 1_000
MAX_SKIP = 100_000
MAX_ANSWER_CHARACTERS = 500_000
MAX_CITED_CHARACTERS = 20_000_000
MAX_SOURCES = 1_000
MAX_MESSAGES = 200
MAX_MESSAGE_PARTS = 1_000
MAX_INTENTS = 10
MAX_TARGETS = 100
MAX_RUNTIME_SECONDS = 600
MAX_OUTPUT_TOKENS = 1_000_000
MAX_ERRORS = 100
MAX_BRIEFINGS_PER_CALL = 1_000
MAX_STATE_BYTES = 64 * 1024


# How deep lists and objects of JSON stand inside each other.


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
