"""The `html` format: rendered by comrak from inert Markdown, citations put in, then sanitised by nh3.

While comrak works a citation is a ticket, so that names never meet a Markdown parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

import comrak
import nh3

from ..sources import Source
from .links import LinkPolicy
from .loose_lists import loosen
from .markdown_text import MarkdownText, inert
from .signs import AMPERSAND, ANCHOR, CLOSE, CODE, EAT, NO_BREAK, SEAM, TICKET

_BLOCK_TAGS = "p hr pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td"
TAGS = frozenset(f"{_BLOCK_TAGS} br em strong del code a".split())
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}}
_REL = "noopener noreferrer"
_INSERT = re.compile(f"[{ANCHOR}{CLOSE}{CODE}]")
_TAG_OR_AMPERSAND = re.compile("<[^<>]*+>|&amp;")
MOST_AMPERSANDS = 1_000
"""More of them than an answer has that is not made to cost time."""
_TICKET = re.compile(f"\u27e6{TICKET}(\\d+){TICKET}\u27e7")
_TARGETLESS = re.compile(f'<a rel="{_REL}">(.*?)</a>', re.DOTALL)


def _hold_ampersand(match: re.Match[str]) -> str:
    return AMPERSAND if match.group() == "&amp;" else match.group()


class HtmlText(MarkdownText):
    """A dialect that writes Markdown for comrak and renders it."""

    def __init__(self, policy: LinkPolicy) -> None:
        super().__init__(policy)
        self._tickets: list[str] = []
        self._extensions = comrak.ExtensionOptions()
        self._extensions.table = True
        self._extensions.strikethrough = True
        self._cleaner = nh3.Cleaner(
            tags=set(TAGS),
            attributes=_ATTRIBUTES,
            attribute_filter=lambda tag, name, value: None if name == "href" and not policy.permits(value) else value,
            url_schemes={"http", "https"},
            link_rel=_REL,
        )

    def cite(self, sources: Sequence[Source]) -> str:
        """A ticket for the citations; its brackets are punctuation to CommonMark, as those of the marker were."""
        self._tickets.append(", ".join(_citation(s) for s in sources))
        return f"\u27e6{TICKET}{len(self._tickets) - 1}{TICKET}\u27e7"

    def finish(self, text: str, inserts: Iterable[str], *, starts_line: bool) -> str:
        """Inert Markdown; a seam stays a character until it is rendered, so that nothing joins across it."""
        following = iter(inserts)
        return _INSERT.sub(lambda _: next(following), inert(text.replace(EAT, SEAM)))

    def render(self, markdown: str) -> str:
        """The HTML of a whole block with its citations put in. Nothing may show it before it was `sanitised`."""
        rendered = loosen(comrak.render_markdown(markdown, extension_options=self._extensions)).replace(SEAM, "")
        cited = _TICKET.sub(lambda ticket: self._tickets[int(ticket[1])], rendered)
        self._tickets.clear()
        return cited

    def sanitised(self, blocks: Sequence[str]) -> list[str]:
        """Rendered blocks with nothing but what may come out; sanitised in one go."""
        cited = TICKET.join(blocks)
        # nh3 takes the square of the time for no-break blanks, and writes each as an entity; for `&amp;` it does so too.
        held_out = _TAG_OR_AMPERSAND.sub(_hold_ampersand, cited) if cited.count("&amp;") > MOST_AMPERSANDS else cited
        cleaned = self._cleaner.clean(held_out.replace("\u00a0", NO_BREAK))
        cleaned = cleaned.replace(NO_BREAK, "\u00a0").replace(AMPERSAND, "&amp;")
        return _TARGETLESS.sub(r"\1", cleaned).replace("<p></p>\n", "").split(TICKET)


def _citation(source: Source) -> str:
    name = escape(source.name, quote=True)
    return f'<a href="{escape(source.link, quote=True)}">{name}</a>' if source.link else f"[{name}]"
