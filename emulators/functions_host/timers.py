"""The timer trigger: runs a function at each time of its schedule, one run at a time."""

from __future__ import annotations

import asyncio
import json
from asyncio import Task
from collections.abc import Sequence
from datetime import UTC, datetime

from .dispatcher import Dispatcher
from .invocations import Invocation, Trace
from .listeners import TimerTrigger
from .schedules import parse_schedule
from .traces import new_parent


class TimerListener:
    """Runs one function by its schedule. A run that fails is logged, and the schedule goes on.

    Nothing is kept over a restart: a run that was missed while the host was away is not made up for, as on the real host
    with `use_monitor=False`, so `past_due` is always False.
    """

    def __init__(self, trigger: TimerTrigger, dispatcher: Dispatcher, *, open_telemetry: bool) -> None:
        self.function = trigger.function
        self._schedule = parse_schedule(trigger.schedule)
        self._run_on_startup = trigger.run_on_startup
        self._dispatcher = dispatcher
        self._open_telemetry = open_telemetry
        self._last: datetime | None = None
        self._stopping = asyncio.Event()
        self._turn = asyncio.Lock()
        self._running = 0
        self._extra: set[Task[None]] = set()
        self._loop = asyncio.create_task(self._run_by_schedule())

    @property
    def running(self) -> int:
        """Runs that have not ended: 1, and more while others wait for it to end."""
        return self._running

    @property
    def stopped(self) -> bool:
        """True when no further run begins."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Begins no further run; the present one goes on."""
        self._stopping.set()

    async def close(self) -> None:
        """Ends the present run."""
        self.stop()
        for task in (self._loop, *self._extra):
            task.cancel()
        await asyncio.gather(self._loop, *self._extra, return_exceptions=True)

    def begin(self) -> None:
        """Runs the function once more, now or when the present run has ended, as `POST /admin/functions/NAME` asks."""
        task = asyncio.create_task(self._run())
        self._extra.add(task)
        task.add_done_callback(self._extra.discard)

    async def _run(self) -> None:
        self._running += 1
        try:
            async with self._turn:
                await self._dispatcher.invoke(self._invocation())
                self._last = datetime.now(UTC)
        finally:
            self._running -= 1

    async def _run_by_schedule(self) -> None:
        if self._run_on_startup:
            await self._run()
        while not await self._stops_before(self._schedule(datetime.now(UTC))):
            await self._run()

    async def _stops_before(self, moment: datetime) -> bool:
        """Waits for the moment; returns True when the host stops earlier."""
        # The loop's clock may run ahead of the wall clock, which would run the same moment twice.
        while (seconds := (moment - datetime.now(UTC)).total_seconds()) > 0:
            try:
                await asyncio.wait_for(self._stopping.wait(), seconds)
            except TimeoutError:
                continue
            return True
        return self.stopped

    def _invocation(self) -> Invocation:
        now = datetime.now(UTC)
        last = self._last or datetime(1, 1, 1, tzinfo=UTC)
        timer = {
            "Schedule": {"AdjustForDST": True},
            "ScheduleStatus": {
                "Last": last.isoformat(),
                "Next": self._schedule(now).isoformat(),
                "LastUpdated": last.isoformat(),
            },
            "IsPastDue": False,
        }
        trace = Trace(parent=new_parent()) if self._open_telemetry else Trace()
        return Invocation(function=self.function, trigger={}, body=json.dumps(timer).encode(), trace=trace)


def start_timers(triggers: Sequence[TimerTrigger], dispatcher: Dispatcher, *, open_telemetry: bool) -> list[TimerListener]:
    """A running listener for each trigger."""
    return [TimerListener(trigger, dispatcher, open_telemetry=open_telemetry) for trigger in triggers]
