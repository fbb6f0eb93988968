"""Bare addresses: what a renderer would make a link of by itself, found in a word as the renderer reads it.

Two renderers that do so were measured: GitHub's autolink extension and linkify-it. Both look at decoded text, so a word is
decoded (escapes, entities, and seams where something was taken out) before it is searched. Better one word too many in a
code span than one live link.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from .links import LinkPolicy
from .signs import ANCHOR, CLOSE, CODE, SEAMS

_WORD = re.compile(rf"[^\s|{ANCHOR}{CLOSE}{CODE}]++")
_HINT = re.compile(r"[@&\\]|//|www\.|\.[^\W\d_]|(?:mailto|xmpp|tel):", re.IGNORECASE)
_PIECE = re.compile(
    rf"\\([!-/:-@\[-`{{-~])|(&(?:#\d{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)|([{SEAMS}]++)|(.)",
    re.DOTALL,
)
_LABEL = r"[\w\-\u00a1-\u1fff\u2070-\u2fff\u3040-\U0010ffff]"
_LISTED = (
    "com|org|net|edu|gov|int|mil|info|biz|name|pro|web|xxx|aero|asia|coop|museum|shop|app|dev|cloud|online|site|store|tech|xyz|club|"
    "top|link|page|blog|news|live|world|today|email|zip|mov"
)
_ADDRESS = re.compile(
    rf"(?<![\w+.\-])[\w+.\-]++://[^\s|]++"
    rf"|(?<![\w:/])//(?:localhost|[^\s|/]*?\.)[^\s|]++"
    rf"|(?<![^\W_])(?:mailto|xmpp|tel):[^\s|]++"
    rf"|(?<![^\W_])www\.[^\s|]*+"
    rf"|(?<![\w.!#$%&'+/=?^`{{}}\-])[\w.!#$%&'+/=?^`{{}}\-]++@{_LABEL}++(?:\.{_LABEL}*+)++[^\s|]*+"
    rf"|(?<!{_LABEL})(?:{_LABEL}++\.)+(?:[a-z]{{2}}|{_LISTED}|рф|xn--[a-z0-9\-]++)(?!{_LABEL})(?:[:/?#@][^\s|]*+)?+",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"[?!.,:;*_~'\"()\[\]{}<>]*+\Z")
_LEADING = re.compile(r"[_*~]*+")
_PLAIN = re.compile(
    r"(?:https?://)?(?P<host>[A-Za-z0-9.\-]++)(?::\d{1,5})?(?:[/?#][A-Za-z0-9._~:/?#!$&'()*+,;=%\-]*+)?", re.IGNORECASE
)
_PLAIN_EMAIL = re.compile(r"[A-Za-z0-9._+\-]++@(?P<host>[A-Za-z0-9.\-]++)")


class _Decoded(NamedTuple):
    text: str
    starts: list[int]
    plain: bool


def hide_addresses(text: str, policy: LinkPolicy) -> str:
    """`text` (Markdown with placeholders) with each bare address of a host not allowed as a code span."""
    if not _HINT.search(text):
        return text
    return _WORD.sub(lambda word: _hidden(word.group(), policy), text)


def _hidden(word: str, policy: LinkPolicy) -> str:
    if not _HINT.search(word):
        return word
    decoded = _decode(word)
    parts: list[str] = []
    position = 0
    for found in _ADDRESS.finditer(decoded.text):
        start, end = _trimmed(decoded.text, found.start(), found.end())
        if end <= start or (decoded.plain and _stays(decoded.text[start:end], policy)):
            continue
        parts += (word[position : decoded.starts[start]], code_span(decoded.text[start:end]))
        position = decoded.starts[end]
    return "".join((*parts, word[position:]))


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
    trailing = _TRAILING.search(text, start, end)
    return leading.end() if leading else start, trailing.start() if trailing else end


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
    """`text` as a Markdown code span, whatever backticks it holds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    marks = "`" * (longest + 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{gap}{text}{gap}{marks}"
