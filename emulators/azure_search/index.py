"""One index at work: its definition, its documents, and the vocabularies and models that searching them needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from .schema.definition import IndexDefinition
from .storage.sharding import SHARDS
from .storage.store import DocumentStore
from .text.text_search import TextSearch, Vocabularies, searched_fields


@dataclass
class SearchIndex:
    """A definition with its documents."""

    definition: IndexDefinition
    store: DocumentStore = field(init=False)
    vocabularies: Vocabularies = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.store = DocumentStore(self.definition)

    def text_search(
        self,
        fields: str | None = None,
        *,
        every_word: bool = False,
        weights: dict[str, float] | None = None,
        shards: int = SHARDS,
    ) -> TextSearch:
        """A search over the named fields (comma separated), all searchable ones for None."""
        return TextSearch(
            store=self.store,
            vocabularies=self.vocabularies,
            fields=searched_fields(self.definition, fields),
            every_word=every_word,
            weights=weights or {},
            shards=shards,
        )
