"""Sends calls to the worker, watches their time, and replaces the worker process when it ends or a call takes too long."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Event, Task
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from .errors import HostError
from .invocations import Ending, Invocation, Outcome
from .workers import EXITED, Loaded, Worker

LOG = logging.getLogger("emulators.functions_host")
EXITS_UNTIL_RECYCLED = 3
# How long the other calls of a process have after one of them reached functionTimeout.
TIMEOUT_GRACE_SECONDS = 10.0
# When the late call counts as failed: the grace and the time in which the real host restarts the process. Measured:
# a message with a limit of 3 s and a wait of 2 s came back 18 s after it was taken.
LATE_FAILS_SECONDS = 12.5


class WorkerSlot:
    """One worker and the calls that run on it."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.running: set[str] = set()
        self.idle = Event()
        self.retired = False

    async def invoke(self, invocation: Invocation) -> Outcome:
        """Runs a call here."""
        self.running.add(invocation.id)
        try:
            return await self.worker.invoke(invocation)
        finally:
            self.running.discard(invocation.id)
            self.idle.set()


class Dispatcher:
    """The one way to a function; `recycle` is called when the worker has exited three times."""

    def __init__(
        self,
        make: Callable[[], Worker],
        limit: timedelta | None,
        recycle: Callable[[], Coroutine[Any, Any, None]],
        restart_seconds: float,
    ) -> None:
        self._make = make
        self._restart_seconds = restart_seconds
        self._limit = limit.total_seconds() if limit else None
        self._recycle = recycle
        self._slot: WorkerSlot | None = None
        self._slots: set[WorkerSlot] = set()
        self._ready = Event()
        self._exits = 0
        self._down = False
        self._tasks: set[Task[object]] = set()

    async def start(self) -> Loaded:
        """Starts a worker and returns the loaded functions; raises `HostError` when it ends three times while importing."""
        for _ in range(EXITS_UNTIL_RECYCLED):
            slot = WorkerSlot(self._make())
            self._slots.add(slot)
            loaded = await slot.worker.start()
            if loaded is not None:
                self._use(slot)
                return loaded
            await slot.worker.kill()
            self._slots.discard(slot)
            LOG.error("The worker process ended while it imported function_app.")
        raise HostError("The worker process ended while it imported function_app, three times: see what it printed.")

    async def invoke(self, invocation: Invocation) -> Outcome:
        """Runs one call; one that comes while the worker is replaced waits for the next."""
        await self._ready.wait()
        slot = self._slot
        if slot is None:
            return EXITED
        call = asyncio.ensure_future(slot.invoke(invocation))
        done, _ = await asyncio.wait([call], timeout=self._limit)
        outcome = await call if done else await self._give_up(slot, invocation, call)
        if outcome.ending is Ending.EXITED and slot is self._slot and not slot.retired:
            # Nothing more may be sent to it; it is being replaced at this moment.
            self._ready.clear()
        if not outcome.succeeded:
            LOG.error(
                "Executed 'Functions.%s' (%s, Id=%s)\n%s",
                invocation.function,
                outcome.ending,
                invocation.id,
                outcome.failure,
            )
        return outcome

    def freeze(self) -> None:
        """Replaces no worker any more."""
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """Ends the worker and every call that still runs."""
        self.freeze()
        self._slot = None
        self._ready.set()
        await asyncio.gather(*(slot.worker.kill() for slot in self._slots))

    @property
    def down(self) -> bool:
        """True when no worker could be started."""
        return self._down

    @property
    def process_id(self) -> int | None:
        """The worker process; None while it is replaced, or when calls run in the host's own process."""
        return getattr(self._slot.worker, "process_id", None) if self._slot else None

    def _use(self, slot: WorkerSlot) -> None:
        self._slot, self._down = slot, False
        self._ready.set()
        self._start_task(self._replace_when_ended(slot))

    async def _replace_when_ended(self, slot: WorkerSlot) -> None:
        await slot.worker.wait_for_end()
        if slot.retired:
            return
        self._ready.clear()
        await slot.worker.kill()
        self._slots.discard(slot)
        self._exits += 1
        LOG.error("The worker process ended (%d of %d).", self._exits, EXITS_UNTIL_RECYCLED)
        if self._exits >= EXITS_UNTIL_RECYCLED:
            self._exits = 0
            await self._recycle()
        else:
            await self.restart()

    async def _give_up(self, slot: WorkerSlot, invocation: Invocation, call: asyncio.Future[Outcome]) -> Outcome:
        """Past functionTimeout: others may end, at most ten seconds, then the process is killed and the call has failed.

        Measured on the real host: the other calls ended in time, the late call never did.
        """
        LOG.error("Timeout value of %s seconds exceeded by function 'Functions.%s'.", self._limit, invocation.function)
        failing = asyncio.create_task(asyncio.sleep(LATE_FAILS_SECONDS))
        await self._retire(slot, invocation.id, asyncio.create_task(asyncio.sleep(TIMEOUT_GRACE_SECONDS)))
        await failing
        call.cancel()
        return Outcome(ending=Ending.TIMED_OUT, failure="The function ran longer than functionTimeout.")

    async def _retire(self, slot: WorkerSlot, late: str, grace: Task[None]) -> None:
        slot.running.discard(late)
        if slot.retired:
            return
        slot.retired = True
        self._ready.clear()
        self._start_task(self.restart())
        while slot.running and not grace.done():
            slot.idle.clear()
            waiting = asyncio.create_task(slot.idle.wait())
            await asyncio.wait([waiting, grace], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        await slot.worker.kill()
        self._slots.discard(slot)

    async def restart(self) -> Loaded:
        """Starts the next worker, however often it takes; until then calls fail at once and no messages are taken."""
        while True:
            try:
                return await self.start()
            except HostError as error:
                LOG.critical("%s Calls fail until it starts; the next try is in %g seconds.", error, self._restart_seconds)
                self._slot, self._down = None, True
                self._ready.set()
                await asyncio.sleep(self._restart_seconds)

    def _start_task(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
