"""Where calls run: in a worker process, as on Azure, or in the host's own process, which is quicker for tests."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from asyncio import Future, StreamReader, StreamWriter, Task
from asyncio.subprocess import Process
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .functions import Function
from .invocations import Ending, Invocation, Outcome, read_frame, write_frame
from .worker import App

ROOT = Path(__file__).resolve().parent.parent.parent
# The project is on the path only while this is imported, and its name is forgotten: the app must find its own modules.
PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import emulators.functions_host.worker.process as process
sys.path.remove(sys.argv[1])
del sys.modules["emulators"]
process.run(Path(sys.argv[2]), int(sys.argv[3]))
"""
EXIT_SECONDS = 2.0
EXITED = Outcome(ending=Ending.EXITED, failure="The worker process ended while the function ran.")


@dataclass(frozen=True)
class Loaded:
    """The functions of an app, or the failure of its import."""

    functions: Sequence[Function] = ()
    failure: str = ""


class Worker(Protocol):
    """Runs the calls of an app."""

    async def start(self) -> Loaded | None:
        """Loads the app; None when the process ended before it could say anything."""

    def invoke(self, invocation: Invocation) -> Awaitable[Outcome]:
        """Runs one call."""

    async def wait_for_end(self) -> None:
        """Returns when the worker is gone by itself."""

    async def kill(self) -> None:
        """Ends it at once, and with it every call."""


class InProcessWorker:
    """Runs the functions in the host's own event loop; a call that exits takes the host along."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._calls: set[Task[Outcome]] = set()

    async def start(self) -> Loaded:
        """The functions of the app it was given."""
        return Loaded(self._app.functions)

    async def invoke(self, invocation: Invocation) -> Outcome:
        """Runs one call beside the host's own work."""
        call = asyncio.create_task(self._app.run(invocation))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        await asyncio.wait([call])
        return EXITED if call.cancelled() else call.result()

    async def wait_for_end(self) -> None:
        """Never returns."""
        await asyncio.Event().wait()

    async def kill(self) -> None:
        """Cancels the calls; those on threads end by themselves."""
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)


class ProcessWorker:
    """A process that holds the app of a folder, at the other end of a socket."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._process: Process | None = None
        self._reader: StreamReader | None = None
        self._writer: StreamWriter | None = None
        self._receiving: Task[None] | None = None
        self._calls: dict[str, Future[Outcome]] = {}

    @property
    def process_id(self) -> int | None:
        """The process, for those who want to kill it."""
        return self._process.pid if self._process else None

    async def start(self) -> Loaded | None:
        """Starts the process and waits until it has imported the app."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", PROGRAM, str(ROOT), str(self._folder), str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                cwd=self._folder,
                env=dict(self._environment),
                stdin=asyncio.subprocess.PIPE,
            )
        self._reader, self._writer = await asyncio.open_connection(sock=ours)
        frame = await read_frame(self._reader)
        if frame is None:
            return None
        self._receiving = asyncio.create_task(self._receive(self._reader))
        return Loaded([Function.from_json(value) for value in frame.head["functions"]], frame.head.get("failure", ""))

    async def invoke(self, invocation: Invocation) -> Outcome:
        """Sends a call and waits for its outcome; `EXITED` when the process ends first."""
        if self._writer is None or self._receiving is None or self._receiving.done():
            return EXITED
        call = self._calls[invocation.id] = asyncio.get_running_loop().create_future()
        try:
            write_frame(self._writer, invocation.to_frame())
            with contextlib.suppress(ConnectionError):
                await self._writer.drain()
            outcome: Outcome = await call
            return outcome
        finally:
            self._calls.pop(invocation.id, None)

    async def wait_for_end(self) -> None:
        """Returns when the process can no longer be reached, which is when it has ended."""
        if self._receiving is not None:
            await asyncio.wait([self._receiving])

    async def kill(self) -> None:
        """Kills the process; harmless when it is gone."""
        if self._process is not None:
            # One that has gone by itself is waited for: a signal now would take its exit code from asyncio.
            gone = self._receiving is not None and self._receiving.done()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), EXIT_SECONDS if gone else 0)
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()
            await self.wait_for_end()
        if self._writer is not None:
            self._writer.close()

    async def _receive(self, reader: StreamReader) -> None:
        while frame := await read_frame(reader):
            call = self._calls.get(frame.head["id"])
            if call is not None and not call.done():
                call.set_result(Outcome.from_frame(frame))
        if self._writer is not None:
            self._writer.close()
        for call in self._calls.values():
            if not call.done():
                call.set_result(EXITED)
