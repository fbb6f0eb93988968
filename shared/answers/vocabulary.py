"""Words of questions, labels and sentences, folded to be compared: case, accents, endings, everyday synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Scripts without spaces count one character as a word, as the search service's analyser does.
WORD = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]|[^\W_぀-ヿ㐀-䶿一-鿿가-힯]+")
# Apostrophes go with them, and the s after one: `Oakfield's` is Oakfield.
ACCENTS = re.compile("[\u0300-\u036f]|['\u2019](?:s\\b)?")
ENDINGS = re.findall("[a-z]+", "ership ations ation ities ings ing ies ied ise ize ment ers er es ed s y e")
SHORTEST_STEM = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall("[a-z]+", text))


STOP_WORDS = _words(
    """
    a an the of in on at to for from by with and or as is are was were be been being do does did has have had it its
    this that these those there their they them he she his her what which whose whom how please tell me give show i my
    find us we you your can could would should will shall may might about into than then so such very any some all or
    not no also say says under over within near between during before after above below must also said according get
    got gets whats theres per each every both either other another if when's know want need let
    """
)
WEAK = _words(
    """
    currently current latest last recent recently today now new exact exactly main overall detail details information
    info fact facts data regarding concerning following question answer document record report text evidence source
    value field list describe explain mention mentioned state stated note noted provide provided offer offered own
    hold held include included speak speaks spoken eligible designated fall falls happen happened happens work works
    worked taught occur occurred compare comparison contain make made take taken use used go going belong belonging
    look like see here just only please kindly there name who where when why much many number count amount january
    february march april may june july august september october november december
    """
) - {"name"}
"""Words that ask or frame a question and identify no field by themselves."""
LIGHT_VERBS = _words(
    """
    lie sit stand receive study exist serve cover register obtain claim qualify educate host house remain become come appear
    relate refer correspond concern assign allocate classify categorise base place put set keep operate fit learn reside live
    stay enjoy benefit search check confirm return fetch retrieve present display output tell find reply supply identify
    first high low long ever still specify read hear ask wonder mean constitute comprise consist total amount reach add up
    """
)
"""Verbs that link what is asked for with what it is asked of; beside a word that a label has they need no explanation."""
PEOPLE = _words("pupil student child children kid learner people person")
"""Who a figure is about: beside another word they ask for nothing of their own."""
GENERIC = _words("name number count total percentage percent date id identifier code text value type kind")
"""Words of a label that do not tell what it is of."""
MEASURES = _words("percentage percent number count total average mean median max maximum min minimum rate is has")
"""Words that begin a label and stand before what they measure."""
PREPOSITIONS = _words("of on in per for to with at by from")
SUMMARY = re.compile(
    r"\b(?:summari[sz]e|summary|overview|outline|describe|key (?:facts|points)|main (?:facts|points)"
    r"|tell (?:me|us) (?:more )?about"
    r"|what (?:is|do (?:we|you)) (?:said|know|known)? ?about)\b",
    re.IGNORECASE,
)

SUMMARY_WORDS = _words("summary summarise summarize overview outline describe key main points fact facts point")
"""Words that ask for a summary, unless a label has them."""
_SUFFIXES = frozenset(
    [
        "",
        *[
            "s",
            "e",
            "ed",
            "es",
            "er",
            "ers",
            "or",
            "ors",
            "ing",
            "ion",
            "ions",
            "ation",
            "ations",
            "ment",
            "ments",
            "al",
            "ance",
            "ence",
        ],
    ]
)
LONG_BEGINNING = 6

MEANINGS = """
pupil kid student child children learner enrolment enrolled enrol attend attends attended attendance roll size big large
girl girls female
boy boys male
percentage percent proportion share rate ratio fraction
sen special educational need needs send disability disabilities
free meal meals fsm
english eal additional language tongue native
open opens opened opening found founded establish established begin began start started launch launched
date day year when since
close closed closes closing shut
authority council lea la education borough district county municipality run runs responsible maintain maintains maintained
town city village settlement where located locate location situated place
address street where located location
postcode postal postcodes zip
type kind sort category
phase stage level
head heads headteacher headteachers principal headmaster headmistress
executive ceo chief
inspector inspected inspectors
outcome outcomes rating ratings rated graded grade judgement judged result verdict
urn unique reference identifier id
trust sponsor sponsored
name called call title titled
summary summarise overview describe description
phone telephone mobile
email mail
website web site homepage
author writer wrote written
price prices cost costs fee fees charge
religion faith denomination religious
age aged old
many number count total
school establishment institution
"""
"""One meaning in each row: words of people and of labels."""


def _table() -> Mapping[str, frozenset[int]]:
    table: dict[str, set[int]] = {}
    for number, row in enumerate(MEANINGS.strip().splitlines()):
        for word in row.split():
            table.setdefault(word, set()).add(number)
    return {word: frozenset(rows) for word, rows in table.items()}


_TABLE = _table()


_PHRASES = (
    (re.compile(r"\b(?:postal|post|zip) codes?\b", re.IGNORECASE), "postcode"),
    (re.compile(r"\bhead teachers?\b", re.IGNORECASE), "headteacher"),
    (re.compile(r"\b(?:tele)?phone numbers?\b", re.IGNORECASE), "phone"),
    (re.compile(r"\bweb (?:site|page)s?\b", re.IGNORECASE), "website"),
    (re.compile(r"\be-?mail address(?:es)?\b", re.IGNORECASE), "email"),
)


def join_phrases(text: str) -> str:
    """The text with phrases of two words that mean one thing as one word: `postal code` is a postcode."""
    for pattern, word in _PHRASES:
        text = pattern.sub(word, text)
    return text


def plain_words(text: str) -> list[str]:
    """The words of a text, folded, in order."""
    folded = ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return WORD.findall(unicodedata.normalize("NFC", folded))


@lru_cache(maxsize=16_384)
def forms(word: str) -> frozenset[str]:
    """A folded word with its singular and the base of its verb: forms that may stand in a label for it.

    A word of the table of meanings has no other form: `rated` means an outcome there, and not the verb of `rate`.
    """
    singular = _singular(word)
    if word in _TABLE or singular in _TABLE:
        return frozenset((word, singular))
    found = {word, singular}
    if word.endswith("ed") and len(word) > 5:
        found |= {word[:-2], word[:-1]}
    if word.endswith("ing") and len(word) > 6:
        found |= {word[:-3], f"{word[:-3]}e"}
    return frozenset(found)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if re.search("(?:s|x|z|ch|sh)es$", word) and len(word) > 4:
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


@lru_cache(maxsize=16_384)
def meanings(word: str) -> frozenset[int]:
    """The rows of the table of meanings that the word or a form of it stands in."""
    return frozenset[int]().union(*(_TABLE.get(form, frozenset()) for form in forms(word)))


def are_related(one: str, other: str) -> bool:
    """Whether two words are derived from one: a long beginning, other endings (`renovated`, `renovation`)."""
    shared = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared >= LONG_BEGINNING and one[shared:] in _SUFFIXES and other[shared:] in _SUFFIXES


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The beginning that forms of a word share in running text: `opened` with `open`, `safeguards` with `safeguarding`."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return _undoubled(word.removesuffix(ending))
    return word


def _undoubled(word: str) -> str:
    """`shut` of `shutt(ing)`."""
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsz" else word


@lru_cache(maxsize=4_096)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a field's label: `number_on_roll`, `numberOnRoll`, `rooms[2]/rate` and `Room rate` come apart."""
    return tuple(plain_words(CAMEL.sub(" ", re.sub(r"\[\d+\]", " ", label))))
