"""Doubles under the seams of briefings: evidence from the sample data, writers that follow a script, faulty storage."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared.answers import Draft, Task, Writer
from shared.briefing.storage import LIST_PAGE, Blob, BlobPage, Blobs, NewBlob
from shared.retrieval import Caller, Evidence, EvidenceSearch, IndexSettings, Source

SAMPLE = Path(__file__).resolve().parents[2] / "local" / "sample"
INDEXES = (
    IndexSettings(name="schools", name_field="name", link_field="url", key_field="urn"),
    IndexSettings(name="inspections", name_field="title", link_field="url", key_field="id"),
    IndexSettings(name="trusts", name_field="name", link_field="url", key_field="trust_id"),
)
KEYS = {index.name: index.key_field or "" for index in INDEXES}
URN = re.compile(r"urn eq '([^']*)'")


def shown(value: Any) -> str:
    """A value as evidence shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).replace("\n", "\n  ")


def evidence_from(documents: Sequence[Mapping[str, Any]], index: str = "schools", name: str = "name") -> Evidence:
    """Numbered evidence of documents, laid out as retrieval does."""
    blocks = tuple(
        "\n".join(f"{key}: {shown(value)}" for key, value in document.items() if value is not None and key != "url")
        for document in documents
    )
    sources = tuple(
        Source(
            number=number,
            name=str(document.get(name, "a document")),
            link=document.get("url"),
            index=index,
            key=document.get(KEYS.get(index, "")),
        )
        for number, document in enumerate(documents, 1)
    )
    headed = [f"--- {index} Evidence {number} ---\n{block}" for number, block in enumerate(blocks, 1)]
    return Evidence(text="\n\n".join(headed), sources=sources, blocks=blocks)


def sample(index: str) -> list[dict[str, Any]]:
    """The sample documents of an index."""
    lines = (SAMPLE / f"data/{index}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


@dataclass
class SampleRetrieval:
    """Finds sample documents by the urn of a filter. `faults` are raised first, one a call."""

    faults: list[BaseException] = field(default_factory=list)
    searches: list[EvidenceSearch] = field(default_factory=list)

    async def evidence_of(
        self, searches: Sequence[EvidenceSearch], *, max_characters: int | None = None, caller: Caller | None = None
    ) -> Evidence:
        """The documents of the first search whose urn is asked for."""
        self.searches += searches
        if self.faults:
            raise self.faults.pop(0)
        search = searches[0]
        wanted = set(URN.findall(search.filter.text if search.filter else ""))
        found = [document for document in sample(search.index) if document.get("urn") in wanted][: search.size]
        names = {"inspections": "title"}
        return evidence_from(found, search.index, names.get(search.index, "name"))


@dataclass
class ScriptedWriter:
    """Gives the texts or raises the errors of its script, in turn; the last one repeats. Keeps the tasks it was given."""

    script: list[str | Draft | BaseException]
    tasks: list[Task] = field(default_factory=list)
    before: Callable[[Task], Any] | None = None

    @property
    def identity(self) -> Writer:
        """Who writes."""
        return Writer("model", "scripted")

    async def write(self, task: Task) -> Draft:
        """The next of the script."""
        self.tasks.append(task)
        if self.before is not None:
            await self.before(task)
        step = self.script[min(len(self.tasks), len(self.script)) - 1]
        if isinstance(step, BaseException):
            raise step
        return step if isinstance(step, Draft) else Draft(step)

    async def stream(self, task: Task) -> AsyncIterator[Draft]:
        """The next of the script, in pieces of three characters."""
        draft = await self.write(task)
        for start in range(0, len(draft.text), 3):
            yield Draft(draft.text[start : start + 3])
        yield Draft("", draft.usage)

    async def close(self) -> None:
        """Nothing to end."""


class Killed(BaseException):
    """The process died here: nothing of it goes on, as no `except Exception` may see it."""


Step = tuple[str, str]
"""The name of a storage call and of the blob or queue it is for."""


@dataclass
class Faults:
    """What shall go wrong: `plan` sees each storage call before and after it and may raise."""

    plan: Callable[[int, str, Step], None] = lambda number, moment, step: None
    steps: list[Step] = field(default_factory=list)

    def before(self, step: Step) -> int:
        """Called before a storage call."""
        self.steps.append(step)
        number = len(self.steps)
        self.plan(number, "before", step)
        return number

    def after(self, number: int) -> None:
        """Called after it."""
        self.plan(number, "after", self.steps[number - 1])


def dies_at(number: int, moment: str) -> Callable[[int, str, Step], None]:
    """A plan by which the process dies before or after one storage call."""

    def plan(at: int, when: str, _: Step) -> None:
        if at == number and when == moment:
            raise Killed

    return plan


@dataclass
class FaultyBlobs:
    """Blobs whose calls go by a plan of faults."""

    inner: Blobs
    faults: Faults

    async def read(self, name: str) -> Blob | None:
        """As the inner one, by the plan."""
        number = self.faults.before(("read", name))
        found = await self.inner.read(name)
        self.faults.after(number)
        return found

    async def create(self, blob: NewBlob) -> str | None:
        """As the inner one, by the plan."""
        number = self.faults.before(("create", blob.name))
        etag = await self.inner.create(blob)
        self.faults.after(number)
        return etag

    async def replace(self, blob: NewBlob, etag: str) -> str | None:
        """As the inner one, by the plan."""
        number = self.faults.before(("replace", blob.name))
        new = await self.inner.replace(blob, etag)
        self.faults.after(number)
        return new

    async def annotate(self, name: str, metadata: Mapping[str, str], etag: str) -> str | None:
        """As the inner one, by the plan."""
        number = self.faults.before(("annotate", name))
        new = await self.inner.annotate(name, metadata, etag)
        self.faults.after(number)
        return new

    async def delete(self, name: str) -> None:
        """As the inner one, by the plan."""
        number = self.faults.before(("delete", name))
        await self.inner.delete(name)
        self.faults.after(number)

    async def list_page(self, prefix: str, *, marker: str | None = None, size: int = LIST_PAGE) -> BlobPage:
        """As the inner one, by the plan."""
        number = self.faults.before(("list", prefix))
        page = await self.inner.list_page(prefix, marker=marker, size=size)
        self.faults.after(number)
        return page

    async def check(self) -> None:
        """As the inner one."""
        await self.inner.check()

    async def close(self) -> None:
        """As the inner one."""
        await self.inner.close()


@dataclass
class FaultyQueue:
    """A queue whose puts go by a plan of faults."""

    inner: Any
    faults: Faults
    name: str = "queue"

    async def put(self, text: str, *, delay_seconds: int = 0) -> None:
        """As the inner one, by the plan."""
        number = self.faults.before(("put", self.name))
        await self.inner.put(text, delay_seconds=delay_seconds)
        self.faults.after(number)

    async def check(self) -> None:
        """As the inner one."""
        await self.inner.check()

    async def close(self) -> None:
        """As the inner one."""
        await self.inner.close()


async def settle() -> None:
    """Lets everything that can go on go on."""
    for _ in range(20):
        await asyncio.sleep(0)
