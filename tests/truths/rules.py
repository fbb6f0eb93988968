"""Reasons why a measured case differs from ours, and the rules of `docs/rules.md` that decide some of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Literal

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"

Reason = Literal["rule", "safer", "platform"]
REASONS: tuple[Reason, ...] = ("rule", "safer", "platform")


@dataclass(frozen=True, slots=True)
class Why:
    """A reason in words.

    `rule`: a sentence of docs/rules.md decides otherwise. `safer`: the original harms its user. `platform`: behaviour of
    .NET, an SDK or a framework without meaning here.
    """

    reason: Reason
    words: str

    def problem(self) -> str | None:
        """What is wrong with the reason, or None."""
        if self.reason == "rule":
            return None if self.words in rules() else f"docs/rules.md has no rule {self.words!r}"
        return None if self.words.endswith(".") else f"not a sentence: {self.words!r}"


class Rule(Enum):
    """The rules, by what they are about. Each value is a sentence of the page."""

    RANGES = (
        "`MinimumRelevanceFilter` is a number from 0 to 1, `MaxEvidenceCharacters` a whole number from 400 to 500,000, and "
        "`MaxRetryAttempts` is not negative; anything else is a problem."
    )
    ABSENT = "A list or number given as JSON `null` or as a blank text counts as absent, so its default holds."
    UNKNOWN_KEY = "An unknown key inside one of the app's blocks is a problem."
    ONE_INDEX = "A problem inside one index entry takes out that index alone."
    LISTED_ONCE = "A field listed twice counts once, with a warning."
    OTHER_BLOCKS = "A block beside the app's own ones, such as those of the .NET package, is a warning."
    TOGETHER = "All problems are reported together, each with the name of its setting and never with its value."
    IDENTITY = "Without an `Authentication` block the app's own managed identity is used."
    PLACEHOLDERS = "A placeholder inside quotes, an unknown placeholder and an unused value are refused."
    BLANK_FILTER = "A blank filter is refused, since a search without a filter passes none."
    PARSED = "A raw filter is parsed before it is sent, and one that does not parse by itself is refused."
    ZONE = "A date-time without a zone is refused, since nobody can tell its moment."
    PLAIN_WORDS = "The query is plain text by default: signs of the service's query languages are escaped."
    NO_VALUE = 'A reply of the search service without a list `value` is an error, never "nothing found".'
    SIZE = "A search returns from 1 to 1,000 hits; another size is refused."
    NEAREST = "A hybrid search with semantic ranking asks for at least 50 nearest vectors, whatever its size."
    ONE_SCORE = (
        "All hits of a search are compared by one kind of score: the reranker's when it was asked for and a hit has one, "
        "else the base score."
    )
    ANY_TYPE = "Content fields of any type are shown, in the order of the setting."
    AS_IT_IS = "Text is shown as it is; blanks at its end are cut."
    WHOLE_NUMBERS = "Whole numbers are shown as digits: `271`, never `271.0` and never `1e20`."
    LISTS = "Lists are shown joined with `, `."
    ELEMENTS = "Members of the objects in a list are shown element by element."
    GEOGRAPHY = "A geography point is shown as latitude and longitude."
    ADDRESS = "A value that is wholly a web address is never shown in the text, nor as an element of a list or a member."
    HEADING = "A line inside a value that looks like a heading of evidence is escaped visibly."
    MARKER = "A marker inside a value is escaped visibly, so that it does not raise the highest allowed number."
    LIMIT = "The limit covers the whole text, with the note and the headings."
    FIRST_HIT = (
        "The first hit is always kept; one that is longer than the limit alone is cut at the limit and marked `truncated`."
    )
    CHARACTERS = "Characters are code points, and no character as a reader sees it is cut in two."
    LINK = "A link is an address with `http://` or `https://` and a host, without credentials or control characters."
    PARTIAL = (
        "A partial semantic result (status 206) is used: base order and base scores for the whole list, marked in the reply."
    )
    TIMEOUT = "A search that is not answered in time fails with `search_timeout`."
    IN_ALL = "`TimeoutSeconds` bounds a search as a whole, retries and waits included."
    NO_EVIDENCE = "Without evidence the writer is not called, and the status is `no_evidence`."
    FAILED_TWICE = (
        "An answer that fails its checks twice has the status `failed_checks`: `answer` is null and the text stands in "
        "`uncheckedAnswer` alone."
    )
    EVIDENCE_ALONE = "Answers are written over `Evidence`, never over its bare text."
    EMPTY_TEXT = "An empty search text is not searched."
    MEMORY_LIMIT = "The memory limit also holds for a state that comes in."
    MALFORMED_STATE = "A malformed state is an error of the caller."
    INJECTED = "A message that the app injected stays marked, also through JSON, and is never searched or remembered."
    RESENT = "A history that is sent again is remembered once and searched once."
    NO_EXCEPTION_TEXT = "The text of an exception is never logged; its type is in the message."
    FRAME = "A text that forges the frame of a result is escaped visibly."
    TOOL_WORDS = "The tool says in words that it found nothing or that it failed."
    REDACTOR = "A redactor that fails erases the text."

    @property
    def why(self) -> Why:
        """The rule as the reason of a deviation."""
        return Why("rule", self.value)


def rules() -> dict[str, str]:
    """The sentences of the page, each with its heading."""
    found: dict[str, str] = {}
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        for item in re.split(r"^- ", body, flags=re.MULTILINE)[1:]:
            found[" ".join(item.split())] = heading
    return found
