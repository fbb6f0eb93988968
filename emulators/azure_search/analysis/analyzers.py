"""Text analysis: a text becomes tokens with their place, by the analyzer that a field names.

The default cuts at word boundaries as Lucene's standard tokenizer does: apostrophes and dots between letters hold a word
together, Chinese, Japanese kanji and kana are single characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .stemming import LANGUAGES, stemmer
from .stopwords import ENGLISH, FRENCH

MAX_TOKEN = 255
IDEOGRAPHS = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_LETTER = rf"[^\W_{IDEOGRAPHS}{KATAKANA}]|[\u0300-\u036f]"
WORD = re.compile(
    rf"[{IDEOGRAPHS}]|[{KATAKANA}]+|(?:{_LETTER}|_)+(?:(?<=[^\W\d_])['’.:·](?=[^\W\d_{IDEOGRAPHS}])"
    rf"(?:{_LETTER}|_)+|(?<=\d)[.,;'’](?=\d)(?:{_LETTER}|_)+)*"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A term, where its word stands in the text, and its place in the sequence (stop words leave gaps)."""

    term: str
    start: int
    end: int
    position: int


Analyzer = Callable[[str], list[Token]]


def words(text: str) -> list[tuple[str, int, int]]:
    """The words of a text with their offsets; underscores alone are no word, overlong words are cut."""
    return [
        (text[start : min(start + MAX_TOKEN, found.end())], start, min(start + MAX_TOKEN, found.end()))
        for found in WORD.finditer(text)
        if found.group().strip("_")
        for start in range(found.start(), found.end(), MAX_TOKEN)
    ]


def standard(text: str) -> list[Token]:
    """Lucene's standard analyzer as the service sets it up: lower case, no stop words."""
    return [Token(word.lower(), start, end, place) for place, (word, start, end) in enumerate(words(text))]


def keyword(text: str) -> list[Token]:
    """The whole text as one term."""
    return [Token(text, 0, len(text), 0)] if text else []


def whitespace(text: str) -> list[Token]:
    """The text between blanks, unchanged."""
    return [Token(found.group(), *found.span(), place) for place, found in enumerate(re.finditer(r"\S+", text))]


def simple(text: str) -> list[Token]:
    """Runs of letters in lower case."""
    return [
        Token(found.group().lower(), *found.span(), place) for place, found in enumerate(re.finditer(r"[^\W\d_]+", text))
    ]


def stop(text: str) -> list[Token]:
    """Runs of letters in lower case without English stop words."""
    return [token for token in simple(text) if token.term not in ENGLISH]


def analyze_folded(text: str) -> list[Token]:
    """The standard words with accents removed."""
    return [Token(fold(token.term), token.start, token.end, token.position) for token in standard(text)]


def fold(word: str) -> str:
    """A word without its accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))


def english(text: str) -> list[Token]:
    """`en.lucene`: possessives off, stop words out, stems."""
    found = []
    stem = stemmer("english")
    for token in standard(text):
        word = re.sub("['’]s$", "", token.term)
        if word not in ENGLISH:
            found.append(Token(stem(word), token.start, token.end, token.position))
    return found


ELISION = re.compile(r"(?:l|m|t|qu|n|s|j|d|c|jusqu|quoiqu|lorsqu|puisqu)['’](?=.)")


def french(text: str) -> list[Token]:
    """`fr.lucene`: elided articles off, stop words out, a light stem without accents."""
    found = []
    for token in standard(text):
        word = ELISION.sub("", token.term, count=1) if ELISION.match(token.term) else token.term
        if word not in FRENCH:
            found.append(Token(french_stem(word), token.start, token.end, token.position))
    return found


@lru_cache(maxsize=65536)
def french_stem(word: str) -> str:
    """A light French stem: no accents, no plural, no doubled end."""
    word = fold(word)
    if len(word) > 4 and word[-1] in "sx":
        word = word[:-1]
    return word


def _stemming_analyzer(language: str) -> Analyzer:
    def analyze(text: str) -> list[Token]:
        stem = stemmer(language)
        return [Token(stem(token.term), token.start, token.end, token.position) for token in standard(text)]

    return analyze


def _table() -> dict[str, Analyzer]:
    table: dict[str, Analyzer] = {
        "standard.lucene": standard,
        "standard": standard,
        "standardasciifolding.lucene": analyze_folded,
        "keyword": keyword,
        "simple": simple,
        "stop": stop,
        "whitespace": whitespace,
        "en.lucene": english,
        "en.microsoft": english,
        "fr.lucene": french,
        "fr.microsoft": french,
    }
    for code, language in LANGUAGES.items():
        for maker in ("lucene", "microsoft"):
            table.setdefault(f"{code}.{maker}", _stemming_analyzer(language))
    for code in ("zh-Hans", "zh-Hant", "ja", "ko"):
        for maker in ("lucene", "microsoft"):
            table[f"{code}.{maker}"] = standard
    return table


ANALYZERS: Mapping[str, Analyzer] = _table()


def analyzer(name: str | None) -> Analyzer:
    """The analyzer of that name, the standard one for None."""
    return ANALYZERS[name or "standard.lucene"]
