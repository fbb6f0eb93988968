"""The extractive writer: picks what the evidence says about the prompt, word for word, and cites it. No network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from shared.briefing.picking import pick, pick_from_each

from .segments import units_of, units_of_sections
from .writer import Draft, Task, Writer

# Beyond this the work can take longer than the loop should stand still.
IN_THREAD_CHARACTERS = 20_000


class ExtractiveWriter:
    """Deterministic: the same task gives the same text. It has no second try, since its markers are always right."""

    @property
    def identity(self) -> Writer:
        """Who writes."""
        return Writer("extractive")

    async def write(self, task: Task) -> Draft:
        """The lines or sentences that answer the prompt, each with its marker."""
        if len(task.text) > IN_THREAD_CHARACTERS:
            return Draft(await asyncio.to_thread(extract, task))
        return Draft(extract(task))

    async def stream(self, task: Task) -> AsyncIterator[Draft]:
        """The same text, line by line."""
        draft = await self.write(task)
        for line in draft.text.splitlines(keepends=True):
            yield Draft(line)

    async def close(self) -> None:
        """Has nothing to end."""


def extract(task: Task) -> str:
    """The text of an answer; empty when the evidence has no line."""
    if task.material is None:
        things = " ".join(source.index or "" for source in task.evidence.sources)
        units = pick(task.prompt, units_of(task.evidence), things)
    else:
        units = pick_from_each(task.prompt, units_of_sections(task.material))
    lines = [unit.cited(task.required) for unit in units]
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
