"""A search as the caller means it: checked members, and the body that is sent for it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..errors import InvalidQuery, InvalidRequest, Problem, TooLarge
from ..filters.filter import ODataFilter
from ..filters.odata.lexer import FIELD_PATH
from ..limits import MAX_QUERY_CHARACTERS, MAX_SKIP, MAX_TOP
from ..settings import IndexSettings
from .highlights import EmphasisMarks
from .responses import covers
from .results import ScoreKind

Syntax = Literal["plain", "simple", "full"]
SearchMode = Literal["any", "all"]

MATCH_ALL = "*"
_PROBE_WORD = "readiness"
_SEMANTIC_CANDIDATES = 50
# What the simple syntax gives a meaning anywhere, and the minus that it negates with at the start of a word.
_OPERATOR = re.compile(r"""[+|"()'\\~*]|(?:(?<=[\s+|"()'\\~*])|^)-+""")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """One search: `select` None means the fields of the index's settings."""

    text: str
    filter: ODataFilter | None = None
    top: int = 10
    skip: int = 0
    select: tuple[str, ...] | None = None
    order_by: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    highlight: tuple[str, ...] = ()
    count: bool = False
    syntax: Syntax = "plain"
    search_mode: SearchMode | None = None
    captions: bool = False
    session: bool = False
    """Whether the pages of the search come from one replica of the service."""

    def check(self) -> None:
        """Raises TooLarge for an over-long text, InvalidRequest for a blank one and for numbers out of range."""
        if len(self.text) > MAX_QUERY_CHARACTERS:
            problem = Problem("$.query", "too_large", f"A query has at most {MAX_QUERY_CHARACTERS} characters.")
            raise TooLarge(problem.message, problems=(problem,))
        problems = []
        if not self.text.strip():
            problems.append(Problem("$.query", "blank_query", 'A query is not blank; "*" alone matches every document.'))
        if any("\ud800" <= character <= "\udfff" for character in self.text):
            problems.append(Problem("$.query", "invalid_query", "The query holds half a character (a lone surrogate)."))
        problems.extend(_range("$.top", self.top, 1, MAX_TOP))
        problems.extend(_range("$.skip", self.skip, 0, MAX_SKIP))
        problems.extend(_choice("$.syntax", self.syntax, ("plain", "simple", "full")))
        problems.extend(_choice("$.searchMode", self.search_mode, (None, "any", "all")))
        if problems:
            raise InvalidRequest(problems[0].message, problems=tuple(problems))


def _range(path: str, value: object, least: int, most: int) -> list[Problem]:
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return []
    return [Problem(path, "out_of_range", f"Must be an integer from {least} to {most}.")]


def _choice(path: str, value: object, allowed: Sequence[object]) -> list[Problem]:
    words = ", ".join(str(word) for word in allowed if word is not None)
    return [] if value in allowed else [Problem(path, "out_of_range", f"Must be one of {words}.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a search goes to the service: its body, whether it is ranked semantically, and what its base scores are."""

    body: dict[str, Any]
    semantic: bool
    unranked_reason: str | None
    base_kind: ScoreKind
    marks: EmphasisMarks | None = None


def plan_search(query: SearchQuery, index: IndexSettings, select: Sequence[str]) -> Plan:
    """The request for `query`. `select` empty asks for every field."""
    match_all = query.text == MATCH_ALL
    reason = "match_all" if match_all else "order_by" if query.order_by else None
    semantic = index.semantic_configuration is not None and reason is None
    vector = bool(index.vector_fields) and not match_all
    body = {"search": escaped(query.text) if query.syntax == "plain" and not match_all else query.text, "top": query.top}
    body |= _asked(query, select)
    if index.search_fields:
        body["searchFields"] = ",".join(index.search_fields)
    if query.session:
        body["sessionId"] = _session_id(query, index)
    marks = EmphasisMarks.new() if query.highlight or (semantic and query.captions) else None
    if marks is not None:
        body |= {"highlightPreTag": marks.start, "highlightPostTag": marks.end}
    if semantic:
        body |= _semantic_side(query, index, body)
    elif query.syntax == "full":
        body["queryType"] = "full"
    if vector:
        body |= _vector_side(query, index, semantic)
    return Plan(
        body=body,
        semantic=semantic,
        unranked_reason=reason if index.semantic_configuration is not None else None,
        base_kind="fused" if vector else "keyword",
        marks=marks,
    )


def _session_id(query: SearchQuery, index: IndexSettings) -> str:
    """The same for every page of one search. It begins with a hexadecimal digit: the service refuses an underscore there."""
    parts = (index.name, query.text, query.filter.text if query.filter else "", *query.order_by)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def probe_bodies(index: IndexSettings, *, ranked: bool) -> Iterator[tuple[dict[str, Any], bool]]:
    """Requests of no hits that name every configured field, and with `ranked` one of the sides that cost.

    Each comes with whether it is that one.
    """
    declared = (index.name_field, index.link_field, index.key_field)
    fields = (*index.content_fields, *(field for field in declared if field), *(index.return_fields or ()))
    body: dict[str, Any] = {"search": MATCH_ALL, "top": 0}
    if fields:
        body["select"] = ",".join(dict.fromkeys(fields))
    if index.search_fields:
        body |= {"search": _PROBE_WORD, "searchFields": ",".join(index.search_fields)}
    yield body, False
    sides: dict[str, Any] = {}
    if index.semantic_configuration is not None:
        sides |= {"queryType": "semantic", "semanticConfiguration": index.semantic_configuration}
    if index.vector_fields:
        vector = {"kind": "text", "text": _PROBE_WORD, "k": 1, "fields": ",".join(index.vector_fields)}
        sides |= {"vectorQueries": [vector]}
    if ranked and sides:
        yield {"search": _PROBE_WORD, "top": 0, **sides}, True


def without_semantic(plan: Plan) -> Plan:
    """The same search without its semantic side, for a service that refuses to rank."""
    sides = ("queryType", "semanticConfiguration", "semanticQuery", "captions", "answers")
    body = {key: value for key, value in plan.body.items() if key not in sides or (key, value) == ("queryType", "full")}
    return replace(plan, body=body, semantic=False, unranked_reason=None)


def _asked(query: SearchQuery, select: Sequence[str]) -> dict[str, Any]:
    asked = {
        "filter": query.filter.text if query.filter else None,
        "skip": query.skip or None,
        "select": ",".join(select) or None,
        "orderby": ",".join(query.order_by) or None,
        "facets": list(query.facets) or None,
        "highlight": ",".join(query.highlight) or None,
        "count": query.count or None,
        "searchMode": query.search_mode,
    }
    return {key: value for key, value in asked.items() if value is not None}


def _semantic_side(query: SearchQuery, index: IndexSettings, body: dict[str, Any]) -> dict[str, Any]:
    """Ranking by the original text: as the query itself, or beside it where operators were escaped or are meant."""
    side: dict[str, Any] = {"semanticConfiguration": index.semantic_configuration}
    if query.syntax == "plain" and body["search"] == query.text:
        side["queryType"] = "semantic"
    else:
        side["queryType"] = "full" if query.syntax == "full" else "simple"
        side["semanticQuery"] = query.text
    if query.captions:
        side |= {"captions": "extractive|highlight-true", "answers": "extractive|count-3"}
    return side


def _vector_side(query: SearchQuery, index: IndexSettings, semantic: bool) -> dict[str, Any]:
    nearest = max(query.top, _SEMANTIC_CANDIDATES) if semantic else query.top
    vector = {"kind": "text", "text": query.text, "k": nearest, "fields": ",".join(index.vector_fields)}
    return {"vectorQueries": [vector], "vectorFilterMode": "preFilter"}


def escaped(text: str) -> str:
    """Plain words for the simple syntax: every operator becomes the character that was typed."""
    return _OPERATOR.sub(lambda match: "".join(f"\\{character}" for character in match[0]), text)


# The fields that a search may name and those that are fetched for it (`ReturnFields`, `ContentFields`).

_PATH = FIELD_PATH.pattern
_ENTRY = "Not a valid entry of {}; expected a field name."
_HIDDEN = "The field {} is not among the ReturnFields of this index."
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


# A colon, with the backslashes that may escape it and the field that it would search.
_COLON = re.compile(r"(?:(?:^|(?<=[\s(+\-!\"]))(?P<field>" + _PATH + r"))?(?P<escapes>\\*):", re.ASCII)


def check_syntax(query: SearchQuery, index: IndexSettings) -> None:
    """Raises InvalidQuery for a query language that would look into fields which the index hides.

    Code `syntax_not_allowed` where `SearchFields` does not bound the words; `invalid_query` for a colon of a `full` query
    that follows no field of `SearchFields`: the full Lucene syntax reads `field:word` as a search of that field.
    """
    if query.syntax == "plain":
        return
    if index.hides_fields and not index.search_fields:
        message = f"The index {index.name} takes plain queries only; its SearchFields are not set."
        problem = Problem("$.syntax", "syntax_not_allowed", message)
        raise InvalidQuery(message, code=problem.code, problems=(problem,))
    if query.syntax != "full" or not index.search_fields:
        return
    for colon in _COLON.finditer(query.text):
        if len(colon["escapes"]) % 2 == 0 and (colon["escapes"] or colon["field"] not in index.search_fields):
            fields = ", ".join(index.search_fields)
            message = f"A colon must follow one of the fields {fields}; escape the colon (\\:) where it is a character."
            raise InvalidQuery(message, problems=(Problem("$.query", "invalid_query", message),))


def named_fields(query: SearchQuery) -> dict[str, tuple[str, ...]]:
    """The fields that the caller names, by member of the request. Raises InvalidQuery for entries of no known form."""
    problems: list[Problem] = []
    named: dict[str, tuple[str, ...]] = {}
    for member, entries in _entries(query):
        found = []
        for place, entry in enumerate(entries):
            match = _FORMS[member].fullmatch(entry)
            if match is None:
                problems.append(Problem(f"$.{member}[{place}]", "invalid_query", _ENTRY.format(member)))
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
        Problem(f"$.{member}[{place}]", "field_not_returned", _HIDDEN.format(field))
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
    return fields_to_select(index.content_fields, index) if index.content_fields else None


def fields_to_select(fields: Iterable[str], index: IndexSettings) -> tuple[str, ...]:
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
