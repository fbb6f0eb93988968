"""What a caller gives: sources that are sources, an answer within its limit, hosts and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import InvalidRequest, Problem, TooLarge
from ..evidence.results import Evidence
from ..evidence.sources import Source
from ..limits import MAX_ANSWER_CHARACTERS, MAX_SOURCES
from .links import normal_link
from .sentinels import clean_name


def given_sources(sources: Sequence[Source] | Evidence) -> tuple[Source, ...]:
    """The sources with names that fit one line and links in normal form (None for what is no http(s) address).

    Raises InvalidRequest naming each number below 1 and each blank name by its path, and for more than 1,000 sources.
    """
    listed = sources.sources if isinstance(sources, Evidence) else tuple(sources)
    if len(listed) > MAX_SOURCES:
        raise InvalidRequest(f"At most {MAX_SOURCES} sources; {len(listed)} were given.", code="too_many_sources")
    given = tuple(map(_fit, listed))
    problems = tuple(problem for at, source in enumerate(given) for problem in _problems(at, source))
    if problems:
        raise InvalidRequest("A source needs a number of 1 or more and a name.", code="invalid_source", problems=problems)
    return given


def _fit(source: Source) -> Source:
    name, link = clean_name(source.name), normal_link(source.link)
    return source if (name, link) == (source.name, source.link) else replace(source, name=name, link=link)


def _problems(at: int, source: Source) -> list[Problem]:
    found = []
    if source.number < 1:
        found.append(Problem(f"$.sources[{at}].number", "out_of_range", "A source's number is 1 or more."))
    if not source.name:
        found.append(Problem(f"$.sources[{at}].name", "blank", "A source's name is not blank."))
    return found


def within_limit(characters: int) -> None:
    """Raises TooLarge for an answer over the limit."""
    if characters > MAX_ANSWER_CHARACTERS:
        raise TooLarge(f"The answer is over the limit of {MAX_ANSWER_CHARACTERS} characters.")
