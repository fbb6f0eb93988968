"""From a request to its answer: built-in pages, cross-origin calls, keys, then the function that the route names."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote
from uuid import uuid4

from .addresses import BadTarget, Target, parse_target
from .cors import Cors
from .dispatcher import Dispatcher
from .invocations import Invocation, Outcome, Trace
from .keys import Keys, given_key
from .messages import Request, Response
from .principals import Authentication, UnknownToken
from .router import Route, Router
from .throttle import Throttle, TooManyRequests
from .traces import continue_trace

NOT_FOUND = Response(404)
UNAUTHORIZED = Response(401)
FAILED = Response(500)
HOME_PAGE = (
    b"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Functions development host</title>"
    b"<p>Your Functions app is up and running on the development host."
)
VERSION = "4.1037.0.0"
STATUS, PING = "/admin/host/status", "/admin/host/ping"
ADMIN, ADMIN_FUNCTIONS = "/admin/", "/admin/functions/"
MCP_PATH = "/runtime/webhooks/mcp"


class Timer(Protocol):
    """A timer function that can be run outside of its schedule."""

    def begin(self) -> None:
        """Starts a run and does not wait for it."""


class ToolServer(Protocol):
    """Answers the calls of MCP clients."""

    async def answer(self, request: Request, target: Target) -> Response:
        """One HTTP exchange of the protocol."""

    async def close(self) -> None:
        """Ends the open exchanges."""


@dataclass(frozen=True, kw_only=True)
class GatewayOptions:
    """The checks and rules that a request meets before a function."""

    keys: Keys
    cors: Cors
    authentication: Authentication | None
    custom_headers: Mapping[str, str]
    home_page: bool
    open_telemetry: bool
    open_tools: bool
    throttle: Throttle


class Gateway:
    """Answers every request of the host; routes and tools change when the host is recycled."""

    def __init__(self, options: GatewayOptions, dispatcher: Dispatcher) -> None:
        self._options = options
        self._dispatcher = dispatcher
        self._started = time.monotonic()
        self._instance = uuid4().hex
        self.router = Router("")
        self.tools: ToolServer | None = None
        self.timers: Mapping[str, Timer] = {}

    async def answer(self, request: Request) -> Response:
        """The answer, with the headers of cross-origin calls and host.json."""
        try:
            target = parse_target(request.target, request.method, request.header("host"))
        except BadTarget as refused:
            return Response(refused.status, refused.headers)
        if self._options.cors.is_preflight(request):
            answer = Response(204)
        else:
            answer = await self._authenticate(request, target)
        return answer.with_headers((*self._options.cors.headers(request), *self._options.custom_headers.items()))

    async def _authenticate(self, request: Request, target: Target) -> Response:
        try:
            if self._options.authentication is not None:
                request = self._options.authentication.authenticate(request)
        except UnknownToken:
            return Response(401, (("WWW-Authenticate", "Bearer"),))
        path = target.path.casefold().removesuffix("/")
        if path == "":
            return self._home()
        if path.startswith(ADMIN):
            return self._admin(request, target, path)
        if path == MCP_PATH and self.tools is not None:
            level = "anonymous" if self._options.open_tools else "mcp"
            return self._refusal(level, request, target) or await self.tools.answer(request, target)
        return await self._function(request, target)

    async def _function(self, request: Request, target: Target) -> Response:
        found = self.router.find(request.method.upper(), target.path)
        if found is None:
            return NOT_FOUND
        route, values = found
        if not self._options.keys.open(route.level, given_key(request, target.parameters), route.function):
            return UNAUTHORIZED
        try:
            async with self._options.throttle.call():
                outcome = await self._dispatcher.invoke(await self._invocation(request, target, route, values))
        except TooManyRequests:
            return Response(429)
        return _answer_of(outcome) if outcome.succeeded else FAILED

    async def _invocation(self, request: Request, target: Target, route: Route, values: Mapping[str, str]) -> Invocation:
        headers = request.joined_headers()
        trigger = {
            "method": request.method,
            "url": f"http://{headers.get('host', '')}{target.text}",
            "headers": headers,
            "params": target.parameters,
            "route_params": dict(values),
        }
        trace = continue_trace(request, target.path) if self._options.open_telemetry else Trace()
        return Invocation(function=route.function, trigger=trigger, body=await request.read(), trace=trace)

    def _home(self) -> Response:
        if not self._options.home_page:
            return Response(204)
        return Response(200, (("Content-Type", "text/html"),), HOME_PAGE, sized=True)

    def _admin(self, request: Request, target: Target, path: str) -> Response:
        if path == PING and request.method in ("GET", "POST"):
            return Response(200, (("Cache-Control", "no-store,no-cache"), ("Pragma", "no-cache")))
        if path != STATUS and not f"{path}/".startswith(ADMIN_FUNCTIONS):
            return NOT_FOUND
        refusal = self._refusal("admin", request, target)
        if refusal is not None:
            return refusal
        if path == STATUS and request.method in ("GET", "POST"):
            content = json.dumps(self._status()).encode()
            return Response(200, (("Content-Type", "application/json; charset=utf-8"),), content, sized=True)
        return self._start_timer(path.removeprefix(ADMIN_FUNCTIONS)) if request.method == "POST" else NOT_FOUND

    def _start_timer(self, function: str) -> Response:
        timer = self.timers.get(function)
        if timer is None:
            return NOT_FOUND
        timer.begin()
        return Response(202)

    def _refusal(self, level: str, request: Request, target: Target) -> Response | None:
        """401 for a missing or wrong key, 403 for a key that opens something else, None when the key suffices."""
        key = given_key(request, target.parameters)
        if self._options.keys.open(level, key):
            return None
        return Response(403) if self._options.keys.is_known(key) else Response(401, (("WWW-Authenticate", "Bearer"),))

    def _status(self) -> dict[str, Any]:
        return {
            "id": socket.gethostname().lower(),
            "state": "Running",
            "version": VERSION,
            "versionDetails": f"{VERSION} development host",
            "platformVersion": "",
            "instanceId": self._instance,
            "computerName": socket.gethostname(),
            "processUptime": int((time.monotonic() - self._started) * 1000),
            "functionAppContentEditingState": "NotAllowed" if os.environ.get("WEBSITE_RUN_FROM_PACKAGE") else "Unknown",
        }


def _answer_of(outcome: Outcome) -> Response:
    answer = outcome.answer
    headers = [(name, value) for name, value in answer["headers"]]
    cookies = [("Set-Cookie", _cookie(cookie)) for cookie in answer["cookies"]]
    return Response(answer["status"], (*headers, *cookies), outcome.body)


def _cookie(cookie: Mapping[str, Any]) -> str:
    """As ASP.NET writes it again: its own order, an empty domain, `/` when there is no path."""
    parts = [f"{cookie['name']}={quote(str(cookie['value']), safe='')}"]
    if cookie["expires"]:
        parts.append(f"expires={cookie['expires']}")
    if cookie["max-age"]:
        parts.append(f"max-age={cookie['max-age']}")
    parts += [f"domain={cookie['domain']}", f"path={cookie['path']}"]
    parts += ["secure"] if cookie["secure"] else []
    parts += [f"samesite={str(cookie['samesite']).lower()}"] if cookie["samesite"] else []
    parts += ["httponly"] if cookie["httponly"] else []
    return "; ".join(parts)
