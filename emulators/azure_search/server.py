"""The service over HTTP, on loopback by default. Keys and tokens are accepted without a check."""

from __future__ import annotations

from aiohttp import web

from .http import REPEATABLE, Reply, Request
from .service import SearchService

MAX_BODY = 64 * 1024 * 1024


def application(service: SearchService) -> web.Application:
    """An aiohttp application that passes every request to the service."""

    async def answer(incoming: web.Request) -> web.StreamResponse:
        return await _send(incoming, await service.handle(await _read(incoming)))

    app = web.Application(client_max_size=MAX_BODY)
    app.router.add_route("*", "/{path:.*}", answer)
    return app


async def _read(incoming: web.Request) -> Request:
    return Request(
        method=incoming.method,
        path=incoming.rel_url.raw_path,
        query=dict(incoming.query),
        headers={name.lower(): value for name, value in incoming.headers.items()},
        body=await incoming.read(),
        host=f"{incoming.scheme}://{incoming.host}",
        repeated={name: tuple(incoming.query.getall(name)) for name in REPEATABLE if name in incoming.query},
    )


async def _send(incoming: web.Request, reply: Reply) -> web.StreamResponse:
    if reply.cut:
        return await _cut(incoming, reply)
    if reply.dropped and incoming.transport is not None:
        incoming.transport.abort()
        return web.Response(status=500)
    return web.Response(status=reply.status, body=reply.body, headers=dict(reply.headers))


async def _cut(incoming: web.Request, reply: Reply) -> web.StreamResponse:
    """Half of a body whose whole length was promised, then the end of the connection."""
    response = web.StreamResponse(status=reply.status, headers={**reply.headers, "Content-Length": str(len(reply.body))})
    await response.prepare(incoming)
    await response.write(reply.body[: len(reply.body) // 2])
    if incoming.transport is not None:
        incoming.transport.close()
    return response
