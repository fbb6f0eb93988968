"""A configured index as the search of a TextSearchProvider."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..access import Caller
from ..filters.filter import ODataFilter
from .models import TextSearchResult

if TYPE_CHECKING:
    from ..client import Retrieval

DEFAULT_SIZE = 10


def index_search(
    retrieval: Retrieval,
    index: str,
    *,
    filter: ODataFilter | None = None,  # noqa: A002 - the word of the contract
    caller: Caller | None = None,
    size: int = DEFAULT_SIZE,
) -> Callable[[str], Awaitable[list[TextSearchResult]]]:
    """A search of `index` whose results are its evidence: what is relevant, each document once, within the size limit.

    The numbered source of a result is its `raw_representation`.
    """

    async def search(query: str) -> list[TextSearchResult]:
        if not query.strip():
            return []
        evidence = await retrieval.evidence(index, query, size=size, filter=filter, caller=caller)
        return [
            TextSearchResult(text=block, source_name=source.name, source_link=source.link, raw_representation=source)
            for source, block in zip(evidence.sources, evidence.blocks, strict=True)
        ]

    return search
