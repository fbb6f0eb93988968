"""The members of suggest and autocomplete calls, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import invalid_parameter, invalid_request
from ..http import Request
from ..schema.fields import unknown_member

DEFAULT_TOP = 5
MAX_TOP = 100
MAX_TEXT = 100
MODES = ("oneTerm", "twoTerms", "oneTermWithContext")
TYPES: dict[str, type | tuple[type, ...]] = {
    "search": str,
    "suggesterName": str,
    "filter": str,
    "fuzzy": bool,
    "highlightPreTag": str,
    "highlightPostTag": str,
    "minimumCoverage": (int, float),
    "searchFields": str,
    "top": int,
}
SUGGEST = {**TYPES, "orderby": str, "select": str}
AUTOCOMPLETE = {**TYPES, "autocompleteMode": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """A suggest or autocomplete call."""

    search: str
    suggester: str | None = None
    filter: str | None = None
    fuzzy: bool = False
    before: str | None = None
    after: str | None = None
    coverage: bool = False
    fields: str | None = None
    top: int = DEFAULT_TOP
    orderby: str | None = None
    select: str | None = None
    mode: str = "oneTerm"


def read_completion(body: Mapping[str, Any], known: Mapping[str, Any]) -> CompletionRequest:
    """The request in a body; `known` are the members of its kind of call."""
    for name, value in body.items():
        if name not in known:
            raise unknown_member(name, "search.suggestrequest" if known is SUGGEST else "search.autocompleterequest")
        fits = isinstance(value, known[name]) and (known[name] is bool) == isinstance(value, bool)
        if value is not None and not fits:
            raise invalid_request("parameters", f"Cannot convert the literal '{str(value)[:60]}' of '{name}' to its type.")
    text, top, mode = body.get("search"), body.get("top"), body.get("autocompleteMode") or "oneTerm"
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT:
        message = f"The search text must have 1 to {MAX_TEXT} characters."
        raise invalid_parameter("search", "InvalidSearchText", message)
    if top is not None and not 1 <= top <= MAX_TOP:
        raise invalid_parameter("$top", "ParameterValueOutOfRange", f"Value must be between 1 and {MAX_TOP}.")
    if mode not in MODES:
        raise invalid_parameter("autocompleteMode", "InvalidParameterValue", f"It must be one of: {', '.join(MODES)}.")
    return CompletionRequest(
        search=text,
        suggester=body.get("suggesterName"),
        filter=body.get("filter"),
        fuzzy=bool(body.get("fuzzy")),
        before=body.get("highlightPreTag"),
        after=body.get("highlightPostTag"),
        coverage=body.get("minimumCoverage") is not None,
        fields=body.get("searchFields"),
        top=DEFAULT_TOP if top is None else top,
        orderby=body.get("orderby"),
        select=body.get("select"),
        mode=mode,
    )


def completion_from_query(request: Request) -> dict[str, Any]:
    """The members of a GET call with the types that a body would give them."""
    found: dict[str, Any] = {}
    for name, value in request.query.items():
        member = name.removeprefix("$")
        if member == "api-version":
            continue
        if SUGGEST.get(member) is bool:
            found[member] = value.lower() == "true"
        elif member in ("top", "minimumCoverage") and re.fullmatch(r"\d+", value):
            found[member] = int(value)
        else:
            found[member] = value
    return found
