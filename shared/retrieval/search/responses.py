"""Replies of the search service read into hits. What is not as the service documents it is an unreadable reply."""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from ..errors import SearchFailed
from .highlights import EmphasisMarks, safe_html
from .results import Caption, Hit, Semantic, SemanticAnswer

# Documents as the service returns them: reading a field by its path and keeping only some fields.


def value_at(document: Mapping[str, Any], path: str) -> Any:
    """The value of `address/city`; through a list of complex values, the list of each element's value. None when absent."""
    value: Any = document
    for name in path.split("/"):
        value = _member(value, name)
    return value


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list):
        found = [_member(element, name) for element in value]
        return [element for element in found if element is not None] or None
    return None


def pick(document: Mapping[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The members of `document` that `paths` name, in the document's order."""
    wanted: dict[str, list[str]] = {}
    for path in paths:
        name, _, rest = path.partition("/")
        wanted.setdefault(name, []).append(rest)
    return {name: _picked(value, wanted[name]) for name, value in document.items() if name in wanted}


def _picked(value: Any, paths: Sequence[str]) -> Any:
    if "" in paths:
        return value
    if isinstance(value, Mapping):
        return pick(value, paths)
    return [_picked(element, paths) for element in value] if isinstance(value, list) else value


def covers(paths: Iterable[str], path: str) -> bool:
    """Whether one of `paths` is `path` or a complex field around it."""
    parts = path.split("/")
    around = {"/".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return any(name in around for name in paths)


_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_PARTIAL_WITHOUT_REASON = "partial"
_LARGEST = sys.float_info.max


@dataclass(slots=True)
class Reply:
    """What the pages of one search gave together; counts, facets and answers are those of the first."""

    documents: list[Mapping[str, Any]] = field(default_factory=list)
    count: int | None = None
    facets: Mapping[str, Any] | None = None
    answers: tuple[SemanticAnswer, ...] = ()
    partial_reason: str | None = None
    pages: int = 0
    marks: EmphasisMarks | None = None

    def add(self, status: int, page: Mapping[str, Any]) -> bool:
        """Take a page in; whether it held anything. Raises SearchFailed when its members are not of their types."""
        self.pages += 1
        if self.pages == 1:
            self.count, self.facets = _count(page), _facets(page)
            self.answers = tuple(_answer(answer, self.marks) for answer in _list(page, "@search.answers"))
        reason = page.get("@search.semanticPartialResponseReason")
        if reason or status == 206:
            self.partial_reason = str(reason or _PARTIAL_WITHOUT_REASON)
        documents = page.get("value")
        if not isinstance(documents, list) or not all(isinstance(document, Mapping) for document in documents):
            raise unreadable()
        self.documents.extend(documents)
        return bool(documents)


def read_page(body: bytes) -> Mapping[str, Any]:
    """The JSON object of a reply. Raises SearchFailed when it is none."""
    try:
        page = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise unreadable() from None
    if not isinstance(page, Mapping):
        raise unreadable()
    return _whole_characters(page) if _ESCAPED_SURROGATE.search(body) else page


def _no_constant(_: str) -> NoReturn:
    raise ValueError("no JSON")


def _whole_characters(value: Any) -> Any:
    """Half characters (lone surrogates) replaced: they could not be sent on as UTF-8."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_whole_characters(name): _whole_characters(member) for name, member in value.items()}
    return [_whole_characters(element) for element in value] if isinstance(value, list) else value


def next_request(page: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The body that asks for the rest, when the service could not give it all at once."""
    parameters = page.get("@search.nextPageParameters")
    return parameters if isinstance(parameters, Mapping) and parameters else None


def parse_hits(
    reply: Reply,
    shown: Sequence[str] | None,
    hidden: Sequence[str],
    *,
    ranked: bool,
    marks: EmphasisMarks | None = None,
) -> tuple[Hit, ...]:
    """The hits of a reply. `shown` are the fields the caller may see (None: all but `hidden`).

    Scores of the ranker count only where it was asked (`ranked`). `marks` are those that highlights were asked for with.
    """
    hits = tuple(_hit(document, shown, hidden, marks) for document in reply.documents)
    return (
        hits
        if ranked
        else tuple(replace(hit, reranker_score=None) if hit.reranker_score is not None else hit for hit in hits)
    )


def _hit(
    document: Mapping[str, Any], shown: Sequence[str] | None, hidden: Sequence[str], marks: EmphasisMarks | None
) -> Hit:
    own = {name: value for name, value in document.items() if not name.startswith("@")}
    fields = pick(own, shown) if shown is not None else {name: value for name, value in own.items() if name not in hidden}
    return Hit(
        fields=fields,
        declared=own if shown is not None else {},
        score=_number(document.get("@search.score")),
        reranker_score=_number(document.get("@search.rerankerScore")),
        highlights=_highlights(document, marks),
        captions=tuple(_caption(caption, marks) for caption in _list(document, "@search.captions")),
    )


def semantic_of(reply: Reply, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], Semantic]:
    """The hits as they can be ranked: without scores of the ranker where it gave only some or none."""
    if reply.partial_reason is None:
        return hits, Semantic()
    partial = Semantic(partial=True, reason=reply.partial_reason)
    if hits and all(hit.reranker_score is not None for hit in hits):
        return hits, partial
    unranked = [replace(hit, reranker_score=None) for hit in hits]
    if any(hit.reranker_score is not None for hit in hits):
        unranked.sort(key=lambda hit: hit.score or 0.0, reverse=True)
    return tuple(unranked), partial


def _highlights(document: Mapping[str, Any], marks: EmphasisMarks | None) -> dict[str, tuple[str, ...]]:
    found = document.get("@search.highlights") or {}
    if not isinstance(found, Mapping):
        raise unreadable()
    return {
        str(name): tuple(safe_html(str(text), marks) for text in texts)
        for name, texts in found.items()
        if isinstance(texts, list) and not name.startswith("@") and "@" not in name
    }


def _caption(caption: Any, marks: EmphasisMarks | None) -> Caption:
    if not isinstance(caption, Mapping):
        raise unreadable()
    return Caption(text=html.escape(str(caption.get("text") or "")), highlights=_marked(caption, marks))


def _marked(passage: Mapping[str, Any], marks: EmphasisMarks | None) -> str | None:
    highlights = passage.get("highlights")
    return safe_html(str(highlights), marks) if highlights else None


def _answer(answer: Any, marks: EmphasisMarks | None) -> SemanticAnswer:
    if not isinstance(answer, Mapping):
        raise unreadable()
    return SemanticAnswer(
        key=answer.get("key"),
        text=html.escape(str(answer.get("text") or "")),
        highlights=_marked(answer, marks),
        score=_number(answer.get("score")),
    )


def _count(page: Mapping[str, Any]) -> int | None:
    count = page.get("@odata.count")
    if count is None or (isinstance(count, int) and not isinstance(count, bool)):
        return count
    raise unreadable()


def _facets(page: Mapping[str, Any]) -> Mapping[str, Any] | None:
    facets = page.get("@search.facets")
    if facets is None:
        return None
    if not isinstance(facets, Mapping):
        raise unreadable()
    return {name: value for name, value in facets.items() if "@" not in name}


def _list(page: Mapping[str, Any], name: str) -> list[Any]:
    """A list member: empty when absent or null, which the service gives for no captions. Raises SearchFailed."""
    value = page.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise unreadable()
    return value


def _number(value: Any) -> float | None:
    """A score. One too large for a float is the largest: infinity could stand in no JSON of ours."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise unreadable()
    try:
        return max(-_LARGEST, min(float(value), _LARGEST))
    except OverflowError:
        return _LARGEST


def unreadable() -> SearchFailed:
    """The error of a reply that is not as documented; no further try is made."""
    return SearchFailed("The reply of the search service cannot be read.")
