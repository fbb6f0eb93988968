"""Completions of the word that somebody is typing, from the terms of a suggester's fields, in alphabetical order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..analysis.analyzers import standard
from ..index import SearchIndex
from ..text.text_search import edit_distance
from .completion_request import CompletionRequest
from .queries import Scope
from .suggesters import Suggester, read_suggester


def autocomplete(index: SearchIndex, request: CompletionRequest, scope: Scope) -> dict[str, Any]:
    """The body of an autocomplete answer."""
    suggester = read_suggester(index, request.suggester, request.fields)
    allowed, _ = scope.apply_filter(request.filter)
    tokens = standard(request.search)
    ordinals = {int(each) for each in allowed.nonzero()[0]}
    texts = sorted(set(_completions(suggester, request, ordinals)))[: request.top] if tokens else []
    typed = request.search[: tokens[-1].start] if tokens else ""
    if request.mode == "oneTermWithContext" and len(tokens) > 1:
        typed = request.search[: tokens[-2].start]
    body: dict[str, Any] = {"@search.coverage": 100.0} if request.coverage else {}
    body["value"] = [{"text": text, "queryPlusText": typed + text} for text in texts]
    return body


def _completions(suggester: Suggester, request: CompletionRequest, ordinals: set[int]) -> Iterator[str]:
    words = [token.term for token in standard(request.search)]
    for path in suggester.fields:
        postings = suggester.postings(path)
        terms = {term for term in postings.terms if _continues(term, words[-1], request.fuzzy)}
        documents = {int(each) for term in terms for each in postings.postings(term)[0]} & ordinals
        for ordinal in documents:
            yield from _in_document(postings.tokens(ordinal)[0], terms, words, request)


def _continues(term: str, begun: str, fuzzy: bool) -> bool:
    if term.startswith(begun):
        return True
    return fuzzy and len(begun) > 1 and min(edit_distance(term[:size], begun) for size in _sizes(begun)) <= 1


def _sizes(begun: str) -> range:
    return range(len(begun) - 1, len(begun) + 2)


def _in_document(tokens: tuple[str, ...], terms: set[str], words: list[str], request: CompletionRequest) -> Iterator[str]:
    """The completions that the words of one field give, by mode."""
    before = words[-2] if len(words) > 1 else None
    for at, term in enumerate(tokens):
        if term not in terms:
            continue
        if request.mode == "oneTerm":
            yield term
        elif request.mode == "twoTerms":
            if at + 1 < len(tokens):
                yield f"{term} {tokens[at + 1]}"
        elif before is None:
            yield term
        elif at and _same(tokens[at - 1], before, request.fuzzy):
            yield f"{tokens[at - 1]} {term}"


def _same(term: str, word: str, fuzzy: bool) -> bool:
    return term == word or (fuzzy and edit_distance(term, word) <= 1)
