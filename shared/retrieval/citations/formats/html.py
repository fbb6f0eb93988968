"""The `html` format: rendered by comrak from inert Markdown, then sanitised by nh3.

While they work a citation is a ticket with its number, so that names never meet a Markdown parser; nh3 sees each name once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from html import escape

import comrak
import nh3

from ...evidence.sources import Source
from ..links import LinkPolicy
from ..sentinels import AMPERSAND, BOUNDARY, EAT, NO_BREAK, NODE_SIGNS, REPLACEMENT, SEAM, TICKET, clean_text, is_crowded
from .assembly import fill
from .markdown import MarkdownText, guarded, inert

# Lists whose items always hold paragraphs: whether a list is tight shows at its end, which a stream cannot wait for.

_BLOCK = r"</?(?:ul|ol|li|p|blockquote|pre|table|h[1-6]|hr)\b"
_TEXT = rf"((?:[^<\n]++|(?!{_BLOCK})<|\n(?!{_BLOCK}|\Z))++)\n?+"
_AT_START = re.compile(f"<li>{_TEXT}")
_BLOCK_END = r"(?:(?<=</h[1-6]>\n)|(?<=</[uo]l>\n)|(?<=</pre>\n)|(?<=<hr>\n)|(?<=</table>\n)|(?<=</blockquote>\n))"
_AFTER_BLOCK = re.compile(rf">\n(?!{_BLOCK}|\Z){_BLOCK_END}{_TEXT}")


def loosen(html: str) -> str:
    """Sanitised HTML with the bare text of list items put in paragraphs, laid out as comrak lays out loose lists.

    Only in the items of tight lists text stands in no paragraph: at the start of an item, or after a block in it.
    """
    if "<li>" not in html:
        return html
    loose = _AT_START.sub(lambda item: f"<li>\n<p>{item[1]}</p>\n", html)
    return _AFTER_BLOCK.sub(lambda text: f">\n<p>{text[1]}</p>\n", loose)


_BLOCK_TAGS = "p hr pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td"
TAGS = frozenset(f"{_BLOCK_TAGS} br em strong del code a".split())
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}}
_REL = "noopener noreferrer"
_TAG_OR_AMPERSAND = re.compile("<[^<>]*+>|&amp;")
_BLOCK_EDGE = re.compile(r"\n(?:[ ]{0,3}[-+*][ ]|[ ]*[\r\n])")
"""Where a block ends for certain."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NUMBERED = re.compile(r"\\.|&#(?:[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<decimal>[0-9]{1,7}));", re.DOTALL)
MOST_AMPERSANDS = 1_000
"""More of them than an answer has that is not made to cost time."""
_TICKET = re.compile(f"\u27e6{TICKET}(\\d+){TICKET}\u27e7")
_TARGETLESS = re.compile(f'<a rel="{_REL}">(.*?)</a>', re.DOTALL)


def _fit_entity(match: re.Match[str]) -> str:
    """An entity by number, if what it stands for may come in: the library decodes it."""
    number = int(match["hex"], 16) if match["hex"] else int(match["decimal"] or 0)
    return REPLACEMENT if number <= sys.maxunicode and clean_text(chr(number)) != chr(number) else match[0]


def _without_nodes(text: str) -> str:
    """The text with those signs, escaped ones too, as characters that mean nothing."""
    plain = _ESCAPE.sub(lambda escape: NODE_SIGNS.get(escape[1], escape[0]), text)
    for sign, held in NODE_SIGNS.items():
        plain = plain.replace(sign, held)
    return plain


def _hold_ampersand(match: re.Match[str]) -> str:
    return AMPERSAND if match.group() == "&amp;" else match.group()


class HtmlText(MarkdownText):
    """A dialect that writes Markdown for comrak and renders it."""

    def __init__(self, policy: LinkPolicy) -> None:
        super().__init__(policy)
        self._sources: dict[str, Source] = {}
        self._cited: dict[str, str] = {}
        self._crowded = False
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
        """A ticket for each citation; its brackets are punctuation to CommonMark, as those of the marker were."""
        self._sources.update((str(source.number), source) for source in sources)
        return ", ".join(f"\u27e6{TICKET}{source.number}{TICKET}\u27e7" for source in sources)

    def takes(self, ordinary: str) -> bool:
        """Not when one block may be crowded."""
        return not is_crowded(ordinary) or not any(map(is_crowded, _BLOCK_EDGE.split(ordinary)))

    def leaves(self, ordinary: str) -> bool:
        """It leaves all text to the renderer."""
        return True

    def finish(self, text: str, inserts: Iterable[str], *, starts_line: bool) -> str:
        """Inert Markdown; a seam stays a character until it is rendered, so that nothing joins across it."""
        shown = guarded(inert(text.replace(EAT, SEAM)))
        if "&#" in shown:
            shown = _NUMBERED.sub(_fit_entity, shown)
        if is_crowded(shown):
            self._crowded = True
            shown = _without_nodes(shown)
        return fill(shown, inserts)

    def render(self, markdown: str) -> str:
        """The HTML of whole blocks with their tickets. Nothing may show it before it was `sanitised`."""
        return comrak.render_markdown(markdown, extension_options=self._extensions)

    def sanitised(self, blocks: Sequence[str]) -> list[str]:
        """Rendered blocks with nothing but what may come out, and their citations, which were sanitised like them."""
        new = [number for number in self._sources if number not in self._cited]
        if new:
            self._cited.update(zip(new, self._clean([_citation(self._sources[number]) for number in new]), strict=True))
        return [self._finished(block) for block in self._clean(blocks)]

    def _finished(self, block: str) -> str:
        shown = loosen(block)
        if self._crowded:
            for sign, held in NODE_SIGNS.items():
                shown = shown.replace(held, sign)
        if SEAM in shown:
            shown = shown.replace(SEAM, "").replace("<p></p>\n", "")
        parts = _TICKET.split(shown)
        parts[1::2] = map(self._cited.__getitem__, parts[1::2])
        return "".join(parts)

    def _clean(self, pieces: Sequence[str]) -> list[str]:
        """What nh3 leaves of the pieces, all in one go."""
        html = BOUNDARY.join(pieces)
        # nh3 takes the square of the time for no-break blanks, and writes each as an entity; for `&amp;` it does so too.
        many = html.count("&") > MOST_AMPERSANDS
        held_out = _TAG_OR_AMPERSAND.sub(_hold_ampersand, html) if many else html
        cleaned = self._cleaner.clean(held_out.replace("\u00a0", NO_BREAK)).replace(NO_BREAK, "\u00a0")
        return _TARGETLESS.sub(r"\1", cleaned.replace(AMPERSAND, "&amp;") if many else cleaned).split(BOUNDARY)


def _citation(source: Source) -> str:
    name = escape(source.name, quote=True)
    return f'<a href="{escape(source.link, quote=True)}">{name}</a>' if source.link else f"[{name}]"
