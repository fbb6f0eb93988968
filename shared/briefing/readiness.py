"""Whether briefings could be run now: each part by name, none of them with a secret."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from shared.retrieval import RetrievalError

from .access import Access
from .definitions import Definitions
from .errors import InternalFault
from .storage import Storage

SECONDS = 4.0
"""For each part: all of readiness answers within five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyCheck:
    """One part of readiness. `problems` are empty when it is well; `code` names the first one.

    `warnings` tell of definitions that cannot be run on the configured indexes: an app need not offer all of them.
    """

    name: str
    problems: tuple[str, ...] = ()
    code: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it is well."""
        return not self.problems


async def check_parts(storage: Storage, definitions: Definitions, access: Access) -> tuple[ReadyCheck, ...]:
    """The checks of blobs, queues and definitions, side by side. Never raises."""
    blobs = _reach("blobs", storage.blobs.check)
    queues = [
        _reach(name, queue.check)
        for name, queue in zip(("queue", "poison_queue", "done_queue"), storage.queues, strict=False)
    ]
    reached = await asyncio.gather(blobs, *queues)
    return (*reached, _check_definitions(definitions, access))


async def _reach(name: str, check: Callable[[], Awaitable[None]]) -> ReadyCheck:
    try:
        async with asyncio.timeout(SECONDS):
            await check()
    except RetrievalError as error:
        return ReadyCheck(name=name, problems=(error.message,), code=error.code)
    except TimeoutError:
        return ReadyCheck(name=name, problems=("did not answer in time",), code="storage_unavailable")
    except Exception:  # readiness names what is wrong, it never fails itself
        return ReadyCheck(name=name, problems=("failed for a reason that is not known",), code=InternalFault.code)
    return ReadyCheck(name=name)


def _check_definitions(definitions: Definitions, access: Access) -> ReadyCheck:
    problems = tuple(f"{problem.path}: {problem.message}" for problem in definitions.problems)
    warnings: list[str] = []
    for definition in definitions.items:
        for index in definition.indexes:
            try:
                access.require_runnable((index,))
            except RetrievalError as error:
                warnings.append(f"The briefing {definition.name} cannot be run: {error.message}")
    code = "not_configured" if problems else None
    return ReadyCheck(name="briefing_definitions", problems=problems, code=code, warnings=tuple(warnings))
