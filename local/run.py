"""`python -m local.run`: the app with everything it needs on this machine, a walk through its main job, then serving."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

import aiohttp

from .azurite import AzuriteError
from .demo import Walk
from .stack import running_stack
from .subprocesses import LocalRunError, require_free

SEARCH_PORT = 5250
"""Where `make index` looks for the search service unless it is told otherwise."""


def say(text: str) -> None:
    """One line for the person at the terminal."""
    print(text, flush=True)


async def run(port: int, once: bool) -> None:
    """Starts everything, walks, serves until Ctrl-C unless `once`. Raises LocalRunError or AzuriteError."""
    require_free(port)
    async with running_stack(port, say, SEARCH_PORT) as stack:
        async with aiohttp.ClientSession() as session:
            await Walk(stack.app, session, say).whole()
        say("\nThe whole walk worked.")
        if not once:
            say(f"The search service is at {stack.search}; `make index DATA=… INDEX=… URL={stack.search}` loads more.")
            say(f"Serving at {stack.app} until Ctrl-C.")
            await _interrupted()


async def _interrupted() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()


def main() -> int:
    """The exit code: 0 only if everything worked."""
    parser = argparse.ArgumentParser(prog="python -m local.run", description=__doc__)
    parser.add_argument("--port", type=int, default=7071)
    parser.add_argument("--once", action="store_true", help="end after the walk")
    options = parser.parse_args()
    try:
        asyncio.run(run(options.port, options.once))
    except (LocalRunError, AzuriteError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
