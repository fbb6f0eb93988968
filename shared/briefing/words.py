"""Words of questions and labels, folded so that they can be compared: case, accents, endings and everyday synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Scripts without spaces count one character as a word, as the search service's analyser does.
WORD = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]|[^\W_぀-ヿ㐀-䶿一-鿿가-힯]+")
ENDINGS = re.findall("[a-z]+", "ership ations ation ities ings ing ies ied ise ize ment ers er es ed s y e")
SHORTEST_STEM = 3
# Apostrophes go with them, and the s after one: `Oakfield's` is Oakfield.
ACCENTS = re.compile("[\u0300-\u036f]|['\u2019](?:s\\b)?")

STOP_WORDS = frozenset(
    re.findall(
        "[a-z]+",
        "a an the of in on at to for from by with and or as is are was were be been being do does did has have had it its "
        "this that these those there their they them he she his her what which whose whom how much please tell me give show "
        "find us we you your can could would should will shall may might about into than then so such very each every any "
        "some all or not no also say says said according get got whats theres per",
    )
)

# The words of people on the left of each row, and those of labels that mean the same: one row, one meaning.
SYNONYMS = """
pupil student child learner enrolment enrol attend attendance roll headcount size big large
girl female
boy male
percentage percent proportion share rate ratio fraction
sen special educational need send disability
free meal fsm
english eal additional language tongue native
open opening found establish begin start launch
date when day year since
close closing shut
authority council lea borough district county municipality run responsible maintain
town city village settlement where locate location situate place
address street where locate location postcode town city
postcode postal zip code
type kind sort category phase
phase stage level
head headteacher principal headmaster headmistress leader
executive ceo chief boss
inspector inspect who
outcome rating rate grade judgement judge result verdict
urn unique reference identifier id
trust sponsor
number many count total
name call title
summary summarise overview describe description
phone telephone call
website web site homepage
author writer who wrote
price cost fee charge
religion faith denomination religious
age old oldest youngest
"""


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The beginning that forms of a word share: good enough to match `opened` with `open`, nothing more."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return _undoubled(word.removesuffix(ending))
    return word


def _undoubled(word: str) -> str:
    """`shut` of `shutt(ing)`."""
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsz" else word


def plain_words(text: str) -> list[str]:
    """The words of a text, folded, in order."""
    folded = ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return WORD.findall(unicodedata.normalize("NFC", folded))


def stems(text: str) -> list[str]:
    """The stems of a text's words, stop words left out, in order."""
    return [stem(word) for word in plain_words(text) if word not in STOP_WORDS]


def label_stems(label: str) -> list[str]:
    """The stems of a field's label: `number_on_roll`, `numberOnRoll` and `address/city` come apart."""
    return stems(CAMEL.sub(" ", label))


def _table() -> Mapping[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row in SYNONYMS.strip().splitlines():
        meaning = {stem(word) for word in row.split()}
        for word in meaning:
            table.setdefault(word, set()).update(meaning - {word})
    return {word: frozenset(others) for word, others in table.items()}


_SYNONYMS = _table()


def alike(word: str, others: Iterable[str]) -> bool:
    """Whether a stem means the same as one of others, without being it."""
    return not _SYNONYMS.get(word, frozenset()).isdisjoint(others)
