"""Passages of a field with the words that matched marked, as the service's unified highlighter cuts them: by sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .analyzers import Analyzer
from .definition import IndexDefinition
from .errors import invalid_parameter
from .fieldvalues import values_at

DEFAULT_PASSAGES = 5
SENTENCE = re.compile(r".+?(?:[.!?]+[\"'”’)\]]*(?=\s|\Z)|[。！？]|\n|\Z)\s*", re.DOTALL)
REQUEST = re.compile(r"([A-Za-z_][\w/]*)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class HighlightRequest:
    """Fields with the number of passages, and the tags around a match."""

    fields: Mapping[str, int]
    before: str = "<em>"
    after: str = "</em>"


def read_highlight(
    definition: IndexDefinition, text: str | None, before: str | None, after: str | None
) -> HighlightRequest | None:
    """The request in `highlight`; a field that is not searchable is the service's 400."""
    if not text or not text.strip():
        return None
    searchable = {each.path for each in definition.searchable}
    fields: dict[str, int] = {}
    for part in text.split(","):
        found = REQUEST.fullmatch(part.strip())
        if found is None or found.group(1) not in searchable:
            message = f"The field '{part.strip()}' in the highlight parameter is not a searchable field."
            raise invalid_parameter("highlight", "NonSearchableField", message)
        fields[found.group(1)] = int(found.group(2) or DEFAULT_PASSAGES)
    return HighlightRequest(fields, "<em>" if before is None else before, "</em>" if after is None else after)


def marked(text: str, analyze: Analyzer, terms: frozenset[str], tags: tuple[str, str]) -> str | None:
    """The text with every matching word between the tags, None when none matches."""
    spans = [(token.start, token.end) for token in analyze(text) if token.term in terms]
    if not spans:
        return None
    found, at = [], 0
    for start, end in spans:
        if start < at:
            continue
        found += [text[at:start], tags[0], text[start:end], tags[1]]
        at = end
    return "".join([*found, text[at:]])


def passages(
    texts: Sequence[str], analyze: Analyzer, terms: frozenset[str], request: HighlightRequest, limit: int
) -> list[str]:
    """The sentences that hold a match, at most `limit` with the most matches, in the order of the text."""
    tags = (request.before, request.after)
    found: list[tuple[int, str]] = []
    for text in texts:
        for sentence in SENTENCE.findall(text):
            passage = marked(sentence.strip(), analyze, terms, tags)
            if passage is not None:
                found.append((sum(token.term in terms for token in analyze(sentence)), passage))
    best = sorted(range(len(found)), key=lambda at: (-found[at][0], at))[:limit]
    return [found[at][1] for at in sorted(best)]


def highlights(
    document: Mapping[str, Any],
    analyzers: Mapping[str, Analyzer],
    terms: Mapping[str, frozenset[str]],
    request: HighlightRequest,
) -> dict[str, list[str]]:
    """The passages of a document by field; fields without a match are left out."""
    found = {}
    for path, limit in request.fields.items():
        cut = passages(values_at(document, path), analyzers[path], terms.get(path, frozenset()), request, limit)
        if cut:
            found[path] = cut
    return found
