"""Units of evidence: the lines and sentences from which the extractive writer picks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from shared.retrieval import Evidence

# Words of questions and labels, folded so that they can be compared: case, accents, endings and everyday synonyms.

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


# Values cannot forge this line (spec 4.2), so each match is a heading.
HEADING = re.compile(r"^--- .* Evidence (\d{1,9}) ---$", re.MULTILINE)
LABELLED = re.compile(r"([^\s:][^:\n]{0,120}): (.*)", re.DOTALL)
# Not after an initial or a short title: `C.E. Primary`, `St. John`.
SENTENCE_END = re.compile(
    r"(?<=[.!?。！？])(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z][a-z]\.)[\"'”’)]*(?:\s+|(?<=[。！？]))"
)
MARKER = re.compile(r"\[Evidence \d+\]")
BULLET = re.compile(r"^\s*(?:[-*]\s+)?")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:E[+-]?\d+)?", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T.*)?")
PROSE_CHARACTERS = 100
"""A value longer than this is prose: its sentences are units of their own."""
MAX_UNITS = 5_000
"""Enough for the largest evidence; what follows is less relevant still."""

Kind = Literal["number", "date", "flag", "text", "sentence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A line or sentence: its text as shown, and its words. `block` tells which piece of evidence it is from."""

    block: int
    number: int | None
    text: str
    kind: Kind
    part: int = 0
    """The section, for units of checked sections."""
    label: tuple[str, ...] = ()
    value: frozenset[str] = field(default=frozenset())
    phrase: tuple[str, ...] = ()
    """The words of a short value in order, to recognise a name in a question."""

    def cited(self, required: bool) -> str:
        """The text with its marker; what was cited before keeps what it has."""
        return f"{self.text} [Evidence {self.number}]" if required and self.number is not None else self.text


def units_of(evidence: Evidence) -> list[Unit]:
    """The units of numbered evidence, in order."""
    found: list[Unit] = []
    for position, (number, block) in enumerate(_numbered_blocks(evidence)):
        for line in _whole_lines(block):
            found += _units_of_line(line, position, number)
            if len(found) >= MAX_UNITS:
                return found[:MAX_UNITS]
    return found


def _numbered_blocks(evidence: Evidence) -> list[tuple[int, str]]:
    """Each block with its number; evidence made by hand may have its text alone."""
    if len(evidence.blocks) == len(evidence.sources):
        return [(source.number, block) for source, block in zip(evidence.sources, evidence.blocks, strict=True)]
    parts = HEADING.split(evidence.text)
    return [(int(number), block.strip("\n")) for number, block in zip(parts[1::2], parts[2::2], strict=True)]


def units_of_sections(material: str) -> list[Unit]:
    """The units of checked sections, parted by blank lines: each line with the markers that it has.

    Lines that cite the same evidence are a block.
    """
    found: list[Unit] = []
    blocks: dict[tuple[int, str], int] = {}
    for part, section in enumerate(re.split(r"\n\s*\n", material)):
        for line in section.splitlines():
            text = BULLET.sub("", line).strip()
            if text and not text.startswith("#"):
                block = blocks.setdefault((part, " ".join(MARKER.findall(text))), len(blocks))
                found.append(_section_unit(text, part, block))
    return found[:MAX_UNITS]


def _section_unit(text: str, part: int, block: int) -> Unit:
    labelled = LABELLED.fullmatch(text)
    label = tuple(label_stems(labelled[1])) if labelled else ()
    value = frozenset(stems(labelled[2] if labelled else text))
    return Unit(block=block, part=part, number=None, text=text, kind="text", label=label, value=value)


def _whole_lines(block: str) -> Iterator[str]:
    """The lines of a block, the further lines of a value (indented by two spaces) joined to their first."""
    current: list[str] = []
    for line in block.split("\n"):
        if line.startswith("  ") and current:
            current.append(line.strip())
            continue
        if current:
            yield " ".join(current).strip()
        current = [line]
    if current:
        yield " ".join(current).strip()


def _units_of_line(line: str, position: int, number: int) -> Iterator[Unit]:
    if not line:
        return
    labelled = LABELLED.fullmatch(line)
    label = tuple(label_stems(labelled[1])) if labelled else ()
    value = labelled[2] if labelled else line
    if len(value) > PROSE_CHARACTERS:
        for sentence in filter(str.strip, SENTENCE_END.split(value)):
            words = frozenset(stems(sentence))
            yield Unit(block=position, number=number, text=sentence.strip(), kind="sentence", label=label, value=words)
        return
    yield Unit(
        block=position,
        number=number,
        text=line,
        kind=_kind(value.strip()),
        label=label,
        value=frozenset(stems(value)),
        phrase=tuple(plain_words(value)),
    )


def _kind(value: str) -> Kind:
    if NUMBER.fullmatch(value):
        return "number"
    if DATE.fullmatch(value):
        return "date"
    return "flag" if value in ("true", "false") else "text"


def blocks_of(units: Sequence[Unit]) -> list[list[Unit]]:
    """The units by block, in order."""
    blocks: dict[int, list[Unit]] = {}
    for unit in units:
        blocks.setdefault(unit.block, []).append(unit)
    return list(blocks.values())
