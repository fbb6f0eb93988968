"""Which links may come out: those of sources, and a model's own to allowed hosts or to a source's link."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from ..evidence.links import normalised_link
from .sentinels import ANCHOR, CODE, EAT, ENTITY, GUARD, PLACES, SEAM, SEAMS

MAX_LINK_CHARACTERS = 4_096
"""A longer address is no citation's link: a marker of a dozen characters must not buy pages of output."""


def normal_link(text: str | None) -> str | None:
    """The normal form of an http(s) address, None for anything else."""
    return normalised_link(text) if text is not None and len(text) <= MAX_LINK_CHARACTERS else None


def host_of(link: str) -> str:
    """The host of a normal link, without its port."""
    authority = link.split("/", 3)[2]
    host, colon, port = authority.rpartition(":")
    return host if colon and port.isdigit() else authority


class LinkPolicy:
    """Which links of a model's own may stay: those to allowed hosts and those that equal a given source's link."""

    def __init__(self, allowed_hosts: Iterable[str], source_links: Iterable[str]) -> None:
        self._hosts = frozenset(host.strip().lower() for host in allowed_hosts)
        self._links = frozenset(source_links)

    def link(self, address: str) -> str | None:
        """The normal form of `address` if it may stay a link, else None."""
        link = normal_link(address)
        return link if link is not None and (link in self._links or host_of(link) in self._hosts) else None

    def allows_host(self, host: str) -> bool:
        """Whether addresses of this host may stay as they are."""
        return host.lower() in self._hosts

    def permits(self, link: str) -> bool:
        """Whether a link may come out as the target of an anchor."""
        return link in self._links or self.link(link) == link


# Bare addresses: what a renderer would make a link of by itself, found in a word as the renderer reads it.
#
# Two renderers that do so were measured: GitHub's autolink extension and linkify-it. Both look at decoded text, so a word is
# decoded (escapes, entities, and seams where something was taken out) before it is searched. Better one word too many in a
# code span than one live link.

_PLACE = re.compile(f"[{PLACES}]")
_BREAK = re.compile(rf"[\s{PLACES}{GUARD}]")
_WORD = re.compile(rf"[^\s{PLACES}{GUARD}]++")
_COMMON_BREAKS = (" ", "\n", ANCHOR, CODE)
_SIGNS = ("@", "&", "\\", "//", SEAM, EAT)
_PATTERNS = (re.compile(r"\.(?:[^\W\d_]|(?<=[wW]{3}\.))"), re.compile(":(?<=[oplOPL]:)"))
_HINTS = (*(re.compile(re.escape(sign)) for sign in _SIGNS), *_PATTERNS)
"""Every address holds one, the last of them those that begin with `mailto:`, `xmpp:` or `tel:`; searched for one by one,
since a search for one sign is many times faster than a search for any of several."""
_ENDS = ("", " ", "\t", "\n", "\r")
_ALIKE = re.compile(r"(?:https?://)?[A-Za-z0-9./?#=&%@_\-]+", re.IGNORECASE)
"""An address in which no renderer finds another one."""
_SENTENCE_ENDS = ("", ".", ",", ";", "!", "?")
_PIECE = re.compile(
    rf"\\([!-/:-@\[-`{{-~])|({ENTITY})|([{SEAMS}]++)|(.)",
    re.DOTALL,
)
_SPLIT = re.compile(rf"\\[!-/:-@\[-`{{-~]|{ENTITY}|[{SEAMS}]++")
_LABEL = r"(?:[^\W_]|[-$+=~^|\u00a1-\u1fff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2070-\u2fff\u3040-\U0010ffff])"
_LISTED = (
    "com|org|net|edu|gov|int|mil|info|biz|name|pro|web|xxx|aero|asia|coop|museum|shop|app|dev|cloud|online|site|store|tech|xyz|club|"
    "top|link|page|blog|news|live|world|today|email|zip|mov"
)
_LOCAL = r"[\w.!\"#$%&'*+/=?^`{|}~\-]"
_ADDRESS = re.compile(
    rf"(?<![\w+.\-])[\w+.\-]++://[^\s<]*+"
    rf"|(?<![^\W_])(?<![:/])//(?:localhost|\[|[^\s/<]*?\.)[^\s<]*+"
    rf"|(?<![A-Za-z0-9])(?:mailto|xmpp|tel):[^\s<]++"
    rf"|(?<![^\W_])www\.[^\s<]*+"
    rf"|(?<!{_LOCAL}){_LOCAL}++@[^\s<@]*\.[^\s<]*+"
    rf"|(?<!{_LABEL})(?<!\.)\.*+(?:{_LABEL}++\.++)+(?:[a-z]{{2}}|{_LISTED}|рф|xn--[a-z0-9\-]++)(?![^\W_]|-)"
    rf"(?:(?:[:/?#]|{_LOCAL}{{0,64}}+@)[^\s<]*+)?+",
    re.IGNORECASE,
)
_BETWEEN_BRACKETS = re.compile(r"(?P<bracket>[\[\]])|[^\[\]]++")
_TRAILING = "?!.,:;*_~'\"()[]{}<>"
_LEADING = re.compile(r"[_*~\"]*+")
_PLAIN = re.compile(
    r"(?:https?://)?(?P<host>[A-Za-z0-9.\-]++)(?::\d{1,5})?(?:[/?#][A-Za-z0-9._~:/?#!$&'()*+,;=%\-]*+)?", re.IGNORECASE
)
_PLAIN_EMAIL = re.compile(r"[A-Za-z0-9._+\-]++@(?P<host>[A-Za-z0-9.\-]++)")


class _Decoded(NamedTuple):
    text: str
    starts: list[int]
    plain: bool


def may_hold_address(text: str) -> bool:
    """Whether anything in `text` could be part of a bare address."""
    return any(sign in text for sign in _SIGNS) or any(pattern.search(text) for pattern in _PATTERNS)


def hide_addresses(text: str, inserts: Iterable[str], policy: LinkPolicy) -> tuple[str, list[str]]:
    """`text` (Markdown with places for its `inserts`) with each bare address of a host not allowed as a code span more."""
    following = iter(inserts)
    shown: list[str] = []
    parts: list[str] = []
    position = 0
    for at in sorted(found.start() for hint in _HINTS for found in hint.finditer(text)):
        if at < position:
            continue
        start = _word_start(text, position, at)
        word = _WORD.match(text, start)
        if word is None:
            continue
        shown += islice(following, len(_PLACE.findall(text, position, start)))
        exact = text[word.end() : word.end() + 1] in _ENDS
        parts += (text[position:start], _hidden(word.group(), policy, shown, exact=exact))
        position = word.end()
    return "".join((*parts, text[position:])), [*shown, *following]


def _word_start(text: str, low: int, at: int) -> int:
    """Where the word around `at` starts, which is not before `low`."""
    start = max(low, *(text.rfind(sign, low, at) + 1 for sign in _COMMON_BREAKS))
    for other in _BREAK.finditer(text, start, at):
        start = other.end()
    return start


def _hidden(word: str, policy: LinkPolicy, shown: list[str], *, exact: bool) -> str:
    """The word with CODE for each address; `shown` gets what is to be put in. `exact`: every renderer ends the word here."""
    decoded = _decode(word)
    parts: list[str] = []
    position = 0
    for start, end in _addresses(word, decoded):
        address = decoded.text[start:end]
        stays = decoded.plain and _stays(address, policy)
        named = "@" in address and "://" not in address
        alike = _ALIKE.fullmatch(address) and not (named and "." in address.partition("@")[0])
        if stays and exact and alike and word[end:] in _SENTENCE_ENDS:
            continue
        before = word[position : decoded.starts[start]]
        parts += (before, "\\" * _is_odd(before))
        # Brackets stay what they are to the rest of the text.
        for piece in _BETWEEN_BRACKETS.finditer(decoded.text, start, end):
            if piece["bracket"]:
                parts.append(word[decoded.starts[piece.start()] : decoded.starts[piece.end()]])
                continue
            parts.append(CODE)
            whole = piece.span() == (start, end)
            linked = stays and whole and (named or "://" in address)
            shown.append(f"<{address}>" if linked else code_span(piece.group()))
        position = decoded.starts[end]
    return "".join((*parts, word[position:]))


def _addresses(word: str, decoded: _Decoded) -> list[tuple[int, int]]:
    """Where addresses stand in the decoded word. The whole word is one when it ends at an escape, as markdown-it has it, and
    when what it leaves of the word would be one on its own."""
    text = decoded.text
    spans = [_trimmed(text, found.start(), found.end()) for found in _ADDRESS.finditer(text)]
    spans = [(start, end) for start, end in spans if start < end]
    edges = (0, *(edge for span in spans for edge in span), len(text))
    left = [text[edges[at] : edges[at + 1]] for at in range(0, len(edges), 2)]
    pieces = left if decoded.plain else [*left, *_SPLIT.split(word)]
    return [_trimmed(text, 0, len(text))] if any(map(_ADDRESS.search, pieces)) else spans


def _is_odd(before: str) -> bool:
    """Whether a backslash that escapes nothing stands at the end."""
    bare = before.rstrip(SEAMS)
    return (len(bare) - len(bare.rstrip("\\"))) % 2 == 1


def _decode(word: str) -> _Decoded:
    """The word as a reader sees it, with where each of its characters starts in the source."""
    if not re.search(rf"[\\&{SEAMS}]", word):
        return _Decoded(word, list(range(len(word) + 1)), True)
    pieces: list[str] = []
    starts: list[int] = []
    for piece in _PIECE.finditer(word):
        shown = piece[1] or (html.unescape(piece[2]) if piece[2] else piece[4] or "")
        pieces.append(shown)
        starts += [piece.start()] * len(shown)
    return _Decoded("".join(pieces), [*starts, len(word)], False)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    leading = _LEADING.match(text, start, end)
    return leading.end() if leading else start, start + len(text[start:end].rstrip(_TRAILING))


def _stays(address: str, policy: LinkPolicy) -> bool:
    """Whether an address may be linked by a renderer: wholly plain, and its host allowed or its link a source's."""
    email = _PLAIN_EMAIL.fullmatch(address)
    if email:
        return policy.allows_host(email["host"])
    plain = _PLAIN.fullmatch(address)
    if plain is None:
        return False
    return policy.allows_host(plain["host"]) or ("://" in address and policy.link(address) is not None)


def code_span(text: str) -> str:
    """An address as a Markdown code span. A `|` would cut it in two in a table, a backtick would end it."""
    return f"`{text.replace('|', '%7C').replace('`', '%60')}`"
