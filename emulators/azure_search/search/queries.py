"""Queries and filters on one index: the part of a call that search, suggest and autocomplete share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..filter import odata
from ..filter.evaluator import Filter, parse_filter
from ..index import SearchIndex
from ..storage.sharding import SHARDS
from ..storage.store import Mask
from ..text.full_syntax import parse_full
from ..text.simple_syntax import parse_simple
from ..text.textquery import Everything, Query

Added = NDArray[np.float64] | None


def parse_query(text: str | None, query_type: str, *, every_word: bool) -> Query | None:
    """The tree of a query text in the syntax asked for; a blank text is every document."""
    if text is None or not text.strip():
        return Everything()
    return parse_full(text, every_word=every_word) if query_type == "full" else parse_simple(text, every_word=every_word)


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The scope of a call: the index, the documents that its caller may see, and how many shards are counted."""

    index: SearchIndex
    visible: Mask | None = None
    shards: int = field(default=SHARDS)

    def apply_filter(self, text: str | None) -> tuple[Mask, Added]:
        """The documents that a filter lets through for this caller, and the scores that its scoring parts add."""
        everything = self.index.store.alive if self.visible is None else self.index.store.alive & self.visible
        if text is None or not text.strip():
            return everything, None
        evaluation = Filter(self.index.store, self._is_match)
        return evaluation.mask(parse_filter(text)) & everything, evaluation.scores

    def _is_match(self, call: odata.SearchIsMatch) -> tuple[Mask, NDArray[np.float64]]:
        every_word = call.search_mode == "all"
        query = parse_query(call.search, call.query_type or "simple", every_word=every_word)
        found = self.index.text_search(call.fields, every_word=every_word, shards=self.shards).run(query)
        return found.mask, np.where(found.mask, found.scores, 0.0)
