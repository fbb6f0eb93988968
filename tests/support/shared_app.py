"""One running app for all processes of a test run: the first that needs it starts it, and stops it when no other uses it."""

from __future__ import annotations

import asyncio
import fcntl
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from local.stack import running_stack
from local.subprocesses import free_port

# Longer than the rest of a run; a process that was killed leaves its use behind.
LONGEST_WAIT = 300.0


@contextmanager
def running_app() -> Iterator[str]:
    """The address of the app over the sample data, as `make run` starts it.

    Its parts are processes of their own, so tests in any event loop can call it.
    """
    with asyncio.Runner() as runner:
        stack = running_stack(free_port(), lambda _: None)
        running = runner.run(stack.__aenter__())
        try:
            yield running.app
        finally:
            runner.run(stack.__aexit__(None, None, None))


@contextmanager
def shared_app(folder: Path) -> Iterator[str]:
    """The same app for every process that gives the same folder, which must be of one test run."""
    users = Users(folder)
    with ExitStack() as own:
        with users.locked():
            address, count = users.read()
            if not address:
                address = own.enter_context(running_app())
                own.callback(users.wait_for_none)
            users.write(address, count + 1)
        own.callback(users.leave)
        yield address


class Users:
    """The address of the app and the number of processes that use it, in a file."""

    def __init__(self, folder: Path) -> None:
        self._state = folder / "shared-app.json"
        self._lock = folder / "shared-app.lock"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps the other processes out."""
        with self._lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def read(self) -> tuple[str, int]:
        """The address, empty when the app does not run, and the number of users."""
        try:
            address, count = json.loads(self._state.read_text())
        except FileNotFoundError:
            return "", 0
        return str(address), int(count)

    def write(self, address: str, count: int) -> None:
        """The opposite of `read`."""
        self._state.write_text(json.dumps([address, count]))

    def leave(self) -> None:
        """Counts one user less."""
        with self.locked():
            address, count = self.read()
            self.write(address, count - 1)

    def wait_for_none(self) -> None:
        """Returns when no process uses the app any more, at most after five minutes; later users start their own."""
        deadline = time.monotonic() + LONGEST_WAIT
        while True:
            with self.locked():
                if self.read()[1] == 0 or time.monotonic() > deadline:
                    self._state.unlink(missing_ok=True)
                    return
            time.sleep(0.2)
