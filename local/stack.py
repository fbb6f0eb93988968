"""Everything the app needs on a machine without Azure, started in order and ended together."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from emulators.azure_search.load import LoadError, load_over_http
from shared.retrieval.search.credentials import PLATFORM_MARKS

from .azurite import Azurite, is_installed
from .subprocesses import ROOT, Child, LocalRunError, free_port, is_free
from .workspace import ENDPOINT, Workspace, check_settings, is_app_setting, local_settings, read_workspace

START_SECONDS = 120.0
SHOWN_EVERY = 5_000
SAMPLE = ROOT / "local" / "sample"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Stack:
    """The running parts. `app` is the address of the app, `settings` what it was started with.

    `search_child` is None where the workspace or the environment names a search service of its own.
    """

    app: str
    search: str
    settings: Mapping[str, str]
    azurite: Azurite
    search_child: Child | None
    host_child: Child


@asynccontextmanager
async def running_stack(port: int, say: Say, search_port: int = 0, folder: Path = SAMPLE) -> AsyncIterator[Stack]:
    """Azurite, the embedded search service with a workspace's data, and the app on `port`. Raises LocalRunError.

    `search_port` is a wish: 0, or a port that is taken, becomes a free one.
    """
    workspace = read_workspace(folder)
    async with _scratch() as (logs, children, azurite):
        no_definitions = logs / "no-definitions"
        no_definitions.mkdir()
        own, overridden = workspace.app_settings(os.environ, no_definitions)
        for name in overridden:
            say(f"the environment overrides {name} of the workspace")
        # Storage has an address only once it runs; the check before that takes the emulator's usual one.
        given = next((value for name, value in own.items() if name.lower() == ENDPOINT.lower()), "")
        search = given or f"http://127.0.0.1:{search_port if search_port and is_free(search_port) else free_port()}"
        check_settings(local_settings(search, "UseDevelopmentStorage=true") | own, os.environ)
        say("starting storage (Azurite)" if is_installed() else "installing storage (Azurite) with npm: about a minute")
        await asyncio.to_thread(azurite.start)
        service = None if given else await _start_search(search, workspace, logs, children, say)
        say(f"starting the app on port {port}")
        settings = local_settings(search, azurite.connection_string) | own
        host = ["emulators.functions_host", str(ROOT), "--port", str(port)]
        children.append(Child("app", host, logs / "app.log", _clean_environment() | settings))
        app = f"http://127.0.0.1:{port}/api"
        await _answers(children[-1], f"{app}/health/live")
        yield Stack(app, search, settings, azurite, service, children[-1])


@asynccontextmanager
async def _scratch() -> AsyncIterator[tuple[Path, list[Child], Azurite]]:
    """A folder for logs, and the processes that end with it."""
    children: list[Child] = []
    azurite = Azurite()
    with tempfile.TemporaryDirectory(prefix="app-logs-") as folder:
        try:
            yield Path(folder), children, azurite
        finally:
            for child in reversed(children):
                await asyncio.to_thread(child.stop)
            azurite.stop()


async def _start_search(search: str, workspace: Workspace, logs: Path, children: list[Child], say: Say) -> Child:
    say("starting the embedded search service")
    port = search.rpartition(":")[2]
    children.append(Child("search", ["emulators.azure_search", "--port", port], logs / "search.log"))
    await _answers(children[-1], f"{search}/indexes?api-version=2024-07-01")
    for index in workspace.indexes:
        documents = _tell_progress(index.documents(), index.name, say)
        try:
            await load_over_http(search, dict(index.definition.raw), documents)
        except (LoadError, aiohttp.ClientError) as error:
            file = index.data.name if index.data else f"{index.name}.json"
            raise LocalRunError(f"data/{file}: {str(error).removeprefix(f'{file}, ')}") from None
    return children[-1]


def _tell_progress(documents: Iterator[dict[str, Any]], name: str, say: Say) -> Iterator[dict[str, Any]]:
    """The documents as they are, telling now and then how many went by."""
    count = 0
    for count, document in enumerate(documents, 1):
        yield document
        if count % SHOWN_EVERY == 0:
            say(f"loading {name}: {count:,} documents")
    say(f"loaded {name}: {count:,} documents")


def _clean_environment() -> dict[str, str]:
    """Our environment without settings of some other run of the app, and without the marks of a platform."""
    return {k: v for k, v in os.environ.items() if not is_app_setting(k) and k not in PLATFORM_MARKS}


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
