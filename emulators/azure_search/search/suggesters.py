"""The texts behind a suggester: its fields, cut by the standard analyzer, even where they are searched with another one.

The service indexes every beginning of a word there. A field's length counts words, but the average length counts all those
beginnings; only so do the recorded suggestions come in their order.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis.analyzers import standard
from ..errors import ServiceError
from ..index import SearchIndex
from ..schema.fieldvalues import values_at
from ..storage.postings import FieldPostings
from ..storage.sharding import SHARDS
from ..text.text_search import TextSearch, Vocabularies
from ..text.textquery import Clauses, Fuzzy, Prefix, Query, Words


@dataclass(frozen=True, slots=True)
class Suggester:
    """The postings of its fields, made when first needed after a change."""

    index: SearchIndex
    fields: tuple[str, ...]

    def postings(self, path: str) -> FieldPostings:
        """The terms of one field."""
        found: FieldPostings = self.index.store.remember(("suggester", path), lambda: self._build_postings(path))
        return found

    def _build_postings(self, path: str) -> FieldPostings:
        postings = FieldPostings(standard, standard)
        shards = self.index.store.shards(SHARDS)
        for ordinal, document in enumerate(self.index.store.documents):
            if document is not None:
                texts = [text for text in values_at(document, path) if isinstance(text, str)]
                postings.add(ordinal, int(shards[ordinal]), texts)
                postings.total_lengths[shards[ordinal]] += sum(len(term) - 1 for term in postings.tokens(ordinal)[0])
        return postings

    def search(self, path: str, shards: int) -> TextSearch:
        """A search over one field of the suggester."""
        vocabularies: Vocabularies = self.index.store.remember("suggester vocabularies", dict)
        return TextSearch(
            store=self.index.store,
            vocabularies=vocabularies,
            fields=(path,),
            shards=shards,
            postings={path: self.postings(path)},
            space="suggester",
        )


def read_suggester(index: SearchIndex, name: object, wanted: str | None) -> Suggester:
    """The suggester of that name, or those of its fields that `searchFields` names; a missing one is the service's 400."""
    if not isinstance(name, str) or not name.strip():
        message = "Cannot find fields enabled for suggestions. Please provide a value for 'suggesterName' in the query."
        raise _missing_parameter(message, "suggestions")
    fields = index.definition.suggesters.get(name)
    if fields is None:
        raise _missing_parameter(f"The specified suggester name '{name}' does not exist in this index definition.", "name")
    asked = tuple(each.strip() for each in (wanted or "").split(",") if each.strip())
    unknown = next((path for path in asked if path not in fields), None)
    if unknown is not None:
        message = f"The field '{unknown}' is not enabled for suggestions in the suggester '{name}'."
        text = f"{message}\r\nParameter name: searchFields"
        raise ServiceError(400, "InvalidRequestParameter", text, (("FieldNotInSuggester", message),))
    return Suggester(index, asked or fields)


def _missing_parameter(message: str, parameter: str) -> ServiceError:
    details = (("MissingSuggesterName", message),)
    return ServiceError(400, "MissingRequiredParameter", f"{message}\r\nParameter name: {parameter}", details)


def typed_query(text: str, *, fuzzy: bool) -> Query | None:
    """The typed text as a query: whole words, and the beginning of the last one; fuzzy allows one change in each."""
    words = [token.term for token in standard(text)]
    if not words:
        return None
    parts: list[Query] = [_whole(word, fuzzy) for word in words[:-1]]
    parts.append(_begun(words[-1], fuzzy))
    return Clauses(tuple(("must", part) for part in parts))


def _whole(word: str, fuzzy: bool) -> Query:
    return Fuzzy(word, 1) if fuzzy else Words(word)


def _begun(word: str, fuzzy: bool) -> Query:
    return Clauses((("should", Fuzzy(word, 1)), ("should", Prefix(word)))) if fuzzy else Prefix(word)
