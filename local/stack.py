"""Everything the app needs on a machine without Azure, started in order and ended together."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from emulators.azure_search.load import LoadError, load_over_http, read_documents, read_index

from .azurite import Azurite
from .sample_settings import app_settings
from .subprocesses import ROOT, Child, LocalRunError, free_port, is_free

START_SECONDS = 120.0
SAMPLE = ROOT / "local" / "sample"
SAMPLE_INDEXES = ("schools", "inspections", "trusts")


@dataclass(frozen=True, slots=True)
class Stack:
    """The running parts. `app` is the address of the app, `settings` what it was started with."""

    app: str
    search: str
    settings: Mapping[str, str]
    azurite: Azurite
    search_child: Child
    host_child: Child


@asynccontextmanager
async def running_stack(port: int, say: Callable[[str], None], search_port: int = 0) -> AsyncIterator[Stack]:
    """Azurite, the embedded search service with the sample data, and the app on `port`. Raises LocalRunError.

    `search_port` is a wish: 0, or a port that is taken, becomes a free one.
    """
    children: list[Child] = []
    with tempfile.TemporaryDirectory(prefix="app-logs-") as folder:
        logs = Path(folder)
        azurite = Azurite()
        try:
            say("starting storage (Azurite)")
            await asyncio.to_thread(azurite.start)
            say("starting the embedded search service and loading the sample data")
            where = search_port if search_port and is_free(search_port) else free_port()
            search = f"http://127.0.0.1:{where}"
            children.append(Child("search", ["emulators.azure_search", "--port", str(where)], logs / "search.log"))
            await _answers(children[-1], f"{search}/indexes?api-version=2024-07-01")
            await _load_sample(search)
            say(f"starting the app on port {port}")
            settings = app_settings(search, azurite.connection_string) | _own_settings()
            environ = {**_clean_environment(), **settings}
            host = ["emulators.functions_host", str(ROOT), "--port", str(port)]
            children.append(Child("app", host, logs / "app.log", environ))
            app = f"http://127.0.0.1:{port}/api"
            await _answers(children[-1], f"{app}/health/live")
            yield Stack(app, search, settings, azurite, *children)
        finally:
            for child in reversed(children):
                await asyncio.to_thread(child.stop)
            azurite.stop()


async def _load_sample(search: str) -> None:
    for name in SAMPLE_INDEXES:
        definition = read_index(SAMPLE / f"{name}-index.json")
        try:
            await load_over_http(search, definition, read_documents(SAMPLE / f"{name}.jsonl"))
        except (LoadError, aiohttp.ClientError) as error:
            raise LocalRunError(f"The sample data of {name} could not be loaded: {error}") from None


def _own_settings() -> dict[str, str]:
    """Settings of the app that the person running it has set: they win over those of the sample."""
    return {name: value for name, value in os.environ.items() if name.lower().startswith("aiagents__")}


def _clean_environment() -> dict[str, str]:
    """Our environment without settings of some other run of the app."""
    return {k: v for k, v in os.environ.items() if not k.lower().startswith(("aiagents__", "briefingstorage"))}


async def _answers(child: Child, address: str) -> None:
    """Waits until `address` answers with 200."""
    deadline = asyncio.get_running_loop().time() + START_SECONDS
    async with aiohttp.ClientSession() as session:
        while asyncio.get_running_loop().time() < deadline:
            if child.ended:
                raise LocalRunError(f"The {child.name} process ended while starting: {child.last_line()}")
            try:
                async with session.get(address) as reply:
                    if reply.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.1)
    raise LocalRunError(f"The {child.name} process did not answer within {START_SECONDS:.0f} seconds: {child.last_line()}")
