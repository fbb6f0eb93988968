"""Passages of documents as semantic ranking shows them: clean text, at most two hundred words, the best sentence marked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..analysis.analyzers import english
from ..analysis.embedding import Embedder
from ..schema.fieldvalues import values_at
from ..schema.semantic_config import SemanticConfiguration
from .highlights import SENTENCE

MAX_WORDS = 200
MAX_SENTENCES = 12
END = re.compile(r"[.!?。！？]['\"”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, and the same text with its best sentence between tags."""

    text: str
    highlights: str


def field_text(document: Mapping[str, Any], paths: tuple[str, ...], separator: str = " ") -> str:
    """The values of some text fields, joined."""
    return separator.join(str(value) for path in paths for value in values_at(document, path))


def ranked_text(document: Mapping[str, Any], configuration: SemanticConfiguration) -> str:
    """The text that the model ranks a document by: its content, or title and keywords without content.

    Titles of one collection are much alike and would draw its documents together; their words count apart from the model.
    """
    return field_text(document, configuration.content) or field_text(document, configuration.paths, ". ")


def best_passage(
    document: Mapping[str, Any], configuration: SemanticConfiguration, query: str, embedder: Embedder
) -> Passage:
    """The part of the content that speaks most to the query; the title where there is no content."""
    paths = configuration.content or configuration.paths
    text = " ".join(field_text(document, paths).split()) or " ".join(ranked_text(document, configuration).split())
    if text and not END.search(text):
        text += "."
    sentences = [found.strip() for found in SENTENCE.findall(text)]
    if not sentences:
        return Passage("", "")
    best = _best(sentences, query, embedder)
    first, last = _window(sentences, best)
    marked = [f"<em>{each}</em>" if at == best else each for at, each in enumerate(sentences)]
    return Passage(" ".join(sentences[first:last]), " ".join(marked[first:last]))


def _best(sentences: list[str], query: str, embedder: Embedder) -> int:
    """The sentence that holds most of the query's words; without such a sentence, the one nearest in meaning."""
    if len(sentences) == 1:
        return 0
    wanted = {token.term for token in english(query)}
    shared = [len(wanted & {token.term for token in english(each)}) for each in sentences]
    if any(shared):
        return shared.index(max(shared))
    vectors = embedder.embed([query, *sentences[:MAX_SENTENCES]])
    return int((vectors[1:] @ vectors[0]).argmax())


def _window(sentences: list[str], best: int) -> tuple[int, int]:
    """The sentences around the best one that fit."""
    first, last, words = best, best + 1, len(sentences[best].split())
    while True:
        if last < len(sentences) and words + len(sentences[last].split()) <= MAX_WORDS:
            words += len(sentences[last].split())
            last += 1
        elif first > 0 and words + len(sentences[first - 1].split()) <= MAX_WORDS:
            first -= 1
            words += len(sentences[first].split())
        else:
            return first, last
