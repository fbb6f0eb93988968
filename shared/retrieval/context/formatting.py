"""The message text of a provider: prompts around framed results, none of which can forge the frame."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .blank import is_blank
from .options import DEFAULT_CITATIONS_PROMPT, DEFAULT_CONTEXT_PROMPT, ContextOptions
from .results import TextSearchResult

# What a model may take for the frame: its labels in any case, a rule of dashes or their look-alikes.
_SPACE = r"[\s\u200b-\u200f\u2060\ufeff]"
_DASH = r"[-\u00ad\u058a\u2010-\u2015\u2212\u2500\u2501\u23af\u23e4\u2e3a\u2e3b\ufe58\ufe63\uff0d\u30fc]"
_FORGED = re.compile(
    rf"(?P<before>(?:{_SPACE}|[>*_#])*)(?=(?:SourceDocName|SourceDocLink|Contents)\s*[:\uff1a\ufe55\u2236\ua789]"
    rf"|{_DASH}{{3,}}{_SPACE}*$)",
    re.IGNORECASE,
)


def format_context(results: Sequence[TextSearchResult], options: ContextOptions) -> str:
    """The text for the model; a formatter of the options makes all of it, whose None counts as the empty text."""
    if options.context_formatter is not None:
        return options.context_formatter(results if isinstance(results, list) else list(results)) or ""
    prompt = DEFAULT_CONTEXT_PROMPT if options.context_prompt is None else options.context_prompt
    closing = DEFAULT_CITATIONS_PROMPT if options.citations_prompt is None else options.citations_prompt
    return "\n".join((prompt, *(_frame(result) for result in results), closing, "", ""))


def _frame(result: TextSearchResult) -> str:
    lines = []
    if not is_blank(result.source_name):
        lines.append(f"SourceDocName: {_defused(result.source_name)}")
    if not is_blank(result.source_link):
        lines.append(f"SourceDocLink: {_defused(result.source_link)}")
    return "\n".join((*lines, f"Contents: {_defused(result.text)}", "----"))


def _defused(text: str | None) -> str:
    """The text with a backslash where, after its first line, a line would begin to read as part of the frame."""
    first, *others = (text or "").splitlines(keepends=True) or [""]
    return first + "".join(_FORGED.sub(r"\g<before>\\", line, count=1) if _FORGED.match(line) else line for line in others)
