"""What a refusal of the search service means for us: whose mistake it is, and what may be said about it.

The service's own words go no further than this module: they quote what the caller sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..errors import IndexMisconfigured, InvalidQuery, Problem, RetrievalError, SemanticUnavailable
from ..filters.odata.printer import fields_of
from ..settings import IndexSettings
from .query import SearchQuery, named_fields

_PARAMETER = re.compile(r"Parameter name: \$?([A-Za-z_.]+)")
_QUOTED = re.compile(r"'([^'\r\n]{1,300})'")
_MISSING_FIELD = re.compile(r"could not find a property|unknown field|does not exist|not found|no such field", re.IGNORECASE)
_RANKER_OFF = re.compile(
    r"semantic[^.]*\b(?:not enabled|not available|disabled|not supported|quota|limit|exceeded|billing)", re.IGNORECASE
)
_TOO_MANY_CLAUSES = re.compile(r"ClauseLimitExceeded|too ?many ?clauses|max ?clause ?count|clause limit", re.IGNORECASE)
_READ = 4000
_MEMBERS = {
    "select": "select",
    "filter": "filter",
    "orderby": "orderBy",
    "facet": "facets",
    "facets": "facets",
    "highlight": "highlight",
    "highlights": "highlight",
    "search": "query",
    "querytype": "syntax",
    "searchmode": "searchMode",
}
_WORDS = {
    "filter": "The search service refuses the filter: {field} may not be filterable, or a value not of its type.",
    "orderBy": "The search service refuses the order: {field} may not be sortable.",
    "facets": "The search service refuses the facets: {field} may not be facetable.",
    "highlight": "The search service refuses the highlights: {field} may not be searchable.",
    "select": "The search service refuses the selection: {field} may not be retrievable.",
    "query": "The search service cannot read the query in this syntax.",
    "syntax": "The search service refuses this syntax.",
    "searchMode": "The search service refuses this search mode.",
}


@dataclass(frozen=True, slots=True)
class ServiceRefusal:
    """A reply of 400 or 402 as read: the parameter at fault, if named, and the names it quotes."""

    status: int
    text: str
    parameter: str | None
    names: frozenset[str]

    @classmethod
    def read(cls, status: int, body: bytes) -> ServiceRefusal:
        """The refusal in a reply, whatever its body is."""
        text = _text_of(body)
        parameter = _PARAMETER.search(text)
        names = frozenset(_QUOTED.findall(text))
        return cls(status, text, parameter[1].lower() if parameter else None, names)

    @property
    def ranker_off(self) -> bool:
        """Whether the semantic ranker is over its quota or switched off, rather than wrongly named."""
        return (
            self.status == 402 or "semanticqueriesnotavailable" in self.text.lower() or bool(_RANKER_OFF.search(self.text))
        )


def _text_of(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return f"{error.get('code') or ''} {error.get('message') or ''}"[:_READ]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def error_of_refusal(refusal: ServiceRefusal, query: SearchQuery, index: IndexSettings, semantic: bool) -> RetrievalError:
    """The error that a refused search raises: the caller's, the operator's, or the ranker's."""
    if semantic and refusal.ranker_off:
        return SemanticUnavailable("The semantic ranker of the search service is switched off or over its quota.")
    if _TOO_MANY_CLAUSES.search(refusal.text):
        message = "The query has too many clauses for the search service; use fewer words, or set the index's SearchFields."
        return InvalidQuery(message, code="too_many_clauses", problems=(Problem("$.query", "too_many_clauses", message),))
    member = _member_at_fault(refusal, query, index)
    if member is None:
        return misconfigured(index)
    named = _fields_by_member(query).get(member, ())
    field = next((field for field in named if _mentions(refusal, field)), None)
    if field is not None and _MISSING_FIELD.search(refusal.text):
        return _invalid(member, "unknown_field", f"The index has no field {field}.")
    words = _WORDS[member].format(field=f"the field {field}" if field else "a field of it")
    return _invalid(member, "invalid_query", words)


def _invalid(member: str, code: str, message: str) -> InvalidQuery:
    return InvalidQuery(message, problems=(Problem(f"$.{member}", code, message),))


def misconfigured(index: IndexSettings) -> IndexMisconfigured:
    """The operator's error; which field it is, the log says."""
    return IndexMisconfigured(f"The index {index.name} does not exist as it is configured.")


def configured_field(refusal: ServiceRefusal, index: IndexSettings) -> str | None:
    """The field of the settings that a refusal quotes, for the log."""
    return next((field for field in index.configured_fields if _mentions(refusal, field)), None)


def _member_at_fault(refusal: ServiceRefusal, query: SearchQuery, index: IndexSettings) -> str | None:
    """The member of the caller's request that the service refuses, None when it is the configuration."""
    asked, by_member = set(_asked(query)), _fields_by_member(query)
    member = _MEMBERS.get(refusal.parameter or "")
    configured = configured_field(refusal, index) is not None
    if refusal.parameter is not None and (member is not None or refusal.parameter.startswith(("semantic", "vector"))):
        if member == "select" and configured and not _any_mentioned(refusal, by_member["select"]):
            return None  # fields of the settings are fetched beside those that the caller selects
        return member if member in asked or member == "query" else None
    for candidate, fields in by_member.items():
        if _any_mentioned(refusal, fields):
            return candidate
    if configured or "semantic" in refusal.text.lower() or "vector" in refusal.text.lower():
        return None
    return next(iter(_asked(query)), None)


def _any_mentioned(refusal: ServiceRefusal, fields: Iterable[str]) -> bool:
    return any(_mentions(refusal, field) for field in fields)


def _asked(query: SearchQuery) -> Iterator[str]:
    """The members that the caller chose, the likeliest to be refused first."""
    if query.syntax != "plain":
        yield from ("query", "syntax")
    named = {"filter": query.filter, "orderBy": query.order_by, "facets": query.facets, "highlight": query.highlight}
    yield from (member for member, value in named.items() if value)
    if query.select:
        yield "select"
    if query.search_mode:
        yield "searchMode"


def _fields_by_member(query: SearchQuery) -> dict[str, tuple[str, ...]]:
    filtered = tuple(sorted(fields_of(query.filter.node))) if query.filter else ()
    return {"filter": filtered, **named_fields(query)}


def _mentions(refusal: ServiceRefusal, field: str) -> bool:
    return bool(field) and (field in refusal.names or not refusal.names.isdisjoint(field.split("/")))
