"""Semantic-like ranking: the first fifty hits again, by how near a document's text is to the query, on a scale from 0 to 4.

The score joins the cosine of a small sentence model with the share of the query's words, rare ones counting more, that the
ranked fields hold; its root is taken, since the real scores lie close together too. The real ranker is a far larger model:
only the scale, the order of magnitude and the shape are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .analyzers import standard
from .embedding import Embedder
from .fusion import widened
from .index import SearchIndex
from .passages import Passage, best_passage, field_text, ranked_text
from .semantic_config import SemanticConfiguration
from .semantic_request import SemanticRequest
from .stopwords import ENGLISH

RANKED = 50
WORDS_WEIGHT = 0.4
TOP_SCORE = 4.0
ANSWER_HITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticRanking:
    """The new order, the reranker score of each ranked hit, and the answers that were found."""

    ordinals: list[int]
    scores: Mapping[int, float]
    answers: list[dict[str, Any]]


def rank(index: SearchIndex, request: SemanticRequest, ordinals: Sequence[int], embedder: Embedder) -> SemanticRanking:
    """Rank the first fifty of the hits; the rest follow in their order, without a reranker score."""
    candidates, rest = list(ordinals[:RANKED]), list(ordinals[RANKED:])
    nearness = _nearness(index, request, candidates, embedder)
    scores = {each: widened(TOP_SCORE * float(np.sqrt(value))) for each, value in zip(candidates, nearness, strict=True)}
    ranked = sorted(candidates, key=lambda each: -scores[each])
    return SemanticRanking(
        ordinals=[*ranked, *rest], scores=scores, answers=_answers(index, request, ranked, scores, embedder)
    )


def _nearness(
    index: SearchIndex, request: SemanticRequest, candidates: list[int], embedder: Embedder
) -> NDArray[np.float64]:
    """From 0 to 1 for every candidate."""
    if not candidates:
        return np.zeros(0)
    vectors = _vectors(index, request.configuration, candidates, embedder)
    cosines = np.clip(vectors @ embedder.embed([request.text])[0], 0, 1)
    shares = _word_shares(index, request)[candidates]
    nearness: NDArray[np.float64] = (cosines + WORDS_WEIGHT * shares) / (1 + WORDS_WEIGHT)
    return nearness


def _vectors(
    index: SearchIndex, configuration: SemanticConfiguration, candidates: list[int], embedder: Embedder
) -> NDArray[np.float64]:
    """The vectors of the documents' texts; each is made once until a document changes."""
    kept: dict[int, Any] = index.store.derived(("semantic", configuration.name), dict)
    missing = [each for each in candidates if each not in kept]
    if missing:
        made = embedder.embed([ranked_text(index.store.document(each), configuration) for each in missing])
        kept.update(zip(missing, made, strict=True))
    return np.array([kept[each] for each in candidates], np.float64)


def _word_shares(index: SearchIndex, request: SemanticRequest) -> NDArray[np.float64]:
    """For every document the share of the query's words that its ranked fields hold, weighed by rarity."""
    total, size = np.zeros(len(index.store.documents)), max(1, len(index.store))
    weights = 0.0
    for word in dict.fromkeys(token.term for token in standard(request.text)):
        if word in ENGLISH:
            continue
        mask = np.zeros(len(total), np.bool_)
        for path in request.configuration.paths:
            postings = index.store.postings.get(path)
            for token in postings.search_analyze(word) if postings else ():
                mask[postings.postings(token.term)[0]] = True  # type: ignore[union-attr]
        having = int(np.count_nonzero(mask & index.store.alive))
        weight = float(np.log(1 + (size - having + 0.5) / (having + 0.5)))
        total[mask] += weight
        weights += weight
    return total / weights if weights else total


def _answers(
    index: SearchIndex, request: SemanticRequest, ranked: list[int], scores: Mapping[int, float], embedder: Embedder
) -> list[dict[str, Any]]:
    """Passages that speak to the query strongly enough, best first."""
    found: list[dict[str, Any]] = []
    for ordinal in ranked[:ANSWER_HITS] if request.answers else []:
        confidence = round(scores[ordinal] / TOP_SCORE, 3)
        if confidence >= request.threshold and len(found) < request.answers:
            document = index.store.document(ordinal)
            passage = best_passage(document, request.configuration, request.text, embedder)
            key = document[index.definition.key.name]
            found.append({"key": key, **caption(passage, request.highlight), "score": widened(confidence)})
    return found


def caption(passage: Passage, highlight: bool) -> dict[str, Any]:
    """A passage as captions and answers show it."""
    return {"text": passage.text, "highlights": passage.highlights if highlight else None}


def debug_info(document: Mapping[str, Any], configuration: SemanticConfiguration) -> dict[str, Any]:
    """What the ranker read of a document, for `debug: semantic`."""
    titles = (configuration.title,) if configuration.title else ()
    return {
        "semantic": {
            "titleField": _state(document, configuration.title) if configuration.title else None,
            "contentFields": [_state(document, path) for path in configuration.content],
            "keywordFields": [_state(document, path) for path in configuration.keywords],
            "rerankerInput": {
                "title": field_text(document, titles),
                "content": field_text(document, configuration.content, "\r\n"),
                "keywords": field_text(document, configuration.keywords, "\r\n"),
            },
        },
        "vectors": None,
    }


def _state(document: Mapping[str, Any], path: str | None) -> dict[str, Any]:
    return {"name": path, "state": "used" if path and field_text(document, (path,)) else "unused"}
