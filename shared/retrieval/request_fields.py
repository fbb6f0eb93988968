"""The fields that a search may name and those that are fetched for it (spec 2: `ReturnFields`, `ContentFields`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .documents import covers
from .errors import InvalidQuery, Problem
from .filters.odata.lexer import FIELD_PATH
from .search.query import SearchQuery
from .settings import IndexSettings

_PATH = FIELD_PATH.pattern
# Each form holds exactly one field, so that no entry can smuggle in a second one.
_FORMS = {
    "select": re.compile(rf"(?P<field>{_PATH})", re.ASCII),
    "orderBy": re.compile(
        rf"\s*(?:(?P<field>{_PATH})|search\.score\(\s*\)"
        rf"|geo\.distance\(\s*(?:(?P<left>{_PATH})\s*,\s*geography'[^']*'|geography'[^']*'\s*,\s*(?P<right>{_PATH}))\s*\))"
        r"(?:\s+(?:asc|desc))?\s*",
        re.ASCII,
    ),
    "facets": re.compile(rf"(?P<field>{_PATH})\s*(?:,[^<>();]*)?", re.ASCII),
    "highlight": re.compile(rf"(?P<field>{_PATH})(?:-[0-9]{{1,4}})?", re.ASCII),
}


def named_fields(query: SearchQuery) -> dict[str, tuple[str, ...]]:
    """The fields that the caller names, by member of the request. Raises InvalidQuery for entries of no known form."""
    problems: list[Problem] = []
    named: dict[str, tuple[str, ...]] = {}
    for member, entries in _entries(query):
        found = []
        for place, entry in enumerate(entries):
            match = _FORMS[member].fullmatch(entry)
            if match is None:
                problems.append(Problem(f"$.{member}[{place}]", "invalid_query", f"This is no entry of {member}."))
                continue
            fields = [name for name in match.groups() if name is not None]
            found.extend(fields or [""])
        named[member] = tuple(found)
    if problems:
        raise InvalidQuery(problems[0].message, problems=tuple(problems))
    return named


def _entries(query: SearchQuery) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "select", query.select or ()
    yield "orderBy", query.order_by
    yield "facets", query.facets
    yield "highlight", query.highlight


def check_named_fields(query: SearchQuery, index: IndexSettings) -> None:
    """Raises InvalidQuery where a list of the request names a field outside the index's `ReturnFields`."""
    allowed = returned_fields(index)
    named = named_fields(query)
    if allowed is None:
        return
    problems = [
        Problem(f"$.{member}[{place}]", "field_not_returned", f"The field {field} of this index is not for callers.")
        for member, fields in named.items()
        for place, field in enumerate(fields)
        if field and not covers(allowed, field)
    ]
    if problems:
        raise InvalidQuery(problems[0].message, problems=tuple(problems))


def returned_fields(index: IndexSettings) -> tuple[str, ...] | None:
    """The fields of the index that callers may see, None for every field."""
    if index.return_fields is not None:
        return index.return_fields
    return fetched(index.content_fields, index) if index.content_fields else None


def fetched(fields: Iterable[str], index: IndexSettings) -> tuple[str, ...]:
    """`fields` and what they leave out of the declared fields, or of the content that stands in for a name and link."""
    chosen = tuple(fields)
    undeclared = index.name_field is None or index.link_field is None
    for declared in (*(visible_content(index) if undeclared else ()), index.name_field, index.link_field, index.key_field):
        if declared is not None and not covers(chosen, declared):
            chosen = (*chosen, declared)
    return chosen


def visible_content(index: IndexSettings) -> tuple[str, ...]:
    """The content fields that a caller of a plain search may see too."""
    allowed = index.return_fields
    return tuple(field for field in index.content_fields if allowed is None or covers(allowed, field))
