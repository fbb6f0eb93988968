"""Segments of evidence: the lines and sentences from which the extractive writer selects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from shared.retrieval import Evidence
from shared.retrieval.evidence.escaping import unescape_markup

from .vocabulary import forms, label_words, plain_words, stem

# Values cannot forge this line, since evidence escapes what looks like one, so each match is a heading.
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
"""A value longer than this is prose: its sentences are segments of their own."""
WORDS_OF_A_SENTENCE = 5
SENTENCE_SIGNS = frozenset(".!?。！？")
MAX_SEGMENTS = 20_000
"""Enough for the largest evidence; what follows is less relevant still."""

Kind = Literal["number", "date", "flag", "text", "sentence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A line or sentence: its text as shown, and its words. `block` tells which piece of evidence it is from."""

    block: int
    number: int | None
    text: str
    kind: Kind
    part: int = 0
    """The section, for segments of checked sections."""
    label: str = ""
    words: tuple[str, ...] = ()
    """The words of the value, folded, in order."""
    held: frozenset[str] = field(default=frozenset())
    """The words of the value with their forms and stems."""

    @property
    def phrase(self) -> tuple[str, ...]:
        """The words of a short value, to recognise a name in a question."""
        return () if self.kind == "sentence" else self.words


def segments_of(evidence: Evidence) -> list[Segment]:
    """The segments of numbered evidence, in order."""
    found: list[Segment] = []
    for position, (number, block) in enumerate(_numbered_blocks(evidence)):
        for line in _whole_lines(block):
            found += _segments_of_line(line, position, number)
            if len(found) >= MAX_SEGMENTS:
                return found[:MAX_SEGMENTS]
    return found


def _numbered_blocks(evidence: Evidence) -> list[tuple[int, str]]:
    """Each block with its number; evidence made by hand may have its text alone."""
    if len(evidence.blocks) == len(evidence.sources):
        return [(source.number, block) for source, block in zip(evidence.sources, evidence.blocks, strict=True)]
    parts = HEADING.split(evidence.text)
    return [(int(number), block.strip("\n")) for number, block in zip(parts[1::2], parts[2::2], strict=True)]


def segments_of_sections(material: str) -> list[Segment]:
    """The segments of checked sections, parted by blank lines: each line with the markers that it has.

    Lines that cite the same evidence are a block.
    """
    found: list[Segment] = []
    blocks: dict[tuple[int, str], int] = {}
    for part, section in enumerate(re.split(r"\n\s*\n", material)):
        for line in section.splitlines():
            text = BULLET.sub("", line).strip()
            if text and not text.startswith("#"):
                block = blocks.setdefault((part, " ".join(MARKER.findall(text))), len(blocks))
                labelled = LABELLED.fullmatch(text)
                value = MARKER.sub("", labelled[2] if labelled else text)
                label = labelled[1] if labelled else ""
                kind = _kind(value.strip()) if labelled else "sentence"
                found.append(_segment(text, value, kind, label=label, block=block, number=None, part=part))
    return found[:MAX_SEGMENTS]


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


def _segments_of_line(line: str, position: int, number: int) -> Iterator[Segment]:
    if not line:
        return
    labelled = LABELLED.fullmatch(line)
    label = labelled[1] if labelled and label_words(labelled[1]) else ""
    value = labelled[2] if labelled and label else line
    if _is_prose(value):
        for sentence in filter(str.strip, SENTENCE_END.split(value)):
            yield _segment(sentence.strip(), sentence, "sentence", label=label, block=position, number=number)
        return
    kind = _kind(value.strip()) if label else "sentence"
    yield _segment(line, value, kind, label=label, block=position, number=number)


def _is_prose(value: str) -> bool:
    """Whether a value is running text: long, or a whole sentence."""
    if len(value) > PROSE_CHARACTERS:
        return True
    return value.rstrip()[-1:] in SENTENCE_SIGNS and len(plain_words(value)) >= WORDS_OF_A_SENTENCE


def _segment(text: str, value: str, kind: Kind, *, label: str, block: int, number: int | None, part: int = 0) -> Segment:
    words = tuple(plain_words(value))
    held = frozenset(words).union(map(stem, words), *map(forms, words))
    shown = unescape_markup(text) if number is not None else text
    return Segment(block=block, number=number, text=shown, kind=kind, part=part, label=label, words=words, held=held)


def _kind(value: str) -> Kind:
    if NUMBER.fullmatch(value):
        return "number"
    if DATE.fullmatch(value):
        return "date"
    return "flag" if value in ("true", "false") else "text"


def blocks_of(segments: Sequence[Segment]) -> list[list[Segment]]:
    """The segments by block, in order."""
    blocks: dict[int, list[Segment]] = {}
    for segment in segments:
        blocks.setdefault(segment.block, []).append(segment)
    return list(blocks.values())
