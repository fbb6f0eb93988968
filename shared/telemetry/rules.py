"""Rules: what one attribute of a signal may carry. An attribute without a rule does not leave the process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The class of a text that a redactor is asked about; the redactor sees it as its plain word."""

    QUERY = "query"
    FILTER = "filter"
    PROMPT = "prompt"
    ANSWER = "answer"
    EVIDENCE = "evidence"
    ERROR_MESSAGE = "error_message"
    IDENTIFIER = "identifier"
    USER_ID = "user_id"


IDENTIFIERS = frozenset({Kind.IDENTIFIER, Kind.USER_ID})


@dataclass(frozen=True, slots=True)
class Number:
    """A count, length, size or duration."""


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """A word of a closed set; any other leaves as `other`."""

    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Known:
    """A name of the configuration, made known by `Telemetry.allow`; any other leaves as `other`.

    Callers name things too (an index that does not exist), so a pattern of letters would not do.
    """

    group: str


@dataclass(frozen=True, slots=True)
class ErrorType:
    """What failed: an exception (its code if it is the app's own, else its class), a registered code or an HTTP status."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the code an exception arose: module and line, read from its traceback."""


@dataclass(frozen=True, slots=True)
class Package:
    """An imported package: a name of code, since nobody imports data. Any other leaves as `other`."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text about people: identifiers are erased or counted under a key, content is erased; as it is only by the switch."""

    kind: Kind


Rule = Number | Flag | OneOf | Known | ErrorType | Package | Place | Text

OTHER = "other"


def one_of(*words: str) -> OneOf:
    """A closed set of words."""
    return OneOf(frozenset(words))
