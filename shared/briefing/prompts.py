"""What a model is told: the fenced evidence, the prompt, and what was wrong with a first try."""

from __future__ import annotations

from collections.abc import Mapping

from shared.answers.writer import Task
from shared.retrieval import fence

CITE = "Cite the evidence each point relies on as plain text [Evidence n], never as a link."
KEEP_MARKERS = (
    "The data are sections that were checked. Keep the markers [Evidence n] of each statement that you take over, as plain "
    "text, never as a link, and add no statement of your own."
)


def messages_of(task: Task) -> list[Mapping[str, str]]:
    """The messages of one call. Evidence stands in a fence of its own, apart from the prompt (spec 4.5)."""
    messages = [_said("user", fence(task.text)), _said("user", _prompt(task))]
    if task.rejected is not None:
        messages += [_said("assistant", task.rejected.text), _said("user", task.rejected.retry_prompt)]
    return messages


def _prompt(task: Task) -> str:
    """Without required citations none is asked for (spec 5)."""
    if not task.required:
        return task.prompt
    return f"{task.prompt}\n\n{CITE if task.material is None else KEEP_MARKERS}"


def _said(role: str, content: str) -> Mapping[str, str]:
    return {"role": role, "content": content}
