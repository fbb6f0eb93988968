"""One answer being resolved: its sources, its ledger and the reader that writes one format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..errors import InvalidRequest
from ..evidence.sources import Source
from .formats.assembly import Assembly
from .formats.html import HtmlText
from .formats.markdown import MarkdownText
from .formats.output import HtmlSink, TextSink
from .formats.text import PlainText
from .links import LinkPolicy
from .markdown.fast_path import OrdinaryText, StretchDialect
from .markdown.inlines import ScanOptions
from .markdown.reader import Position, Reader
from .results import Check, Format, Resolution
from .tally import Ledger

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
