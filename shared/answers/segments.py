"""Units of evidence: the lines and sentences from which the extractive writer picks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from shared.briefing.words import label_stems, plain_words, stems
from shared.retrieval import Evidence

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
