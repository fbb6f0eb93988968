"""Selection of the segments that answer a question: everything asked for that the evidence tells, and nothing else.

A line answers by its label. Each word of what is asked for has to be explained: by the label, by its meaning where no other
label has the word, or by a short value of the same document (its name, its town). So `phone number` is not answered by
`number_on_roll`, and `rating` not by a percentage. Where no line fits, sentences of running text do that hold the words. A
name or a year of the question has to be in the document. What nothing tells is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from .question import Ask, Question, Term
from .segments import Segment, blocks_of
from .vocabulary import (
    GENERIC,
    MEASURES,
    PREPOSITIONS,
    STOP_WORDS,
    SUMMARY_WORDS,
    are_related,
    forms,
    label_words,
    meanings,
    plain_words,
)

MAX_LINES = 30
MAX_SENTENCES = 5
SENTENCES_OF_A_BLOCK = 2
LINES_OF_A_SUMMARY = 6
LONGEST_NAME = 24
COVERED = 0.6
"""The share of what is asked for that a sentence has to hold."""
_NUMERAL = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|thousands?"
    r"|millions?|half|third|quarter|none|no|all|every|dozen|few|several)\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|yesterday|weekly|daily|term|morning|afternoon|evening)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Sir|Rev)\b|\b[A-Z][\w'’-]+ [A-Z][\w'’-]+|\bby [A-Z]"
    r"|\b(?:[Ss]tudents|[Pp]upils|[Cc]hildren|[Tt]eachers|[Ss]taff|[Ll]eaders|[Gg]overnors|[Pp]arents|[Ff]amilies|[Mm]embers|[Pp]eople|[Mm]anagers?|[Oo]fficers?|[Dd]irectors?|[Tt]eam|[Dd]epartment|[Pp]rincipal)\b"
)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|reasons?|as a result|so that|in order to|thanks to|following|after|to \w+)\b",
    re.IGNORECASE,
)
_LATIN = re.compile("[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Selection:
    """The segments that answer, in the order of the evidence; without any the question is not answered.

    `not_told` names what was asked for and no segment tells.
    """

    segments: tuple[Segment, ...] = ()
    not_told: tuple[str, ...] = ()


def select(prompt: str, segments: Sequence[Segment], things: str = "") -> Selection:
    """The segments that answer the prompt.

    `things` names what the documents are (their indexes), so that those words ask for nothing.
    """
    question = Question.of(prompt)
    blocks = [_Block.of(block, plain_words(things)) for block in blocks_of(segments)]
    chosen, names = _blocks_asked_for(question, blocks)
    if not chosen:
        return Selection(not_told=(_shortened(prompt),))
    asks = [ask for ask in _without_framing(question, names, chosen) if not _is_context(ask, chosen)]
    if not any(ask.strong or _interrogatives(ask) for ask in asks):
        return _without_asks(question, chosen, names)
    answers = [(ask, [found for block in chosen for found in block.answer(ask)]) for ask in asks]
    if question.summary and not any(found for _, found in answers):
        return Selection(not_told=tuple(_shortened(ask.written) for ask, _ in answers if ask.strong))
    picked = {id(segment) for _, found in _bounded(answers) for segment in found}
    told = tuple(segment for block in chosen for segment in block.segments if id(segment) in picked)[:MAX_LINES]
    missing = [ask.written for ask, found in answers if not found and ask.strong]
    return Selection(told, tuple(map(_shortened, missing)))


def _without_framing(question: Question, names: frozenset[int], blocks: Sequence[_Block]) -> Iterator[Ask]:
    """What is asked for, without the words that ask for a summary where no label has them."""
    for ask in question.asks(names):
        kept = tuple(
            term
            for term in ask.terms
            if not question.summary or term.word not in SUMMARY_WORDS or any(block.has_label_of(term) for block in blocks)
        )
        if kept:
            yield replace(ask, terms=kept)


def _is_context(ask: Ask, blocks: Sequence[_Block]) -> bool:
    """Whether nothing is asked for: every word says what the documents are, or stands in what names and places them."""
    if not ask.strong or ask.kind == "flag":
        return False
    return all(all(block.is_context(term) for block in blocks) for term in ask.strong)


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"


def _interrogatives(ask: Ask) -> bool:
    return any(term.word in ("who", "where", "when") for term in ask.terms)


def _bounded(answers: Sequence[tuple[Ask, list[Segment]]]) -> Iterator[tuple[Ask, list[Segment]]]:
    """Lines of all documents, but sentences of few: those that hold most of what is asked for come first."""
    for ask, found in answers:
        lines = [segment for segment in found if segment.kind != "sentence"]
        sentences = [segment for segment in found if segment.kind == "sentence"]
        held = [_held_terms(ask.strong, segment) for segment in sentences]
        most = max(map(len, held), default=0)
        best = [segment for segment, terms in zip(sentences, held, strict=True) if len(terms) == most or segment.label]
        yield ask, lines + best[: MAX_SENTENCES * 2]


def _held_terms(terms: Iterable[Term], segment: Segment) -> frozenset[Term]:
    return frozenset(term for term in terms if not term.keys.isdisjoint(segment.held))


def _without_asks(question: Question, blocks: Sequence[_Block], names: frozenset[int]) -> Selection:
    """A summary where one is asked for; the names of the documents where the question asks which they are."""
    if question.summary:
        return Selection(tuple(segment for block in blocks[:MAX_SENTENCES] for segment in block.beginning())[:MAX_LINES])
    if names and Question.of(question.prompt).asks(frozenset())[0].kind == "flag":
        asked = [term for term in question.terms if term.place in names]
        return Selection(tuple(segment for block in blocks for segment in block.lines_holding(asked))[:MAX_LINES])
    if names and re.match(r"\s*(?:which|what)\b", question.prompt, re.IGNORECASE):
        return Selection(tuple(block.segments[0] for block in blocks)[:MAX_LINES])
    return Selection(not_told=(_shortened(question.prompt),))


# The documents that a question is about.


def _blocks_asked_for(question: Question, blocks: list[_Block]) -> tuple[list[_Block], frozenset[int]]:
    """The documents that hold the names of the question, and the places of those names in it.

    A whole name in the question wins over a part of it, a longer one over a shorter one. A name or number that is in no
    document, or not in those named, is about something else: then there is none.
    """
    named = _named(question, blocks)
    chosen = [block for block, _ in named] or blocks
    places = {place for _, name in named for place in _places(name, question.words)}
    terms = {term for term in question.terms if term.place in places}
    for term in question.terms:
        if term in terms or term.weak or not term.binding or any(block.has_label_of(term) for block in chosen):
            continue
        holding = [block for block in chosen if not term.keys.isdisjoint(block.held)]
        if not holding:
            return [], frozenset()
        chosen = holding
        if any(not term.keys.isdisjoint(block.short) for block in chosen):
            terms.add(term)
    sharing = _sharing_most(question, chosen, terms)
    return sharing, frozenset(places | {term.place for term in terms})


def _sharing_most(question: Question, blocks: list[_Block], terms: set[Term]) -> list[_Block]:
    """Of several documents those with most of the words that short values of some of them hold."""
    others = [term for term in question.terms if term not in terms and not term.weak and not term.person]
    free = [term for term in others if not any(block.has_label_of(term) or block.is_thing(term) for block in blocks)]
    shares = [[term for term in free if not term.keys.isdisjoint(block.short)] for block in blocks]
    most = max((len(share) for share in shares), default=0)
    if not most or all(len(share) == most for share in shares):
        return blocks
    terms.update(term for share in shares if len(share) == most for term in share)
    return [block for block, share in zip(blocks, shares, strict=True) if len(share) == most]


def _named(question: Question, blocks: Sequence[_Block]) -> list[tuple[_Block, tuple[str, ...]]]:
    """The documents one of whose names is in the question, unless it is part of a longer one of another document."""
    names = [(block, block.longest_name(question.words)) for block in blocks]
    return [
        (block, name)
        for block, name in names
        if name and not any(len(other) > len(name) and _find(name, other) for _, other in names)
    ]


def _find(part: tuple[str, ...], whole: Sequence[str]) -> bool:
    return bool(_places(part, whole))


def _places(part: tuple[str, ...], whole: Sequence[str]) -> frozenset[int]:
    """The places of `whole` at which `part` stands."""
    starts = [start for start in range(len(whole) - len(part) + 1) if tuple(whole[start : start + len(part)]) == part]
    return frozenset(place for start in starts for place in range(start, start + len(part)))


# One document and what it tells.


@dataclass(frozen=True, slots=True)
class _Label:
    """The words of a label that tell something, and the head among them: the thing itself (`date` of `open_date`)."""

    words: tuple[str, ...]
    head: str
    measures: bool = False
    """Whether it begins with how something is measured: `percentage_sen_support`."""


@lru_cache(maxsize=4_096)
def _label(text: str) -> _Label:
    words = label_words(text)
    kept = tuple(word for word in words if word not in STOP_WORDS) or words
    if not kept:
        return _Label((), "")
    before = next((place for place, word in enumerate(words) if word in PREPOSITIONS and place), len(words))
    measures = words[0] in MEASURES
    return _Label(kept, words[0] if measures else words[before - 1], measures)


@dataclass(frozen=True, slots=True)
class _Match:
    """How well a label answers: the terms it explains, and the order among labels that all do."""

    explained: frozenset[Term]
    score: float


@dataclass(frozen=True, slots=True)
class _Block:
    segments: tuple[Segment, ...]
    things: frozenset[str]
    thing_meanings: frozenset[int]
    held: frozenset[str]
    """Every word of the document."""
    short: frozenset[str]
    """The words of its short values: what names and places it."""
    label_forms: frozenset[str] = field(default=frozenset())

    @classmethod
    def of(cls, segments: list[Segment], things: Sequence[str]) -> _Block:
        names = frozenset[str]().union(*map(forms, things))
        held = frozenset[str]().union(*(segment.held for segment in segments))
        short = frozenset[str]().union(*(segment.held for segment in segments if segment.kind in ("text", "number", "date")))
        labels = {word for segment in segments for word in _label(segment.label).words}
        return cls(
            segments=tuple(segments),
            things=names,
            thing_meanings=frozenset[int]().union(*map(meanings, names)),
            held=held,
            short=short,
            label_forms=frozenset[str]().union(*map(forms, labels)),
        )

    def is_thing(self, term: Term) -> bool:
        """Whether the term says what the documents are."""
        return not term.forms.isdisjoint(self.things) or not term.meanings.isdisjoint(self.thing_meanings)

    def is_context(self, term: Term) -> bool:
        """Whether the term says what the document is, or stands in what names and places it, and no label has it."""
        labels = [_label(segment.label).words for segment in self.segments if segment.label]
        if any(len(words) == 1 and not term.forms.isdisjoint(forms(words[0])) for words in labels):
            return False
        return self.is_thing(term) or (not term.keys.isdisjoint(self.short) and not self.has_label_of(term))

    def lines_holding(self, terms: Sequence[Term]) -> list[Segment]:
        """The lines behind the first, which names the document, whose values hold one of the terms."""
        lines = [segment for segment in self.segments[1:] if segment.kind != "sentence"]
        return [segment for segment in lines if _held_terms(terms, segment)]

    def has_label_of(self, term: Term) -> bool:
        """Whether a label has the term, or a word of its meaning."""
        if not term.forms.isdisjoint(self.label_forms):
            return True
        return any(not term.meanings.isdisjoint(meanings(word)) or are_related(term.word, word) for word in self.label_forms)

    def longest_name(self, words: Sequence[str]) -> tuple[str, ...]:
        """The longest short value of the document that is in a question: a text of several words, or a long number."""
        found = [segment.phrase for segment in self.segments if _is_name(segment) and _find(segment.phrase, words)]
        return max(found, key=len, default=())

    def beginning(self) -> list[Segment]:
        """Where the document begins: its first sentences, or else its first lines."""
        prose = [segment for segment in self.segments if segment.kind == "sentence"]
        return prose[:2] if prose else list(self.segments[:LINES_OF_A_SUMMARY])

    def answer(self, ask: Ask) -> list[Segment]:
        """The lines, or else the sentences, that tell what is asked for."""
        named = [term for term in ask.terms if term.word not in ("name", "names")]
        of_another = Ask(tuple(named), ask.written, ask.kind)
        return (
            self._lines(ask)
            or (self._lines(of_another) if 0 < len(of_another.strong) < len(ask.strong) else [])
            or self._lines_together(ask)
            or self._sentences(ask)
        )

    def _lines(self, ask: Ask) -> list[Segment]:
        matches = [(self._match(segment, ask), segment) for segment in self.segments if segment.label]
        fitting = [(match, segment) for match, segment in matches if match is not None]
        if ask.kind == "flag":  # the line that names the document tells nothing about it
            fitting = [(match, segment) for match, segment in fitting if segment is not self.segments[0]]
        best = max((match.score for match, _ in fitting), default=0.0)
        label = next((_label(segment.label).words for match, segment in fitting if match.score == best), None)
        found = [segment for match, segment in fitting if _label(segment.label).words == label]
        prose = [segment for segment in found if segment.kind == "sentence"]
        return [segment for segment in found if segment.kind != "sentence"] + prose[:MAX_SENTENCES]

    def _match(self, segment: Segment, ask: Ask) -> _Match | None:
        """How the label answers the whole of what is asked for; None where it does not."""
        explained = self._explained(segment, ask.terms)
        others = [term for term in ask.strong if term not in explained]
        by_value = [term for term in others if segment.kind != "sentence" and not term.keys.isdisjoint(segment.held)]
        hits = explained.keys() | (set(by_value) if ask.kind == "flag" else set())
        if not hits or not self._fits(segment, ask, explained):
            return None
        for term in others:
            if term not in by_value and not self._is_aside(term, explained):
                return None
        label = _label(segment.label)
        matched = {word for words in explained.values() for word in words}
        coverage = len(matched & set(label.words)) / len(label.words)
        kind = 0.6 if _is_of_kind(segment, ask.kind) else 0.0
        return _Match(
            frozenset(explained), sum(1.0 if t.forms & self.label_forms else 0.8 for t in explained) + coverage + kind
        )

    def _is_aside(self, term: Term, explained: dict[Term, set[str]]) -> bool:
        """Whether a term that no label has may stand beside those that one has."""
        if self.is_thing(term) or not term.keys.isdisjoint(self.short):
            return True
        return (term.person or term.light) and bool(explained)

    def _explained(self, segment: Segment, terms: Sequence[Term]) -> dict[Term, set[str]]:
        """The terms that the label has, each with the words of the label; by meaning only where no label has the term."""
        words = _label(segment.label).words
        found: dict[Term, set[str]] = {}
        for term in terms:
            same = {word for word in words if not term.forms.isdisjoint(forms(word))}
            if not same and term.forms.isdisjoint(self.label_forms):
                same = {
                    word for word in words if not term.meanings.isdisjoint(meanings(word)) or are_related(term.word, word)
                }
            if same:
                found[term] = same
        return found

    def _fits(self, segment: Segment, ask: Ask, explained: dict[Term, set[str]]) -> bool:
        """Whether the label says no more than what is asked for: `headteacher_email` is no answer for the headteacher."""
        label = _label(segment.label)
        matched = {word for words in explained.values() for word in words}
        if ask.kind == "flag" and not explained:
            return True
        if all(term.weak or self.is_thing(term) for term in explained) and ask.strong:
            return False
        rest = [word for word in label.words if word != label.head and not self._is_thing_word(word)]
        if (
            label.measures
            and ask.kind not in ("number", "flag")
            and label.head not in matched
            and not matched.issuperset(rest)
        ):
            return False
        specific = [word for word in matched if word not in GENERIC]
        unmatched = [word for word in label.words if word not in matched and not self._is_thing_word(word)]
        if not specific and any(word not in GENERIC for word in unmatched):
            return False
        head = label.head
        if (
            unmatched
            and head not in matched
            and head not in GENERIC
            and not label.measures
            and not self._is_thing_word(head)
        ):
            return False
        return _is_of_kind(segment, ask.kind) is not False

    def _is_thing_word(self, word: str) -> bool:
        return not forms(word).isdisjoint(self.things) or not meanings(word).isdisjoint(self.thing_meanings)

    def _lines_together(self, ask: Ask) -> list[Segment]:
        """Lines for a list without joints (`town postcode headteacher`): each term has a label of its own."""
        if len(ask.strong) < 2 or any(term.binding and not self.has_label_of(term) for term in ask.strong):
            return []
        found: list[Segment] = []
        for term in ask.strong:
            if self.is_thing(term) or (not term.keys.isdisjoint(self.short) and not self.has_label_of(term)):
                continue
            lines = self._lines(Ask((term,), term.written, None))
            if not lines or term.forms.isdisjoint(self.label_forms):
                return []
            found += lines
        return found

    def _sentences(self, ask: Ask) -> list[Segment]:
        """The sentences that hold most of what is asked for, the second only for words that the first leaves open."""
        terms = [term for term in ask.strong if not self.is_thing(term)]
        found: list[Segment] = []
        left = terms
        while left and len(found) < SENTENCES_OF_A_BLOCK:
            held, sentence = max(
                ((self._told(left, segment, ask), segment) for segment in self.segments if segment.kind == "sentence"),
                key=lambda pair: len(pair[0]),
                default=(frozenset[Term](), None),
            )
            if sentence is None or not held:
                break
            found.append(sentence)
            left = [term for term in left if term not in held]
        covered = [term for term in terms if term not in left]
        asked = [term for term in terms if term in covered or term.keys.isdisjoint(self.short) or term.binding]
        people = [term for term in asked if term.person and term not in covered and len(covered) > 1]
        return found if asked and len(covered) >= COVERED * (len(asked) - len(people)) else []

    def _told(self, terms: Sequence[Term], segment: Segment, ask: Ask) -> frozenset[Term]:
        held = _held_terms(terms, segment)
        if all(term.person for term in held) and len(held) < len(terms):
            return frozenset()
        return held if _tells(segment.text, ask) else frozenset()


def _is_name(segment: Segment) -> bool:
    """Whether a value can name something: a text of several words, or an identifier of digits."""
    if segment.kind not in ("text", "number") or not 0 < len(segment.phrase) <= LONGEST_NAME:
        return False
    return len(segment.phrase) > 1 or (segment.phrase[0].isdigit() and len(segment.phrase[0]) > 3)


def _is_of_kind(segment: Segment, kind: str | None) -> bool | None:
    """Whether a line's value is of the kind that is asked for; None where the kind says nothing about it."""
    value = segment.text.partition(": ")[2]
    if kind == "number":
        return segment.kind == "number" or _NUMERAL.search(value) is not None
    if kind == "date":
        return segment.kind == "date" or _MOMENT.search(value) is not None
    if kind == "person":
        return None if segment.kind in ("text", "sentence") else False
    if kind == "reason":
        return None if segment.kind == "sentence" or _REASON.search(value) else False
    return True if kind == "flag" and segment.kind == "flag" else None


def _tells(text: str, ask: Ask) -> bool:
    """Whether a sentence can tell a figure, a moment, a person or a reason where one is asked for."""
    pattern = {"number": _NUMERAL, "date": _MOMENT, "person": _PERSON, "reason": _REASON}.get(ask.kind or "")
    return pattern is None or not _LATIN.search(text) or pattern.search(text) is not None
