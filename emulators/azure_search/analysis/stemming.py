"""Stems of words by language, from tantivy's Snowball stemmers; each word is stemmed once and remembered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import tantivy

LANGUAGES = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt-PT": "portuguese",
    "pt-BR": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """A function from a lower-case word to its stem."""
    built = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer(language)).build()

    @lru_cache(maxsize=262_144)
    def stem(word: str) -> str:
        found = built.analyze(word)
        return str(found[0]) if found else word

    return stem
