"""A headless Chromium that loads pages and tells what they did: requests, dialogs of scripts, anchors and live elements."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

CHROMIUM = shutil.which("chromium")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --remote-debugging-port=0 about:blank"
)
_LISTENING = re.compile(rb"DevTools listening on (ws://\S+)")
_LOOK = """(() => {
  for (const element of document.querySelectorAll('*'))
    for (const kind of ['mouseover', 'focus', 'toggle', 'error', 'load'])
      element.dispatchEvent(new Event(kind, {bubbles: true}));
  const live = 'script,img,image,iframe,object,embed,link:not([rel=icon]),style,form,video,audio,svg,math,base,source';
  return {
    anchors: [...document.querySelectorAll('a')].map(a => a.getAttribute('href')),
    live: [...document.querySelectorAll(live)].map(e => e.outerHTML.slice(0, 80)),
    handlers: [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length,
    text: document.body.innerText.length,
  };
})()"""


@dataclass(slots=True)
class Seen:
    """What a page did and holds."""

    requests: list[str] = field(default_factory=list)
    dialogs: int = 0
    anchors: list[str | None] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    handlers: int = 0
    text: int = 0


class Browser:
    """A running Chromium, spoken to over its debugging protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._sent = 0

    async def load(self, page: str) -> Seen:
        """Loads an HTML document from a local server that records every request, and looks at it."""
        seen = Seen()
        async with _serving(page, seen) as address:
            target = await self._call("Target.createTarget", {"url": "about:blank"}, seen)
            attached = await self._call("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True}, seen)
            session = attached["sessionId"]
            for domain in ("Page", "Network", "Runtime"):
                await self._call(f"{domain}.enable", {}, seen, session)
            await self._call("Page.navigate", {"url": address}, seen, session)
            await self._events_for(1.0, seen, session)
            looked = await self._call("Runtime.evaluate", {"expression": _LOOK, "returnByValue": True}, seen, session)
            await self._events_for(0.3, seen, session)
        for name, value in looked["result"]["value"].items():
            setattr(seen, name, value)
        seen.requests = [request for request in seen.requests if request != address and not request.startswith("data:,")]
        return seen

    async def _call(self, method: str, params: dict[str, Any], seen: Seen, session: str | None = None) -> Any:
        self._sent += 1
        number = self._sent
        await self._socket.send_json({"id": number, "method": method, "params": params} | _session(session))
        while True:
            message = await self._socket.receive_json(timeout=60)
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            await self._note(message, seen, session)

    async def _events_for(self, seconds: float, seen: Seen, session: str) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while (left := end - loop.time()) > 0:
            try:
                await self._note(await self._socket.receive_json(timeout=left), seen, session)
            except TimeoutError:
                return

    async def _note(self, message: dict[str, Any], seen: Seen, session: str | None) -> None:
        if message.get("method") == "Network.requestWillBeSent":
            seen.requests.append(message["params"]["request"]["url"])
        if message.get("method") == "Page.javascriptDialogOpening":
            seen.dialogs += 1
            self._sent += 1
            accept = {"id": self._sent, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
            await self._socket.send_json(accept | _session(session))


def _session(session: str | None) -> dict[str, str]:
    return {"sessionId": session} if session else {}


@asynccontextmanager
async def _serving(page: str, seen: Seen) -> AsyncIterator[str]:
    async def answer(request: web.Request) -> web.Response:
        if request.path != "/page":
            seen.requests.append(str(request.url))
        return web.Response(text=page, content_type="text/html", charset="utf-8")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/page"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def running_browser() -> AsyncIterator[Browser]:
    """A Chromium with a new profile, ended with the context."""
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [f"--user-data-dir={Path(profile)}", *_FLAGS.split()]
        process = await asyncio.create_subprocess_exec(CHROMIUM, *flags, stderr=asyncio.subprocess.PIPE)
        try:
            address = await asyncio.wait_for(_debugging_address(process), 60)
            async with aiohttp.ClientSession() as client, client.ws_connect(address, max_msg_size=0) as socket:
                yield Browser(socket)
        finally:
            process.kill()
            await process.communicate()


async def _debugging_address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    while line := await process.stderr.readline():
        found = _LISTENING.search(line)
        if found:
            return found[1].decode()
    raise RuntimeError("Chromium ended before it listened")
