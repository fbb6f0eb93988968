"""The extractive writer: gives what the evidence says about the prompt, word for word, and cites it. No network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from shared.retrieval.concurrency import LONG_ANSWER_CHARACTERS, run_in_thread_if

from .literal import escape_markdown
from .segments import Segment, segments_of, segments_of_sections
from .selection import Selection, select
from .writer import Draft, Task, Writer

MAX_LINES_OF_A_SECTION = 15


class ExtractiveWriter:
    """Deterministic: the same task gives the same text. It has no second try, since its markers are always right."""

    @property
    def identity(self) -> Writer:
        """Who writes."""
        return Writer("extractive")

    async def write(self, task: Task) -> Draft:
        """The lines or sentences that answer the prompt, each with its marker; without any the prompt is not answered."""
        return await run_in_thread_if(len(task.text) > LONG_ANSWER_CHARACTERS, lambda: extract(task))

    async def stream(self, task: Task) -> AsyncIterator[Draft]:
        """The same text, line by line."""
        draft = await self.write(task)
        lines = draft.text.splitlines(keepends=True) or [""]
        for place, line in enumerate(lines, 1):
            yield Draft(line, answered=draft.answered, not_told=draft.not_told if place == len(lines) else ())

    async def close(self) -> None:
        """Has nothing to end."""


def extract(task: Task) -> Draft:
    """The text of an answer, as Markdown that shows the evidence literally."""
    if task.material is None:
        things = " ".join(source.index or "" for source in task.evidence.sources)
        found = select(task.prompt, segments_of(task.evidence), things)
    else:
        found = _select_from_each(task.prompt, segments_of_sections(task.material))
    lines = [_cited(segment, task.required) for segment in found.segments]
    text = lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
    return Draft(text, answered=bool(lines), not_told=found.not_told if lines else ())


def _cited(segment: Segment, required: bool) -> str:
    """The text with its marker; a line of a checked section keeps the markers that it has."""
    if segment.number is None:
        return segment.text
    text = escape_markdown(segment.text)
    return f"{text} [Evidence {segment.number}]" if required else text


def _select_from_each(prompt: str, segments: Sequence[Segment]) -> Selection:
    """The lines of checked sections that answer the prompt: something of each section, in their order."""
    picked: list[Segment] = []
    for part in dict.fromkeys(segment.part for segment in segments):
        section = [segment for segment in segments if segment.part == part]
        found = select(prompt, section).segments
        picked += found[:MAX_LINES_OF_A_SECTION] or section[:1]
    return Selection(tuple(picked))
