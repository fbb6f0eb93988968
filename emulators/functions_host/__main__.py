"""`python -m emulators.functions_host FOLDER --port N`: runs a Python v2 app as the Azure Functions host would."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

from .errors import HostError
from .keys import Keys
from .options import GRACE_SECONDS, TAKEN_SECONDS, HostOptions
from .principals import read_principals
from .server import HostServer

# Libraries that log each request at the level of the host's own lines.
NOISY = ("azure", "mcp")


def main(arguments: list[str] | None = None) -> int:
    """Serves until SIGINT or SIGTERM; gives the exit code, 1 after one line that names the obstacle."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="[%(asctime)s] %(message)s", datefmt="%H:%M:%S")
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        asyncio.run(_serve(given.folder, _options(given)))
    except HostError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m emulators.functions_host", description=__doc__)
    parser.add_argument("folder", type=Path, help="holds host.json and function_app.py")
    parser.add_argument("--port", type=int, default=7071, help="0 takes a free one")
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument(
        "--taken-visibility", type=float, default=TAKEN_SECONDS, metavar="SECONDS", help="of a message that is taken"
    )
    parser.add_argument(
        "--grace", type=float, default=GRACE_SECONDS, metavar="SECONDS", help="for running functions at the end"
    )
    for name in ("function", "host", "master", "mcp"):
        parser.add_argument(f"--{name}-key", default="", help="without any key every route is open")
    parser.add_argument("--principals", type=Path, default=None, help="JSON file: App Service authentication in front")
    return parser


def _options(given: argparse.Namespace) -> HostOptions:
    keys = Keys(function=given.function_key, host=given.host_key, master=given.master_key, mcp=given.mcp_key)
    return HostOptions(
        port=given.port,
        address=given.address,
        keys=keys,
        taken_visibility=given.taken_visibility,
        grace=given.grace,
        authentication=read_principals(given.principals) if given.principals else None,
    )


async def _serve(folder: Path, options: HostOptions) -> None:
    if not folder.is_dir():
        raise HostError(f"The folder {folder} does not exist: give the folder of a Python v2 app.")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _stop_or_leave, stop)
    async with HostServer(folder, options) as host:
        _tell(host)
        await stop.wait()
        print("Stopping: running functions have a moment to end.", file=sys.stderr, flush=True)


def _stop_or_leave(stop: asyncio.Event) -> None:
    """The first signal stops, with the grace; the second leaves at once, and the worker goes with its host."""
    if stop.is_set():
        os._exit(1)
    stop.set()


def _tell(host: HostServer) -> None:
    for line in host.describe():
        print(line, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
