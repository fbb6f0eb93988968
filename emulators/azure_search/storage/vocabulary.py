"""The terms of a field in a tantivy index of their own: prefix, wildcard, expression and fuzzy look-ups by automaton.

Terms are only ever added; one that no document holds any more has no live postings and changes nothing.
"""

from __future__ import annotations

from typing import Any

import tantivy

from ..analysis.patterns import regex_text

WRITER_BYTES = 15_000_000
MAX_TERMS = 100_000


class Vocabulary:
    """The terms of one field. New ones are added when a look-up needs them."""

    def __init__(self, terms: dict[str, Any]) -> None:
        self._terms = terms
        self._known = 0
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("term", tokenizer_name="raw", index_option="basic", stored=True)
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema)

    def prefix(self, text: str) -> list[str]:
        """Terms that begin with `text`."""
        return self._find_terms(tantivy.Query.regex_query(self._schema, "term", regex_text(text) + ".*"), MAX_TERMS)

    def regex(self, pattern: str) -> list[str]:
        """Terms that the (Rust) expression matches whole. Raises ValueError for an expression that cannot be built."""
        return self._find_terms(tantivy.Query.regex_query(self._schema, "term", pattern), MAX_TERMS)

    def fuzzy(self, text: str, edits: int) -> list[str]:
        """Terms within `edits` changes of `text`; swapped neighbours are one change."""
        query = tantivy.Query.fuzzy_term_query(self._schema, "term", text, distance=edits, transposition_cost_one=True)
        return self._find_terms(query, MAX_TERMS)

    def _find_terms(self, query: tantivy.Query, limit: int) -> list[str]:
        self._refresh()
        searcher = self._index.searcher()
        hits = searcher.search(query, limit=max(1, min(limit, len(self._terms))), count=False).hits
        return sorted(str(searcher.doc(address)["term"][0]) for _, address in hits)

    def _refresh(self) -> None:
        if self._known == len(self._terms):
            return
        writer = self._index.writer(WRITER_BYTES, 1)
        for term in list(self._terms)[self._known :]:
            document = tantivy.Document()
            document.add_text("term", term)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._known = len(self._terms)
