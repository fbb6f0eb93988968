"""The development host as a process of its own, to be stopped and killed: `with HostProcess(folder) as host: …`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
STOP_SECONDS = 30.0


class HostProcess:
    """Runs `python -m emulators.functions_host`; its standard output is in `lines`, its standard error in `complaints`."""

    def __init__(self, folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self._command = [sys.executable, "-m", "emulators.functions_host", str(folder), "--port", "0", *arguments]
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[str] | None = None
        self._readers: list[threading.Thread] = []
        self.lines: list[str] = []
        self.complaints: list[str] = []

    @property
    def process(self) -> subprocess.Popen[str]:
        """The process; it must have been started."""
        assert self._process is not None
        return self._process

    @property
    def url(self) -> str:
        """Where it listens."""
        return next(line for line in self.lines if line.startswith("Host: ")).rpartition(" ")[2]

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2])

    @property
    def worker_process_id(self) -> int:
        """The worker process, to be killed alone."""
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])

    def start(self) -> Self:
        """Returns when the host listens; raises `AssertionError` with its output when it does not."""
        self.lines.clear()
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._readers = [
            threading.Thread(target=_collect, args=(self._process.stdout, self.lines), daemon=True),
            threading.Thread(target=_collect, args=(self._process.stderr, self.complaints), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        deadline = time.monotonic() + START_SECONDS
        while not any(line.startswith("Host: ") for line in self.lines):
            assert self._process.poll() is None, "".join(self.complaints)
            assert time.monotonic() < deadline, "the host did not listen in time"
            time.sleep(0.02)
        return self

    def stop(self) -> float:
        """Sends SIGTERM; gives the seconds until the host had ended."""
        began = time.monotonic()
        self.process.terminate()
        self._wait()
        return time.monotonic() - began

    def kill(self) -> None:
        """Kills the host as a crash of the machine would; its worker goes with it."""
        self.process.kill()
        self._wait()

    def _wait(self) -> None:
        self.process.wait(STOP_SECONDS)
        for reader in self._readers:
            reader.join(STOP_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self._wait()


def _collect(stream: IO[str] | None, lines: list[str]) -> None:
    lines.extend(line.rstrip("\n") for line in stream or ())
