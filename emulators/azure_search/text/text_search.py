"""Runs the tree of a query text over the fields of an index: which documents match, with which score, by which terms.

Scores are the service's BM25, summed over the searched fields; expressions, prefixes and wildcards score 1 as recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from ..analysis.analyzers import Analyzer
from ..analysis.patterns import from_lucene, from_wildcard
from ..errors import ServiceError, invalid_syntax
from ..schema.definition import IndexDefinition
from ..storage.postings import FieldPostings
from ..storage.sharding import SHARDS
from ..storage.store import DocumentStore
from ..storage.vocabulary import Vocabulary
from .bm25 import FieldScorer
from .match_result import Matched, all_of, one_of
from .phrases import phrase_frequencies
from .textquery import Boosted, Clauses, Everything, Fuzzy, Phrase, Prefix, Query, Regex, Wildcard, Within, Words

MAX_FUZZY_TERMS = 50
Vocabularies = dict[str, Vocabulary]


@dataclass(frozen=True, kw_only=True)
class TextSearch:
    """How one query text is searched: the fields, their weights, and whether every word has to match."""

    store: DocumentStore
    vocabularies: Vocabularies
    fields: tuple[str, ...]
    every_word: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)
    shards: int = SHARDS
    postings: Mapping[str, FieldPostings] | None = None
    space: str = "search"

    def run(self, query: Query | None) -> Matched:
        """The matches among the present documents; a query without words matches no document."""
        found = None if query is None else self._evaluate(query, self.fields)
        if found is None:
            return Matched.none_of(len(self.store.documents))
        return found if len(self.store) == len(self.store.documents) else found.among(self.store.alive)

    def _evaluate(self, query: Query, fields: Sequence[str]) -> Matched | None:
        """None where a part says nothing at all (only stop words), so that it does not count."""
        match query:
            case Everything():
                return Matched(self.store.alive, self.store.alive.astype(np.float64), {})
            case Boosted(part, factor):
                inner = self._evaluate(part, fields)
                return None if inner is None else Matched(inner.mask, inner.scores * factor, inner.terms)
            case Within():
                return self._evaluate(query.part, (self._field(query),))
            case Words(text) if not self.every_word:
                return self._any_word([text], fields)
            case Clauses(parts) if all(occur == "should" and isinstance(part, Words) for occur, part in parts):
                return self._any_word([part.text for _, part in parts if isinstance(part, Words)], fields)
            case Clauses(parts):
                return self._clauses([(occur, self._evaluate(part, fields)) for occur, part in parts])
        found = [one for path in fields if (one := self._in_field(query, path)) is not None]
        return one_of(found) if found else None

    def _field(self, query: Within) -> str:
        path = query.field.replace(".", "/")
        if path not in self.store.postings:
            raise invalid_syntax(query.column)
        return path

    def _any_word(self, texts: Sequence[str], fields: Sequence[str]) -> Matched | None:
        """Words of which one has to match, added up in one array. Nearly every query is of this kind."""
        scores = np.zeros(len(self.store.documents))
        terms: dict[str, frozenset[str]] = {}
        analysed: dict[Analyzer, list[str]] = {}
        for path in fields:
            scorer, weight = self._scorer(path), self.weights.get(path, 1.0)
            analyze = scorer.postings.search_analyze
            if analyze not in analysed:
                analysed[analyze] = [token.term for text in texts for token in analyze(text)]
            found = analysed[analyze]
            for term in found:
                documents, often = scorer.postings.postings(term)
                if len(documents):
                    scores[documents] += weight * scorer.term_weights(term, documents, often)
            if found:
                terms[path] = frozenset(found)
        return Matched(scores > 0, scores, terms) if terms else None

    def _clauses(self, parts: Sequence[tuple[str, Matched | None]]) -> Matched | None:
        kept = [(occur, part) for occur, part in parts if part is not None]
        must = [part for occur, part in kept if occur == "must"]
        should = [part for occur, part in kept if occur == "should"]
        if not must and not should:
            return Matched.none_of(len(self.store.documents)) if kept else None
        found = all_of(must, optional=should) if must else one_of(should)
        for occur, part in kept:
            if occur == "must_not":
                found = found.among(~part.mask)
        return found

    def _in_field(self, query: Query, path: str) -> Matched | None:
        found = self._weightless(query, path, self._postings(path))
        weight = self.weights.get(path, 1.0)
        return found if found is None or weight == 1.0 else Matched(found.mask, found.scores * weight, found.terms)

    def _weightless(self, query: Query, path: str, postings: FieldPostings) -> Matched | None:
        match query:
            case Words(text):
                return self._words(text, path, postings)
            case Phrase(text, slop):
                return self._phrase(text, slop, path)
            case Fuzzy(text, edits):
                return self._fuzzy(_normal(text, postings), edits, path)
            case Prefix(text):
                return self._constant(path, lambda terms: terms.prefix(_normal(text, postings)))
            case Wildcard(pattern):
                return self._constant(path, lambda terms: terms.regex(from_wildcard(_normal(pattern, postings))))
            case Regex(pattern, column):
                return self._constant(path, lambda terms: _expression(terms, pattern, column))
        raise TypeError(type(query).__name__)

    def _words(self, text: str, path: str, postings: FieldPostings) -> Matched | None:
        tokens = [self._term(path, token.term) for token in postings.search_analyze(text)]
        if not tokens:
            return None
        return all_of(tokens) if self.every_word else one_of(tokens)

    def _scorer(self, path: str) -> FieldScorer:
        return FieldScorer(self.store, self._postings(path), (self.space, path), self.shards)

    def _postings(self, path: str) -> FieldPostings:
        return (self.store.postings if self.postings is None else self.postings)[path]

    def _term(self, path: str, term: str) -> Matched:
        scorer = self._scorer(path)
        documents, often = scorer.postings.postings(term)
        scores = np.zeros(len(self.store.documents))
        if len(documents):
            scores[documents] = scorer.term_weights(term, documents, often)
        return Matched(scores > 0, scores, {path: frozenset({term})})

    def _phrase(self, text: str, slop: int, path: str) -> Matched | None:
        tokens = self._postings(path).search_analyze(text)
        if not tokens:
            return None
        if len(tokens) == 1:
            return self._term(path, tokens[0].term)
        scorer = self._scorer(path)
        lists = [scorer.postings.postings(token.term)[0] for token in tokens]
        documents, often = phrase_frequencies(scorer.postings, tokens, slop)
        scores = np.zeros(len(self.store.documents))
        for each in lists if len(documents) else []:
            scores[documents] += scorer.weights(scorer.document_frequency(each), documents, often)
        return Matched(scores > 0, scores, {path: frozenset(token.term for token in tokens)})

    def _fuzzy(self, text: str, edits: int, path: str) -> Matched:
        if edits == 0:
            return self._term(path, text)
        near = [(edit_distance(term, text), term) for term in self._vocabulary(path).fuzzy(text, edits)]
        terms = [(distance, term) for distance, term in sorted(near)[:MAX_FUZZY_TERMS]]
        scorer = self._scorer(path)
        found = {term: scorer.postings.postings(term) for _, term in terms}
        having = reduce(
            np.maximum, [scorer.document_frequency(documents) for documents, _ in found.values()], np.zeros(SHARDS)
        )
        scores = np.zeros(len(self.store.documents))
        for distance, term in terms:
            documents, often = found[term]
            closeness = 1 - distance / max(1, min(len(term), len(text)))
            scores[documents] += max(closeness, 0.05) * scorer.weights(having, documents, often)
        return Matched(scores > 0, scores, {path: frozenset(term for _, term in terms)})

    def _vocabulary(self, path: str) -> Vocabulary:
        if path not in self.vocabularies:
            self.vocabularies[path] = Vocabulary(self._postings(path).terms)
        return self.vocabularies[path]

    def _constant(self, path: str, look_up: Callable[[Vocabulary], list[str]]) -> Matched:
        terms = look_up(self._vocabulary(path))
        mask = np.zeros(len(self.store.documents), np.bool_)
        for term in terms:
            mask[self._postings(path).postings(term)[0]] = True
        return Matched(mask, mask.astype(np.float64), {path: frozenset(terms)})


def _expression(terms: Vocabulary, pattern: str, column: int) -> list[str]:
    try:
        return terms.regex(from_lucene(pattern))
    except ValueError:
        raise invalid_syntax(column) from None


def _normal(text: str, postings: FieldPostings) -> str:
    return text.lower() if postings.lowers else text


def edit_distance(left: str, right: str) -> int:
    """Changes from one word to the other; swapping neighbours is one."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def searched_fields(definition: IndexDefinition, wanted: str | None) -> tuple[str, ...]:
    """The fields of `searchFields`, all searchable ones without it; others are the service's 400."""
    if not wanted:
        return tuple(each.path for each in definition.searchable)
    found = tuple(each.strip() for each in wanted.split(",") if each.strip())
    allowed = {each.path for each in definition.searchable}
    for path in found:
        if path not in allowed:
            message = f"The field '{path}' in the search field list is not searchable."
            raise ServiceError(
                400,
                "InvalidRequestParameter",
                f"{message}\r\nParameter name: searchFields",
                (("NonSearchableField" if path in definition.by_path else "UnknownField", message),),
            )
    return found
