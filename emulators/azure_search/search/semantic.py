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

from ..analysis.analyzers import standard
from ..analysis.embedding import Embedder
from ..analysis.stopwords import ENGLISH
from ..index import SearchIndex
from ..schema.semantic_config import SemanticConfiguration
from .fusion import widen
from .passages import Passage, best_passage, field_text, ranked_text
from .semantic_request import SemanticRequest

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticRanker:
    """Ranks the hits of one search again."""

    index: SearchIndex
    request: SemanticRequest
    embedder: Embedder

    def rank(self, ordinals: Sequence[int]) -> SemanticRanking:
        """The first fifty of the hits ranked; the rest follow in their order, without a reranker score."""
        candidates, rest = list(ordinals[:RANKED]), list(ordinals[RANKED:])
        nearness = self._nearness(candidates) if candidates else np.zeros(0)
        scores = {each: widen(TOP_SCORE * float(value**0.5)) for each, value in zip(candidates, nearness, strict=True)}
        ranked = sorted(candidates, key=lambda each: -scores[each])
        return SemanticRanking(ordinals=[*ranked, *rest], scores=scores, answers=self._answers(ranked, scores))

    def passage(self, ordinal: int) -> Passage:
        """The part of a document that speaks most to the query."""
        document = self.index.store.document(ordinal)
        return best_passage(document, self.request.configuration, self.request.text, self.embedder)

    def _nearness(self, candidates: list[int]) -> NDArray[np.float64]:
        """From 0 to 1 for every candidate."""
        cosines = np.clip(self._vectors(candidates) @ self.embedder.embed([self.request.text])[0], 0, 1)
        shares = self._word_shares()[candidates]
        nearness: NDArray[np.float64] = (cosines + WORDS_WEIGHT * shares) / (1 + WORDS_WEIGHT)
        return nearness

    def _vectors(self, candidates: list[int]) -> NDArray[np.float64]:
        """The vectors of the documents' texts; each is made once until a document changes."""
        store, configuration = self.index.store, self.request.configuration
        kept: dict[int, Any] = store.remember(("semantic", configuration.name), dict)
        missing = [each for each in candidates if each not in kept]
        if missing:
            made = self.embedder.embed([ranked_text(store.document(each), configuration) for each in missing])
            kept.update(zip(missing, made, strict=True))
        return np.array([kept[each] for each in candidates], np.float64)

    def _word_shares(self) -> NDArray[np.float64]:
        """For every document the share of the query's words that its ranked fields hold, weighed by rarity."""
        store = self.index.store
        total, size = np.zeros(len(store.documents)), max(1, len(store))
        weights = 0.0
        for word in dict.fromkeys(token.term for token in standard(self.request.text)):
            if word not in ENGLISH:
                mask = self._documents_with(word)
                having = int(np.count_nonzero(mask & store.alive))
                weight = float(np.log(1 + (size - having + 0.5) / (having + 0.5)))
                total[mask] += weight
                weights += weight
        return total / weights if weights else total

    def _documents_with(self, word: str) -> NDArray[np.bool_]:
        """The documents that hold a word in one of the ranked fields, as each field's analyzer sees it."""
        mask = np.zeros(len(self.index.store.documents), np.bool_)
        for path in self.request.configuration.paths:
            postings = self.index.store.postings.get(path)
            if postings is not None:
                for token in postings.search_analyze(word):
                    mask[postings.postings(token.term)[0]] = True
        return mask

    def _answers(self, ranked: list[int], scores: Mapping[int, float]) -> list[dict[str, Any]]:
        """Passages that speak to the query strongly enough, best first."""
        found: list[dict[str, Any]] = []
        for ordinal in ranked[:ANSWER_HITS]:
            confidence = round(scores[ordinal] / TOP_SCORE, 3)
            if len(found) < self.request.answers and confidence >= self.request.threshold:
                key = self.index.store.document(ordinal)[self.index.definition.key.name]
                shown = caption(self.passage(ordinal), self.request.highlight)
                found.append({"key": key, **shown, "score": widen(confidence)})
        return found


def caption(passage: Passage, highlight: bool) -> dict[str, Any]:
    """A passage as captions and answers show it."""
    return {"text": passage.text, "highlights": passage.highlights if highlight else None}


def debug_info(document: Mapping[str, Any], configuration: SemanticConfiguration) -> dict[str, Any]:
    """The texts of a document that the ranker read, for `debug: semantic`."""
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
