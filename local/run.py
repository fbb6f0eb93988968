"""`python -m local.run`: the app with everything it needs on this machine, over the sample or a workspace.

Over the sample it walks through the main job first; over `--workspace FOLDER` it serves at once.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from pathlib import Path

import aiohttp

from .azurite import AzuriteError
from .demo import Walk
from .stack import Stack, running_stack
from .subprocesses import ROOT, LocalRunError, require_free

WATCH_SECONDS = 1.0
SEARCH_PORT = 5250
"""Where `make index` looks for the search service unless it is told otherwise."""


def say(text: str) -> None:
    """One line for the person at the terminal."""
    print(text, flush=True)


async def run(port: int, once: bool) -> None:
    """Serves the sample and walks through the main job; goes on until Ctrl-C unless `once`.

    Raises LocalRunError or AzuriteError.
    """
    require_free(port)
    async with running_stack(port, say, SEARCH_PORT) as stack:
        async with aiohttp.ClientSession() as session:
            await Walk(stack.app, session, say).whole()
        say("\nThe whole walk worked.")
        if not once:
            say_addresses(stack)
            await _interrupted()


async def serve(port: int, folder: Path) -> None:
    """Serves the app over a workspace until Ctrl-C. Raises LocalRunError or AzuriteError."""
    require_free(port)
    async with running_stack(port, say, SEARCH_PORT, folder) as stack:
        say_addresses(stack)
        await _interrupted()


async def watch(port: int, folder: Path) -> None:
    """Serves a workspace and starts anew when a file of it or of the app changes; mistakes are told and waited out."""
    require_free(port)
    stop = _stop_signal()
    while not stop.is_set():
        seen = file_times(folder)
        try:
            async with running_stack(port, say, SEARCH_PORT, folder) as stack:
                say_addresses(stack)
                await _changed(folder, seen, stop)
        except LocalRunError as error:
            say(str(error))
            await _changed(folder, seen, stop)


def file_times(folder: Path) -> dict[Path, int]:
    """The files of a workspace and of the app with the time of their last change, in nanoseconds."""
    files = [*folder.rglob("*"), *(ROOT / "shared").rglob("*.*"), ROOT / "function_app.py", ROOT / "host.json"]
    times = {}
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            if file.is_file() and file.suffix != ".pyc":
                times[file] = file.stat().st_mtime_ns
    return times


def say_addresses(stack: Stack) -> None:
    """Tells where the parts of a local run are."""
    embedded = stack.search_child is not None
    say(f"search service: {stack.search} ({'embedded' if embedded else 'your own: nothing was loaded into it'})")
    say(f"readiness:      {stack.app}/health/ready")
    say(f"definitions:    {stack.app}/briefing-definitions")
    say(f"Serving at {stack.app} until Ctrl-C.")


async def _changed(folder: Path, seen: dict[Path, int], stop: asyncio.Event) -> None:
    """Returns after a change of a file, or when the run is to stop."""
    while not stop.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), WATCH_SECONDS)
        now = await asyncio.to_thread(file_times, folder)
        changed = sorted(str(file) for file in now.keys() | seen.keys() if now.get(file) != seen.get(file))
        if changed:
            say(f"changed: {changed[0]}; starting anew")
            return


async def _interrupted() -> None:
    await _stop_signal().wait()


def _stop_signal() -> asyncio.Event:
    """An event that Ctrl-C and SIGTERM set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


def main() -> int:
    """The exit code: 0 only if everything worked."""
    parser = argparse.ArgumentParser(prog="python -m local.run", description=__doc__)
    parser.add_argument("--port", type=int, default=7071)
    parser.add_argument("--once", action="store_true", help="end after the walk")
    parser.add_argument("--workspace", type=Path, help="serve this folder instead of the sample, without the walk")
    parser.add_argument("--watch", action="store_true", help="start anew when a file of the workspace or the app changes")
    options = parser.parse_args()
    if options.workspace is None:
        work = run(options.port, options.once)
    else:
        work = (watch if options.watch else serve)(options.port, options.workspace)
    try:
        asyncio.run(work)
    except (LocalRunError, AzuriteError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
