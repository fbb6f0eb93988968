"""A question taken apart: what it asks for, the names and numbers that bind it, and its kind of answer."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .vocabulary import ACCENTS, LIGHT_VERBS, PEOPLE, STOP_WORDS, SUMMARY, WEAK, WORD, forms, join_phrases, meanings, stem

MAX_TERMS = 60
"""Terms of a prompt that are looked at: a question has few, and the work grows with them."""

AnswerKind = Literal["number", "date", "flag", "person", "reason"]
_KINDS: tuple[tuple[re.Pattern[str], AnswerKind], ...] = (
    (
        re.compile(r"\bhow (?:many|much|large|big)\b|\bnumber of\b|\bwhat (?:percentage|percent|proportion|share)\b"),
        "number",
    ),
    (re.compile(r"\b(?:when|(?:what|which) (?:date|year|day|month))\b"), "date"),
    (re.compile(r"\bwhy\b"), "reason"),
    (re.compile(r"\bwho\b"), "person"),
    (re.compile(r"^(?:is|are|was|were|does|do|did|has|have|can)\b"), "flag"),
)
_BREAK = re.compile(r"[,;:?!/&|\n()]|\.(?:\s|$)")
_JOINING = frozenset(("and", "or", "plus", "nor"))
_CLOSING = re.compile(r"[.!?]\s*$")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question."""

    word: str
    written: str
    place: int
    """Which word of the question it is, from 0."""
    binding: bool
    """Whether it is a name or a number: it stands with a capital within a sentence, or holds a digit."""

    @property
    def forms(self) -> frozenset[str]:
        """The word and its base forms."""
        return forms(self.word)

    @property
    def meanings(self) -> frozenset[int]:
        """Its rows in the table of meanings."""
        return meanings(self.word)

    @property
    def keys(self) -> frozenset[str]:
        """What running text may hold for it."""
        return self.forms | {stem(self.word)}

    @property
    def weak(self) -> bool:
        """Whether it frames the question and asks for nothing by itself."""
        return not WEAK.isdisjoint(self.forms)

    @property
    def light(self) -> bool:
        """Whether it is a verb that only links other words."""
        return not LIGHT_VERBS.isdisjoint(self.forms | {self.word.removesuffix("s"), self.word.removesuffix("d")})

    @property
    def person(self) -> bool:
        """Whether it is a word for those whom a figure is about."""
        return not PEOPLE.isdisjoint(self.forms)


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that a question asks for: its terms, as written, and the kind of its answer."""

    terms: tuple[Term, ...]
    written: str
    kind: AnswerKind | None

    @property
    def strong(self) -> tuple[Term, ...]:
        """The terms that have to be found."""
        return tuple(term for term in self.terms if not term.weak)


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt: its words in order, and its terms between the joints (`and`, commas) at which it asks for several things."""

    prompt: str
    words: tuple[str, ...]
    terms: tuple[Term, ...]
    joints: frozenset[int]

    @classmethod
    def of(cls, prompt: str) -> Question:
        """The question in a prompt."""
        text = _unaccented(join_phrases(prompt))
        matches = list(WORD.finditer(text))
        shouted = _is_title_case([match[0] for match in matches])
        terms: list[Term] = []
        joints: set[int] = set()
        before = 0
        for place, match in enumerate(matches):
            word = match[0].casefold()
            between = text[before : match.start()]
            before = match.end()
            if word in _JOINING or _BREAK.search(between):
                joints.add(place)
            first = place == 0 or _CLOSING.search(between) is not None
            named = match[0][:1].isupper() and not first and not shouted
            if word not in STOP_WORDS and len(terms) < MAX_TERMS:
                holds_digit = any(character.isdigit() for character in word)
                terms.append(Term(word, match[0], place, named or holds_digit))
        return cls(prompt, tuple(match[0].casefold() for match in matches), tuple(terms), frozenset(joints))

    @property
    def summary(self) -> bool:
        """Whether a summary is asked for."""
        return SUMMARY.search(self.prompt) is not None

    def asks(self, names: frozenset[int]) -> list[Ask]:
        """What is asked for, one by one, without the words of names, which are given by their places."""
        joints = [0, *sorted(joint for joint in self.joints if joint not in names or joint - 1 not in names)]
        groups: list[list[Term]] = [[] for _ in joints]
        for term in self.terms:
            if term.place not in names:
                groups[bisect_right(joints, term.place) - 1].append(term)
        found = [(joint, group) for joint, group in zip(joints, groups, strict=True) if group]
        whole = _kind(" ".join(self.words))
        return [
            Ask(
                tuple(group),
                " ".join(term.written for term in group),
                whole if len(found) == 1 else self._kind_between(joint, group[-1].place),
            )
            for joint, group in found
        ]

    def _kind_between(self, first: int, last: int) -> AnswerKind | None:
        """The kind that these words ask for."""
        words = [word for word in self.words[first : last + 1] if word not in _JOINING]
        return _kind(" ".join(words))


def _kind(text: str) -> AnswerKind | None:
    folded = text.strip().casefold()
    return next((kind for pattern, kind in _KINDS if pattern.search(folded)), None)


def _unaccented(text: str) -> str:
    """The text without accents and apostrophes, letters composed again, its case kept."""
    return unicodedata.normalize("NFC", ACCENTS.sub("", unicodedata.normalize("NFKD", text)))


def _is_title_case(words: Sequence[str]) -> bool:
    """Whether capitals tell nothing, since most words have one."""
    letters = [word for word in words if word[:1].isalpha()]
    return len(letters) > 5 and sum(word[:1].isupper() for word in letters) > 0.7 * len(letters)
