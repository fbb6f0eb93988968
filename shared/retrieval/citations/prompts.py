"""What to tell a model whose answer failed its check: numbers only, never a piece of what it wrote."""

from __future__ import annotations

from collections.abc import Sequence

MAX_NAMED = 8
"""Numbers spelled out in one sentence."""


def retry_prompt(failures: Sequence[str], unknown: Sequence[int], numbers: Sequence[int]) -> str:
    """The sentences for these failures, in a fixed order. `numbers` are those of the sources."""
    sentences = {
        "unknown_number": f"{_markers(sorted(unknown))} {_verb(unknown)} not exist; cite only {_known(numbers)}.",
        "malformed_marker": "Write each citation as [Evidence n] with one whole number, or as [Evidence 1, 2].",
        "ambiguous_number": "A cited number stands for more than one source; cite only numbers that stand for one.",
        "no_citation": "Cite the evidence each point relies on as [Evidence n].",
        "unsupported_figure": "Some figures are not in the evidence cited beside them; use its figures.",
    }
    return " ".join(text for code, text in sentences.items() if code in failures)


def _verb(numbers: Sequence[int]) -> str:
    return "does" if len(numbers) == 1 else "do"


def _markers(numbers: Sequence[int]) -> str:
    named = ", ".join(f"[Evidence {number}]" for number in numbers[:MAX_NAMED])
    return named + (" and others" if len(numbers) > MAX_NAMED else "")


def _known(numbers: Sequence[int]) -> str:
    ordered = sorted(numbers)
    if len(ordered) > 1 and ordered == list(range(ordered[0], ordered[0] + len(ordered))):
        return f"[Evidence {ordered[0]}] to [Evidence {ordered[-1]}]"
    return _markers(ordered)
