"""Passages of a field with the words that matched marked, as the service's unified highlighter cuts them: by sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis.analyzers import Analyzer
from ..errors import invalid_parameter
from ..schema.definition import IndexDefinition
from ..schema.fieldvalues import values_at

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


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks the words of one field's texts that a query matched."""

    analyze: Analyzer
    terms: frozenset[str]
    tags: tuple[str, str]

    def mark(self, text: str) -> str | None:
        """The text with every matching word between the tags, None when no word matches."""
        found, at = [], 0
        for token in self.analyze(text):
            if token.term in self.terms and token.start >= at:
                found += [text[at : token.start], self.tags[0], text[token.start : token.end], self.tags[1]]
                at = token.end
        return "".join([*found, text[at:]]) if found else None

    def passages(self, texts: Sequence[str], limit: int) -> list[str]:
        """The sentences that hold a match, at most `limit` with the most matches, in the order of the text."""
        found: list[tuple[int, str]] = []
        for text in texts:
            for sentence in SENTENCE.findall(text):
                passage = self.mark(sentence.strip())
                if passage is not None:
                    found.append((sum(token.term in self.terms for token in self.analyze(sentence)), passage))
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
        marker = Marker(analyzers[path], terms.get(path, frozenset()), (request.before, request.after))
        cut = marker.passages(values_at(document, path), limit)
        if cut:
            found[path] = cut
    return found
