"""Child processes that end with their parent: the search service and the host of a local run."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STOP_SECONDS = 12.0
"""The host gives what runs ten seconds to end, as the real one does."""
_PR_SET_PDEATHSIG = 1


class LocalRunError(Exception):
    """A local run cannot go on; the text is one line that says what to do."""


def free_port() -> int:
    """A port on loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_free(port: int) -> bool:
    """Whether nobody listens on `port` of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def require_free(port: int) -> None:
    """Raises LocalRunError when somebody listens on `port` already."""
    if not is_free(port):
        raise LocalRunError(
            f"Port {port} is in use, perhaps by another `make run`: stop that one, or choose another with PORT=…."
        )


class Child:
    """`python -m MODULE …` in the project's folder, with its output in a file and its end tied to ours."""

    def __init__(self, name: str, arguments: list[str], output: Path, environ: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.output = output
        with output.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                env=dict(environ) if environ is not None else None,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    def last_line(self) -> str:
        """What it said last, for the line that explains why it ended."""
        lines = [line for line in self.output.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"

    def stop(self) -> None:
        """Asks it to end, and ends it when it does not."""
        if self.ended:
            return
        self._process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        if not self.ended:
            self._process.kill()
            self._process.wait()


def _end_with_parent() -> None:
    """Linux ends the child when its parent dies, also when that is killed; Ctrl-C is left to the parent."""
    os.setpgrp()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
