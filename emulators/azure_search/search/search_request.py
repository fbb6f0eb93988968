"""The members of a search call, from a POST body or a GET query, checked for type and range."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ServiceError, invalid_parameter, invalid_request
from ..http import Request
from ..schema.fields import unknown_member

MAX_SKIP = 100_000
PAGE = 50
MAX_PAGE = 1000
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A search as asked for. `sent` is the body as it came, for `@search.nextPageParameters`."""

    search: str | None = None
    filter: str | None = None
    orderby: str | None = None
    select: str | None = None
    top: int | None = None
    skip: int = 0
    count: bool = False
    facets: tuple[str, ...] = ()
    highlight: str | None = None
    before: str | None = None
    after: str | None = None
    minimum_coverage: float | None = None
    query_type: str = "simple"
    search_mode: str = "any"
    search_fields: str | None = None
    scoring_profile: str | None = None
    scoring_parameters: tuple[str, ...] = ()
    semantic_configuration: str | None = None
    semantic_query: str | None = None
    semantic_error_handling: str = "partial"
    scoring_statistics: str = "local"
    captions: str | None = None
    answers: str | None = None
    debug: str = "disabled"
    vector_queries: tuple[Mapping[str, Any], ...] = ()
    vector_filter_mode: str = "preFilter"
    hybrid: Mapping[str, Any] = field(default_factory=dict)
    sent: Mapping[str, Any] = field(default_factory=dict)

    @property
    def every_word(self) -> bool:
        """True when all words have to match."""
        return self.search_mode == "all"

    @property
    def matches_all(self) -> bool:
        """True when the text says nothing: absent, blank or `*`."""
        return self.search is None or self.search.strip() in ("", "*")

    @property
    def semantic(self) -> bool:
        """True when hits are ranked semantically; `*` has nothing to rank by unless a semantic query is given."""
        return self.query_type == "semantic" or self.semantic_query is not None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("Edm.String")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("Edm.Int32")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("Edm.Double")
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("Edm.Boolean")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TypeError("Collection(Edm.String)")
    return tuple(value)


def _objects(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise TypeError("Collection(search.vectorQuery)")
    return tuple(value)


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError("search.hybridSearch")
    return value


Reader = Callable[[Any], Any]
MEMBERS: dict[str, tuple[str, Reader]] = {
    "search": ("search", _text),
    "filter": ("filter", _text),
    "orderby": ("orderby", _text),
    "select": ("select", _text),
    "top": ("top", _whole),
    "skip": ("skip", _whole),
    "count": ("count", _flag),
    "facets": ("facets", _texts),
    "highlight": ("highlight", _text),
    "highlightPreTag": ("before", _text),
    "highlightPostTag": ("after", _text),
    "minimumCoverage": ("minimum_coverage", _number),
    "queryType": ("query_type", _text),
    "searchMode": ("search_mode", _text),
    "searchFields": ("search_fields", _text),
    "scoringProfile": ("scoring_profile", _text),
    "scoringParameters": ("scoring_parameters", _texts),
    "semanticConfiguration": ("semantic_configuration", _text),
    "semanticQuery": ("semantic_query", _text),
    "semanticErrorHandling": ("semantic_error_handling", _text),
    "scoringStatistics": ("scoring_statistics", _text),
    "captions": ("captions", _text),
    "answers": ("answers", _text),
    "debug": ("debug", _text),
    "vectorQueries": ("vector_queries", _objects),
    "vectorFilterMode": ("vector_filter_mode", _text),
    "hybridSearch": ("hybrid", _object),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "queryType": ("simple", "full", "semantic"),
    "searchMode": ("any", "all"),
    "semanticErrorHandling": ("partial", "fail"),
    "vectorFilterMode": ("preFilter", "postFilter"),
    "debug": ("disabled", "semantic"),
    "scoringStatistics": ("local", "global"),
    "featuresMode": ("none",),
    "speller": ("none",),
    "queryRewrites": ("none",),
}
# One node holds the whole index, and no language or session changes the hits.
WITHOUT_EFFECT: dict[str, Reader] = {
    "sessionId": _text,
    "queryLanguage": _text,
    "semanticMaxWaitInMilliseconds": _whole,
    "featuresMode": _text,
    "speller": _text,
    "queryRewrites": _text,
}
FROM_QUERY = {f"${name}": name for name in ("filter", "orderby", "select", "top", "skip", "count")}
REPEATED = {"facet": "facets", "scoringParameter": "scoringParameters"}


def read_search(body: Mapping[str, Any]) -> SearchRequest:
    """The request in a POST body; an unknown member or a value of the wrong type is the service's 400."""
    found: dict[str, Any] = {"sent": body}
    for name, value in body.items():
        if value is None:
            continue
        target, reader = MEMBERS.get(name, (None, WITHOUT_EFFECT.get(name)))
        if reader is None:
            raise unknown_member(name, "search.searchrequest")
        read = _read(name, value, reader)
        if target is not None:
            found[target] = read
    request = SearchRequest(**found)
    _check_ranges(request, body)
    return request


def _read(name: str, value: Any, reader: Reader) -> Any:
    try:
        read = reader(value)
    except TypeError as error:
        shown = str(value)[:60]
        raise invalid_request(
            "parameters", f"Cannot convert the literal '{shown}' to the expected type '{error}'."
        ) from None
    if name in CHOICES and not set(str(read).split("|")) <= set(CHOICES[name]):
        message = f"Value '{str(read)[:60]}' is not allowed; it must be one of: {', '.join(CHOICES[name])}."
        raise invalid_parameter(name, "InvalidParameterValue", message)
    return read


def _check_ranges(request: SearchRequest, body: Mapping[str, Any]) -> None:
    _between("$top", request.top, 0, 2**31 - 1)
    _between("$skip", request.skip, 0, MAX_SKIP)
    _between("minimumCoverage", request.minimum_coverage, 0, 100)
    wait = body.get("semanticMaxWaitInMilliseconds")
    if isinstance(wait, int) and wait < 750:
        message = "The 'semanticMaxWaitInMilliseconds' parameter needs to be larger than 750."
        raise invalid_parameter("semanticMaxWaitInMilliseconds", "ParameterValueOutOfRange", message)


def _between(name: str, value: float | None, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise invalid_parameter(name, "ParameterValueOutOfRange", f"Value must be between {least} and {most}.")


def from_query(request: Request) -> dict[str, Any]:
    """The members of a GET search, with the types that a body would give them."""
    body: dict[str, Any] = {}
    for name, value in request.query.items():
        if name == "api-version" or name in REPEATED:
            continue
        member = FROM_QUERY.get(name, name)
        _, reader = MEMBERS.get(member, (None, WITHOUT_EFFECT.get(member)))
        body[member] = _read_value(name, value, reader) if reader is not None else value
    return body | {REPEATED[name]: list(values) for name, values in request.repeated.items()}


def _read_value(name: str, value: str, reader: Reader) -> Any:
    if reader is _flag:
        if value.lower() not in ("true", "false"):
            raise ServiceError(400, "", f"Invalid value for the query option {name}.\r\nParameter name: {name}")
        return value.lower() == "true"
    if reader in (_whole, _number):
        if not NUMBER.fullmatch(value):
            raise ServiceError(400, "", f"Invalid value for the query option {name}.\r\nParameter name: {name}")
        return float(value) if reader is _number else int(float(value))
    return [value] if reader is _texts else value
