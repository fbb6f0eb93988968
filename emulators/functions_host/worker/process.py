"""The worker process: loads the app of a folder, runs the calls that the host sends, ends when the host is gone."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path

from ..invocations import Frame, Invocation, read_frame, write_frame
from .app import App

HOST_GONE = 3
NOISY = ("azure", "aiohttp.access", "httpx", "asyncio")


def run(folder: Path, descriptor: int) -> None:
    """Serves the socket `descriptor` until the host closes it."""
    # Ctrl-C reaches the whole group of the terminal: the host decides how long calls may go on.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_host, daemon=True).start()
    _set_up_logging()
    asyncio.run(_serve(folder, socket.socket(fileno=descriptor)))


def _end_with_the_host() -> None:
    """Standard input is open as long as the host lives; a function that blocks the event loop must not outlive it."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(HOST_GONE)


def _set_up_logging() -> None:
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="[%(asctime)s] %(name)s: %(message)s", datefmt="%H:%M:%S"
    )
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)


async def _serve(folder: Path, channel: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=channel)
    try:
        app = App.load(folder)
    except BaseException:
        # An import may raise anything, also SystemExit; the real host then runs with no functions.
        write_frame(writer, Frame({"kind": "loaded", "functions": [], "failure": traceback.format_exc()}))
        await reader.read()
        os._exit(HOST_GONE)
    write_frame(writer, Frame({"kind": "loaded", "functions": [function.to_json() for function in app.functions]}))
    calls: set[asyncio.Task[None]] = set()
    while frame := await read_frame(reader):
        call = asyncio.create_task(_run(app, Invocation.from_frame(frame), writer))
        calls.add(call)
        call.add_done_callback(calls.discard)
    # The host is gone, so nobody waits for the calls that still run: end them, as the death of both would.
    os._exit(HOST_GONE)


async def _run(app: App, invocation: Invocation, writer: asyncio.StreamWriter) -> None:
    outcome = await app.run(invocation)
    write_frame(writer, outcome.to_frame(invocation.id))
    await writer.drain()
