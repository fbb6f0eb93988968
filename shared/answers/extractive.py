"""The extractive writer: picks what the evidence says about the prompt, word for word, and cites it. No network."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from shared.retrieval.concurrency import LONG_ANSWER_CHARACTERS, run_in_thread_if

from .segments import Kind, Unit, alike, blocks_of, plain_words, stem, stems, units_of, units_of_sections
from .writer import Draft, Task, Writer

# Picks the units that answer a question: first the blocks that it is about, then the lines or sentences in them.

MAX_PICKED = 15
MAX_SENTENCES = 5
NEAR = 0.6
"""A block's best unit is picked when it scores at least this share of the best of all blocks."""
BLOCKS_NEAR = 0.75
LABEL, SYNONYM, VALUE = 1.0, 0.8, 0.5
COVERAGE = 0.5
"""For a label all of whose words are asked for: `number_on_roll` before `girls_on_roll`, when girls are not."""
FITTING_KIND = 0.6
FURTHER = 0.7
"""What a further unit of a block must score by the terms that are still open."""
LONGEST_NAME = 12
FAINT = 0.3
"""The weight of a term that tells little: of counting (`how many`), of the name asked about, of the index (`schools`)."""
COUNTING = frozenset(map(stem, ("many", "number", "count", "total", "amount")))

# What a question asks for, by its turn of phrase.
KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"\b(?:how (?:many|much|large|big)|number of|what (?:percentage|percent|proportion|share))\b"), "number"),
    (re.compile(r"\b(?:when|what date|which date|what year|which year|since when)\b"), "date"),
    (re.compile(r"^(?:is|are|was|were|does|do|did|has|have|can)\b"), "flag"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt: the stems that matter, all its words in order, and the kind of value that it asks for."""

    terms: tuple[str, ...]
    words: tuple[str, ...]
    kind: Kind | None

    @classmethod
    def of(cls, prompt: str) -> Question:
        """The question in a prompt."""
        text = prompt.strip().casefold()
        kind = next((kind for pattern, kind in KINDS if pattern.search(text)), None)
        return cls(tuple(dict.fromkeys(stems(prompt))), tuple(plain_words(prompt)), kind)


def pick(prompt: str, units: Sequence[Unit], things: str = "") -> list[Unit]:
    """The units that answer the prompt, in the order of the evidence; some beginning of it when no word fits.

    `things` names what every unit is about (the indexes), so that those words tell nothing apart.
    """
    question = Question.of(prompt)
    about = frozenset(stems(things))
    blocks = _blocks_asked_for(question, blocks_of(units), about)
    scale = _Scale.of(question, blocks, about)
    best = max((scale.score(unit, scale.terms) for block in blocks for unit in block), default=0.0)
    if best <= FITTING_KIND:
        return _beginnings(blocks)
    picked = [unit for block in blocks for unit in _covering(block, scale, best * NEAR)]
    ranked = sorted(picked, key=lambda unit: -scale.score(unit, scale.terms))[:MAX_PICKED]
    return [unit for unit in picked if unit in ranked]


def pick_from_each(prompt: str, units: Sequence[Unit]) -> list[Unit]:
    """The units of checked sections that answer the prompt: something of each section, in their order."""
    question = Question.of(prompt)
    scale = _Scale.of(question, blocks_of(units), frozenset())
    picked: list[Unit] = []
    for part in dict.fromkeys(unit.part for unit in units):
        section = [unit for unit in units if unit.part == part]
        found = [unit for block in blocks_of(section) for unit in _covering(block, scale, FITTING_KIND)]
        picked += found[:MAX_PICKED] or section[:1]
    return picked


def _blocks_asked_for(question: Question, blocks: list[list[Unit]], things: frozenset[str]) -> list[list[Unit]]:
    """The blocks named in the question; without a name, those that share most of its rare words.

    Words of labels ask for fields, not for blocks.
    """
    named = _named(question, blocks)
    if named:
        return named
    labels = frozenset(word for block in blocks for unit in block for word in unit.label)
    terms = [term for term in question.terms if term not in things and term not in labels and not alike(term, labels)]
    words = [frozenset[str]().union(*(unit.value for unit in block)) for block in blocks]
    sharing = Counter(term for term in terms for held in words if term in held)
    scores = [sum(1 / sharing[term] for term in terms if term in held) for held in words]
    best = max(scores, default=0.0)
    return [block for block, score in zip(blocks, scores, strict=True) if score >= best * BLOCKS_NEAR]


def _named(question: Question, blocks: list[list[Unit]]) -> list[list[Unit]]:
    """The blocks one of whose names stands in the question, unless it is part of a longer one of another block."""
    names = [_longest_name(question, block) for block in blocks]
    return [
        block
        for block, name in zip(blocks, names, strict=True)
        if name and not any(len(other) > len(name) and _find(name, other) is not None for other in names)
    ]


def _longest_name(question: Question, block: list[Unit]) -> tuple[str, ...]:
    found = [unit.phrase for unit in block if _is_name(unit) and _find(unit.phrase, question.words) is not None]
    return max(found, key=len, default=())


def _is_name(unit: Unit) -> bool:
    """Whether a value can name something: a text of several words, or an identifier of digits."""
    if unit.kind not in ("text", "number") or not 0 < len(unit.phrase) <= LONGEST_NAME:
        return False
    return len(unit.phrase) > 1 or (unit.phrase[0].isdigit() and len(unit.phrase[0]) > 3)


def _find(part: tuple[str, ...], whole: Sequence[str]) -> int | None:
    starts = range(len(whole) - len(part) + 1)
    return next((start for start in starts if tuple(whole[start : start + len(part)]) == part), None)


@dataclass(frozen=True, slots=True)
class _Scale:
    """How much each term of a question weighs among the units of the blocks that it is about."""

    terms: tuple[str, ...]
    weights: Mapping[str, float]
    kind: Kind | None

    @classmethod
    def of(cls, question: Question, blocks: list[list[Unit]], things: frozenset[str]) -> _Scale:
        names = {_longest_name(question, block) for block in blocks}
        terms = _terms_left(question, names)
        faint = COUNTING | things | {stem(word) for name in names for word in name}
        weights = {term: FAINT if term in faint else _rarity(term, blocks) for term in terms}
        return cls(terms, weights, question.kind)

    def score(self, unit: Unit, terms: Sequence[str]) -> float:
        """How well a unit answers these terms."""
        matched = self.matched(unit, terms)
        fitting = FITTING_KIND if self.kind is not None and unit.kind == self.kind else 0.0
        return matched + fitting if matched else 0.0

    def matched(self, unit: Unit, terms: Sequence[str]) -> float:
        """The part of the score that its words make."""
        matched = sum(self.weights[term] * match(term, unit) for term in terms)
        if not matched:
            return 0.0
        asked = sum(word in terms or alike(word, terms) for word in unit.label)
        coverage = asked / len(unit.label) if unit.label and unit.kind != "sentence" else 0.0
        return matched + COVERAGE * coverage


def _rarity(term: str, blocks: list[list[Unit]]) -> float:
    """Less the more units of one block the term is about."""
    most = max((sum(match(term, unit) > 0 for unit in block) for block in blocks), default=0)
    return 1 / sqrt(most) if most else 0.0


def _terms_left(question: Question, names: set[tuple[str, ...]]) -> tuple[str, ...]:
    """The terms that ask, without those that only name: the words of a name that stand nowhere else in the question."""
    words = list(question.words)
    for name in sorted(names, key=len, reverse=True):
        while name and (start := _find(name, words)) is not None:
            words[start : start + len(name)] = [""]
    left = {stem(word) for word in words if word}
    return tuple(term for term in question.terms if term in left)


def match(term: str, unit: Unit) -> float:
    """How directly a unit is about a term."""
    if term in unit.label:
        return LABEL
    if term in unit.value:
        # In prose the words of the text are what counts.
        return LABEL if unit.kind == "sentence" else VALUE
    return SYNONYM if alike(term, unit.label) else 0.0


def _covering(block: list[Unit], scale: _Scale, least: float) -> list[Unit]:
    """Units of one block, best first, each for the sake of a term that those before it leave open."""
    chosen: list[Unit] = []
    terms = scale.terms
    while terms and len(chosen) < MAX_PICKED:
        score_of, enough = (scale.matched, FURTHER) if chosen else (scale.score, least)
        scored = [(score_of(unit, terms), unit) for unit in block if unit not in chosen and _worth(unit, terms, chosen)]
        score, unit = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        if unit is None or score < enough:
            break
        chosen += _with_its_value(unit, block, scale.terms)
        terms = tuple(term for term in terms if match(term, unit) == 0)
    return [unit for unit in block if unit in chosen]


def _worth(unit: Unit, terms: Sequence[str], chosen: list[Unit]) -> bool:
    """A further line must be asked for by its label, or by two words of its text."""
    return not chosen or any(term in unit.label for term in terms) or sum(term in unit.value for term in terms) > 1


def _with_its_value(unit: Unit, block: list[Unit], terms: Sequence[str]) -> list[Unit]:
    """The unit; of a prose field asked for by its label alone, its first sentences."""
    by_text = any(term in unit.value for term in terms)
    if unit.kind != "sentence" or by_text:
        return [unit]
    return [other for other in block if other.kind == "sentence" and other.label == unit.label][:MAX_SENTENCES]


def _beginnings(blocks: list[list[Unit]]) -> list[Unit]:
    """Where no word of the prompt fits: the first lines or sentences of each of the first blocks."""
    return [unit for block in blocks[:MAX_SENTENCES] for unit in _prose_or_lines(block)][:MAX_PICKED]


def _prose_or_lines(block: list[Unit]) -> list[Unit]:
    prose = [unit for unit in block if unit.kind == "sentence"]
    if prose:
        return prose[:2]
    longest = sorted(block, key=lambda unit: -len(unit.text))[:2]
    return [unit for unit in block if unit in longest]


class ExtractiveWriter:
    """Deterministic: the same task gives the same text. It has no second try, since its markers are always right."""

    @property
    def identity(self) -> Writer:
        """Who writes."""
        return Writer("extractive")

    async def write(self, task: Task) -> Draft:
        """The lines or sentences that answer the prompt, each with its marker."""
        return Draft(await run_in_thread_if(len(task.text) > LONG_ANSWER_CHARACTERS, lambda: extract(task)))

    async def stream(self, task: Task) -> AsyncIterator[Draft]:
        """The same text, line by line."""
        draft = await self.write(task)
        for line in draft.text.splitlines(keepends=True):
            yield Draft(line)

    async def close(self) -> None:
        """Has nothing to end."""


def extract(task: Task) -> str:
    """The text of an answer; empty when the evidence has no line."""
    if task.material is None:
        things = " ".join(source.index or "" for source in task.evidence.sources)
        units = pick(task.prompt, units_of(task.evidence), things)
    else:
        units = pick_from_each(task.prompt, units_of_sections(task.material))
    lines = [unit.cited(task.required) for unit in units]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
