"""The `markdown` format, and the Markdown that the `html` format is rendered from.

What is no code, no citation and no allowed link is made inert where it stands: no `](`, no `<` of a tag, no definition, no
footnote, no stray backtick and no bare address is left, whatever block a renderer takes it for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...evidence.sources import Source
from ..links import LinkPolicy, hide_addresses, may_hold_address
from ..sentinels import ANCHOR, CLOSE, CODE, GUARD, SEAMS
from .assembly import put_in

_SEAM_RUN = f"[{SEAMS}]"
_SEAM = re.compile(_SEAM_RUN)
_LIVE = re.compile(
    r"(?P<pair>\\[!-/:-@\[-`{-~])"
    rf"|(?P<slash>\\(?={_SEAM_RUN}*+[{ANCHOR}{CODE}{CLOSE}]|{_SEAM_RUN}++[!-/:-@\[-`{{-~]))"
    r"|(?P<tick>`)"
    rf"|(?P<bang>!(?={_SEAM_RUN}*+{ANCHOR}))"
    rf"|(?P<target>\]{_SEAM_RUN}*+(?=\()|\]{_SEAM_RUN}++(?=:))"
    rf"|(?P<foot>\[(?={_SEAM_RUN}*+[\^!])|\^(?={_SEAM_RUN}*+[\[{ANCHOR}]))"
    r"|(?P<tag><(?![\s\d=]|\Z))"
    rf"|(?P<entity>&(?=[#\w]*+{_SEAM_RUN}))"
    rf"|(?P<emptied>{'|'.join(rf'(?<!{mark}){mark}++{_SEAM_RUN}++{mark}++' for mark in (r'[*]', '_', '~'))})"
    rf"|(?P<run>[-=*_~+#]){_SEAM_RUN}++(?=(?P=run))"
)
_MAY_LIVE = re.compile(rf"[\\`!\[\]^<&{SEAMS}]")
_REPLACED = {"slash": r"\\", "tick": r"\`", "bang": r"\!", "tag": "&lt;", "entity": "&amp;"}
_LINE_START = re.compile(
    rf"(?P<before>(?:\A|(?<=[\r\n]))[ \t>]*+[0-9]*+){_SEAM_RUN}++(?P<blanks>[ \t{SEAMS}]*+)"
    rf"(?P<sign>[-#>+*=_~|:]|[0-9]{{1,9}}[.)]|[.)]|(?=[\r\n{CODE}]))?"
)
_TERM = re.compile(
    rf"((?:\A|(?<=[\r\n]))[ \t>{SEAMS}]*+)([:~](?={_SEAM_RUN}*+(?:\s|\Z))|\#(?=\#{{0,5}}{_SEAM_RUN}*+[^\S \t\r\n]))"
)
"""To comrak the details of a description list; and a heading to those to whom every blank is one."""
_SIGNS_ONLY = re.compile(
    rf"(?<![^\s>])(?:(?P<signs>[-+*_=#|:~{SEAMS}]++)|(?P<number>[0-9{SEAMS}]{{1,20}}+)(?P<delimiter>[.)]){_SEAM_RUN}*+)(?!\S)"
)
_FILLER = "\u00a0"
"""Left on a line that became empty, and before code that could become a fence: it keeps the paragraph, and with it the
blocks around it, what they were."""
_MARK = re.compile("[*_~]")
_BACKSLASHED = r"\\\g<0>"
_NAME_SIGNS = re.compile(r"[\\`*_\[\]~|]")
_ENTITY = re.compile(r"&(?=[#A-Za-z])")
_WHOLE_ENTITY = re.compile(r"&(?=(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*+);)")
_IDLE_GUARD = re.compile(f"{GUARD}(?={_SEAM_RUN}*+{CODE})")
_TOUCHING_CODE = re.compile(f"{CODE}(?:{_SEAM_RUN})*+(?={CODE})")


class MarkdownText:
    """A dialect whose only live parts are citations, links that may stay, and code."""

    def __init__(self, policy: LinkPolicy) -> None:
        self._policy = policy
        self._citations: dict[int, str] = {}

    def cite(self, sources: Sequence[Source]) -> str:
        r"""`[name](<link>)`, or `\[name\]` for a source without a link."""
        return ", ".join(self._citations.get(s.number) or self._citation(s) for s in sources)

    def _citation(self, source: Source) -> str:
        name = put_in(*hide_addresses(self.literal(source.name), (), self._policy))
        shown = self._citations[source.number] = f"[{name}](<{_target(source.link)}>)" if source.link else rf"\[{name}\]"
        return shown

    def literal(self, text: str) -> str:
        """The text with every sign of inline Markdown escaped."""
        return _ENTITY.sub("&amp;", _NAME_SIGNS.sub(_BACKSLASHED, text)).replace("<", "&lt;")

    def address(self, link: str) -> str:
        """The address in angle brackets."""
        return f"<{link}>"

    def opening(self, link: str) -> str:
        """The bracket before the text of a link."""
        return "["

    def closing(self, link: str) -> str:
        """The bracket after it and the target."""
        return f"](<{_target(link)}>)"

    def takes(self, ordinary: str) -> bool:
        """Its blocks are all alike."""
        return True

    def leaves(self, ordinary: str) -> bool:
        """It leaves what can hold no bare address."""
        return not may_hold_address(ordinary)

    def finish(self, text: str, inserts: Iterable[str], *, starts_line: bool) -> str:
        """Inert Markdown around the inserts; code spans that came to touch are kept apart by a blank."""
        if _SEAM.search(text):
            text = _SIGNS_ONLY.sub(_guard_signs, text)
            text = _LINE_START.sub(lambda m: _guard_line(m, starts_line), text)
        text = _TERM.sub(lambda m: m[0] if m.start() == 0 and not starts_line else f"{m[1]}\\{m[2]}", text)
        shown, complete = hide_addresses(inert(text), inserts, self._policy)
        shown = guarded(shown)
        return put_in(_TOUCHING_CODE.sub(f"{CODE} ", shown) if len(complete) > 1 else shown, complete)


def _target(link: str) -> str:
    """The link as a renderer, which decodes entities in it, reads it back."""
    return _WHOLE_ENTITY.sub("&amp;", link)


def guarded(text: str) -> str:
    """`text` with what would make a definition of it escaped, but where a bare address took it in: those come first."""
    return _IDLE_GUARD.sub("", text).replace(GUARD, "\\")


def inert(text: str) -> str:
    """`text` with everything escaped that could become a construct."""
    return _LIVE.sub(_escaped, text) if _MAY_LIVE.search(text) else text


def _escaped(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "pair":
        return "&lt;" if match.group() == r"\<" else match.group()
    if kind == "emptied":
        return _MARK.sub(_BACKSLASHED, match.group())
    if kind == "target":
        return match.group() + "\\"
    if kind == "run":
        return match["run"] + "\\"
    return "\\" + match.group() if kind == "foot" else _REPLACED[kind]


def _guard_signs(match: re.Match[str]) -> str:
    """Keeps a word of signs alone from becoming a list, a rule or a table's row by what was taken out of it."""
    bare = _SEAM.sub("", match.group())
    if not bare or bare == match.group():
        return match.group()
    if match["signs"]:
        return f"\\{bare[0]}{_MARK.sub(_BACKSLASHED, bare[1:])}"
    return f"{bare[:-1]}\\{bare[-1]}" if bare[:-1] else match.group()


def _guard_line(match: re.Match[str], starts_line: bool) -> str:
    """Keeps a line that begins with something taken out from becoming a heading, a list, code or a fence by that."""
    if match.start() == 0 and not starts_line:
        return match.group()
    if match["sign"] == "" and not match["before"].strip(" \t>"):
        return match["before"] + _FILLER
    sign = match["sign"] or ""
    numbered = match["before"][-1:].isdigit()
    # Blanks at the start of an item would move its margin.
    blanks = " " if numbered and _SEAM.sub("", match["blanks"]) else ""
    opens = bool(sign) and (sign[-1] in ".)" and not blanks if numbered else sign not in ".)")
    return match["before"] + blanks + (f"{sign[:-1]}\\{sign[-1]}" if opens else sign)
