"""Runs Azurite, the storage emulator from npm, as a child process: blobs and queues for local runs and tests.

    with Azurite() as azurite:                    # free ports, everything in memory
        azurite.connection_string                 # for clients and for `BriefingStorage`

    python -m local.azurite --blob-port 10000 --queue-port 10001   # until Ctrl-C

The child ends with its parent, however the parent ends.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

ROOT = Path(__file__).resolve().parent.parent
ENTRY = Path("node_modules/azurite/dist/src/azurite.js")
ACCOUNT = "devstoreaccount1"
# The published development key that every Azurite and every SDK knows; it protects nothing.
ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
OLDEST_NODE = 20
SERVICES = ("blob", "queue", "table")
START_SECONDS = 30.0
STOP_SECONDS = 5.0
# Standard input stays open as long as the parent lives: its end tells the child that it is alone.
ENDS_WITH_PARENT = 'data:text/javascript,process.stdin.resume();process.stdin.on("end",()=>process.exit(0))'
LISTENING = re.compile(r"Azurite (\w+) service is successfully listening at http://[^:]+:(\d+)")


class AzuriteError(Exception):
    """Azurite cannot run; the text is one line that says what to do."""


@dataclass(frozen=True)
class Ports:
    """Where the services listen; 0 stands for any free port."""

    blob: int = 0
    queue: int = 0
    table: int = 0


class Azurite:
    """One Azurite process; keeps its ports over a restart, and its data when it was given a folder."""

    def __init__(
        self, ports: Ports | None = None, folder: Path | None = None, *, root: Path = ROOT, patience: float = START_SECONDS
    ) -> None:
        self.ports = ports or Ports()
        self._patience = patience
        self._folder = folder
        self._root = root
        self._process: subprocess.Popen[bytes] | None = None
        self._output: IO[bytes] | None = None

    @property
    def blob_url(self) -> str:
        """The address of the blob service, account included, without a slash at the end."""
        return f"http://127.0.0.1:{self.ports.blob}/{ACCOUNT}"

    @property
    def queue_url(self) -> str:
        """The address of the queue service, account included, without a slash at the end."""
        return f"http://127.0.0.1:{self.ports.queue}/{ACCOUNT}"

    @property
    def connection_string(self) -> str:
        """What storage clients and `connection` settings of triggers take."""
        return (
            f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={ACCOUNT_KEY};"
            f"BlobEndpoint={self.blob_url};QueueEndpoint={self.queue_url};"
        )

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> Self:
        """Starts the process and returns when it listens; raises `AzuriteError`."""
        node = _find_node()
        _install(self._root)
        # Read until the process ends, so no context of this method could close it.
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        # A group of its own: Ctrl-C in the terminal is for the parent, which may still need the storage.
        self._process = subprocess.Popen(
            self._command(node),
            cwd=self._root,
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            self.ports = _wait_for_ports(self._process, self._output, self._patience)
        except BaseException:
            self.kill()
            raise
        return self

    def stop(self) -> None:
        """Ends the process; data in memory is gone, data in a folder stays. Harmless when it does not run."""
        if self._process is not None and self._output is not None and self._folder is not None:
            self._process.terminate()
            _wait_until_saved(self._process, self._output)
        # Clients that keep their connections open would keep it alive for as long as they like.
        self.kill()

    def kill(self) -> None:
        """Ends the process at once, as a crash would."""
        if self._process is not None and self._process.stdin is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
        if self._output is not None:
            self._output.close()
        self._process = self._output = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _command(self, node: str) -> list[str]:
        storage = ["--location", str(self._folder)] if self._folder else ["--inMemoryPersistence"]
        ports = ["--blobPort", self.ports.blob, "--queuePort", self.ports.queue, "--tablePort", self.ports.table]
        # The SDKs speak newer API versions than a given Azurite knows; the operations used here exist in all of them.
        options = ["--silent", "--skipApiVersionCheck", "--disableProductStyleUrl"]
        return [node, "--import", ENDS_WITH_PARENT, str(ENTRY), *storage, *map(str, ports), *options]


def is_installed(root: Path = ROOT) -> bool:
    """Whether npm has installed Azurite already."""
    return (root / ENTRY).exists()


def _find_node() -> str:
    node = shutil.which("node")
    if node is None:
        raise AzuriteError(
            f"Node.js is missing: local storage (Azurite) needs Node.js {OLDEST_NODE} or newer with npm on the PATH; "
            "install it and try again."
        )
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    match = re.match(r"v(\d+)\.", version)
    if match is None or int(match[1]) < OLDEST_NODE:
        raise AzuriteError(
            f"Node.js {version or 'of an unreadable version'} is too old: local storage (Azurite) needs Node.js "
            f"{OLDEST_NODE} or newer; install it and try again."
        )
    return node


def _install(root: Path) -> None:
    """Installs what package-lock.json pins, once; several test processes may ask at the same time."""
    if is_installed(root):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise AzuriteError("npm is missing: local storage (Azurite) is installed with it; install npm and try again.")
    with (root / "package-lock.json").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / ENTRY).exists():
            done = subprocess.run([npm, "ci", "--no-fund", "--no-audit"], cwd=root, capture_output=True, check=False)
            if done.returncode != 0:
                raise AzuriteError("`npm ci` failed, so Azurite is not installed: run it in this folder to see why.")


def _wait_for_ports(process: subprocess.Popen[bytes], output: IO[bytes], patience: float) -> Ports:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        ended = process.poll() is not None
        text = _read_all(output)
        ports = {name.lower(): int(port) for name, port in LISTENING.findall(text)}
        if len(ports) == len(SERVICES):
            return Ports(**ports)
        if ended:
            raise AzuriteError(_why_it_ended(text))
        time.sleep(0.05)
    raise AzuriteError(
        f"Azurite did not listen within {patience:.0f} seconds: see whether the machine is busy and try again."
    )


def _wait_until_saved(process: subprocess.Popen[bytes], output: IO[bytes]) -> None:
    """Each service writes its part of the folder before it says that it is closed."""
    deadline = time.monotonic() + STOP_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if _read_all(output).count("successfully closed") == len(SERVICES):
            return
        time.sleep(0.05)


def _read_all(output: IO[bytes]) -> str:
    return os.pread(output.fileno(), 65536, 0).decode(errors="replace")


def _why_it_ended(text: str) -> str:
    busy = re.search(r"EADDRINUSE[^\n]*?:(\d+)\b", text)
    if busy:
        return f"Port {busy[1]} is in use, so Azurite cannot start: stop what listens there or choose another port."
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "it said nothing")
    return f"Azurite ended while starting: {last.strip()[:200]}"


def main(arguments: list[str] | None = None) -> int:
    """Runs Azurite until Ctrl-C; gives the exit code, 1 after one line on what hinders it."""
    parser = argparse.ArgumentParser(
        prog="python -m local.azurite", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--blob-port", type=int, default=10000)
    parser.add_argument("--queue-port", type=int, default=10001)
    parser.add_argument("--folder", type=Path, default=None, help="keep the data here; without it all is in memory")
    options = parser.parse_args(arguments)
    azurite = Azurite(Ports(options.blob_port, options.queue_port), options.folder)
    try:
        with azurite:
            print(f"Azurite: blobs at {azurite.blob_url}, queues at {azurite.queue_url}", flush=True)
            while azurite.running:
                time.sleep(0.5)
    except KeyboardInterrupt:
        return 0
    except AzuriteError as error:
        print(error, file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
