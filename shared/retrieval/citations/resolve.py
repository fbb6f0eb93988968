"""The front door for whole answers: `check` and `resolve`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ..errors import InvalidRequest, Problem, TooLarge
from ..evidence.evidence import Evidence
from ..evidence.sources import Source
from ..limits import MAX_ANSWER_CHARACTERS, MAX_CHECKED_EVIDENCE_CHARACTERS, MAX_SOURCES
from .figures import evidence_blocks, unsupported_figures
from .formats.assembly import Assembly
from .formats.html import HtmlText
from .formats.markdown import MarkdownText
from .formats.output import HtmlSink, TextSink
from .formats.text import PlainText
from .links import LinkPolicy, normal_link
from .markdown.fast_path import OrdinaryText, StretchDialect
from .markdown.inlines import ScanOptions
from .markdown.reader import Position, Reader
from .results import Check, Format, Resolution
from .sentinels import BYTE_ORDER_MARK, clean_name, clean_text
from .tally import Ledger

# One answer being resolved: its sources, its ledger and the reader that writes one format.

FORMATS: tuple[Format, ...] = ("html", "markdown", "text")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller asks of a resolution."""

    sources: tuple[Source, ...]
    format: Format
    required: bool
    allowed_hosts: Iterable[str] = ()
    references: bool = False


class Account:
    """Reads an answer into a sink and keeps the ledger."""

    def __init__(self, asked: Asked, position: Position | None = None, on_block: Callable[[], None] | None = None) -> None:
        if asked.format not in FORMATS:
            raise InvalidRequest("The format is one of html, markdown and text.", code="unknown_format")
        policy = LinkPolicy(asked.allowed_hosts, (s.link for s in asked.sources if s.link))
        self.ledger = Ledger(asked.sources, required=asked.required, shown_as=asked.format, references=asked.references)
        self.sink: HtmlSink | TextSink
        dialect: StretchDialect
        if asked.format == "html":
            dialect = html = HtmlText(policy)
            self.sink = HtmlSink(html, on_block)
        else:
            dialect = MarkdownText(policy) if asked.format == "markdown" else PlainText()
            self.sink = TextSink(markdown=asked.format == "markdown")
        self.options = ScanOptions(policy, asked.references)
        self.ordinary = OrdinaryText(dialect, self.ledger, references=asked.references)
        self.reader = Reader(self.sink, Assembly(dialect, self.ledger), self.options, position)

    def feed(self, text: str, *, final: bool) -> str:
        """Reads `text` and gives what that releases."""
        self._read(text, final=final)
        if final:
            self.sink.close()
            self.ledger.close()
        return self.sink.take()

    def read(self, answer: str) -> str:
        """Reads a whole answer and gives what it shows; its ordinary stretches need no reader."""
        at = 0
        for start, end in self.ordinary.stretches(answer):
            if at < start:
                self._read(answer[at:start], final=False)
            at = start
            if self.reader.rest():
                self.sink.blocks(self.ordinary.text(answer[start:end]))
                at = end
        return self.feed(answer[at:], final=True)

    def _read(self, text: str, *, final: bool) -> None:
        """Vertical tabs and form feeds are blanks to some renderers, so they become such in what is rendered."""
        rendered = text.replace("\x0b", " ").replace("\x0c", " ") if self.sink.words else text
        self.reader.feed(rendered, final=final)

    def check(self) -> Check:
        """The verdict, once the answer is read to its end."""
        ledger = self.ledger
        return Check(
            valid=ledger.valid, problems=tuple(ledger.problems), more_problems=ledger.more, retry_prompt=ledger.prompt
        )

    def resolution(self, answer: str) -> Resolution:
        """The verdict with the resolved `answer`."""
        ledger = self.ledger
        return Resolution(
            valid=ledger.valid,
            answer=answer,
            citations=ledger.citations,
            uncited=ledger.uncited,
            problems=tuple(ledger.problems),
            more_problems=ledger.more,
            retry_prompt=ledger.prompt,
        )


# What a caller gives: sources that are sources, an answer within its limit, hosts and evidence.


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


def check(
    answer: str,
    sources: Sequence[Source] | Evidence,
    *,
    required: bool = True,
    references: bool = False,
    figures: bool = False,
    evidence: Evidence | str | None = None,
) -> Check:
    """Whether `answer` cites `sources` as asked.

    With `references` a marker may also be `[ref_id:k]`, read as `[Evidence k+1]`. `figures` compares the numbers of cited
    sentences with `evidence` (as given here, or the sources' own when they are an `Evidence`); a str is the text of
    `Evidence.text`. Raises InvalidRequest for sources that are no sources and for `figures` without evidence, TooLarge for
    an answer over the limit and for one with citations over theirs.
    """
    asked = Asked(given_sources(sources), "markdown", required, (), references)
    blocks = _blocks(sources, figures, evidence)
    return _read(answer, asked, blocks)[0].check()


def resolve(
    answer: str,
    sources: Sequence[Source] | Evidence,
    *,
    format: Format = "html",  # noqa: A002 - the name of the wire and of the spec
    required: bool = True,
    allowed_hosts: Iterable[str] = (),
    references: bool = False,
    figures: bool = False,
    evidence: Evidence | str | None = None,
) -> Resolution:
    """`answer` with its markers resolved to names and links, safe to show in `format`. Errors as `check`."""
    asked = Asked(given_sources(sources), format, required, tuple(allowed_hosts), references)
    account, shown = _read(answer, asked, _blocks(sources, figures, evidence))
    return account.resolution(shown)


def _read(answer: str, asked: Asked, blocks: dict[int, str] | None) -> tuple[Account, str]:
    within_limit(len(answer))
    answer = clean_text(answer).removeprefix(BYTE_ORDER_MARK)
    account = Account(asked)
    shown = account.read(answer)
    if blocks is not None and account.ledger.checks:
        for problem in unsupported_figures(answer, asked.sources, account.options, blocks):
            account.ledger.note(problem)
    return account, shown


def _blocks(sources: Sequence[Source] | Evidence, figures: bool, evidence: Evidence | str | None) -> dict[int, str] | None:
    """The evidence to compare figures with, by number; None when they are not to be compared.

    A cited number that the evidence does not hold supports nothing, so evidence without any block supports no figure.
    """
    if not figures:
        return None
    if evidence is None and isinstance(sources, Evidence):
        evidence = sources
    if evidence is None:
        raise InvalidRequest("Figures can be checked only with the evidence: give it too.", code="evidence_required")
    text = evidence.text if isinstance(evidence, Evidence) else evidence
    if len(text) > MAX_CHECKED_EVIDENCE_CHARACTERS:
        message = f"The evidence of a check may have at most {MAX_CHECKED_EVIDENCE_CHARACTERS:,} characters."
        raise TooLarge(message, code="evidence_too_long")
    return evidence_blocks(evidence)
