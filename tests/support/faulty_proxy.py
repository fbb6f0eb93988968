"""A proxy in front of Azurite that loses requests and answers, or answers itself, by a plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

from aiohttp import ClientSession, web

Fault = Literal["refuse", "lose_request", "lose_answer", "hang"] | int | None
"""The fault of a request: an HTTP status answered by the proxy, a connection that breaks or stays silent, or None."""

BODY = '<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>SECRET-CANARY</Message></Error>'
CODES = {
    403: "AuthorizationFailure",
    409: "LeaseIdMissing",
    412: "ConditionNotMet",
    500: "InternalError",
    503: "ServerBusy",
}
OWN_HEADERS = ("transfer-encoding", "connection", "keep-alive")


@dataclass
class FaultyProxy:
    """Forwards to `target`; `plan` gets each request's method and path and returns the fault."""

    target: str
    plan: Callable[[str, str], Fault] = lambda method, path: None
    faults: list[Fault] = field(default_factory=list)
    url: str = ""
    _runner: web.AppRunner | None = None
    _session: ClientSession | None = None
    _going: asyncio.Event = field(default_factory=asyncio.Event)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._forward)
        self._session = ClientSession(auto_decompress=False)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._going.set()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    async def _forward(self, request: web.Request) -> web.StreamResponse:
        fault = self.plan(request.method, request.path)
        if fault is not None:
            self.faults.append(fault)
        if isinstance(fault, int):
            headers = {"x-ms-error-code": CODES[fault]}
            return web.Response(status=fault, text=BODY.format(code=CODES[fault]), headers=headers)
        if fault == "hang":
            await self._going.wait()
        if fault in ("lose_request", "hang"):
            return await self._break(request)
        answer = await self._answer(request)
        return await self._break(request) if fault == "lose_answer" else answer

    async def _answer(self, request: web.Request) -> web.Response:
        assert self._session is not None
        headers = {name: value for name, value in request.headers.items() if name.lower() != "host"}
        async with self._session.request(
            request.method,
            self.target + request.raw_path,
            data=await request.read(),
            headers=headers,
            skip_auto_headers=("Content-Type",),
        ) as reply:
            kept = {name: value for name, value in reply.headers.items() if name.lower() not in OWN_HEADERS}
            body = await reply.read()
            return web.Response(status=reply.status, body=body, headers=kept)

    async def _break(self, request: web.Request) -> web.Response:
        if request.transport is not None:
            request.transport.abort()
        await asyncio.sleep(0)
        return web.Response(status=500)
