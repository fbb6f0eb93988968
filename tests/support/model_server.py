"""An OpenAI-compatible chat endpoint on this machine that answers by a script: good answers and every kind of bad ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

PATH = "/openai/v1/chat/completions"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer of the endpoint. With `raw` the body is that text; `delay` is waited before it, and between pieces."""

    text: str | None = None
    finish: str | None = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = (11, 7)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: str | None = None
    delay: float = 0.0
    breaks_off: bool = False

    @classmethod
    def error(cls, status: int, code: str | None = None, **headers: str) -> Self:
        """An error as the service words it; its message holds a text that must stay inside."""
        body = {"error": {"message": "SECRET-CANARY of the service", "code": code, "type": "error"}}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls(status=status, raw=json.dumps(body), headers=named)


class ModelServer:
    """The endpoint. The last reply of the script repeats; `requests` are the bodies, `keys` the credentials sent."""

    def __init__(self, *script: Reply | str) -> None:
        self.script: Sequence[Reply] = [Reply(text=step) if isinstance(step, str) else step for step in script]
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.at_once = 0
        self.most_at_once = 0
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post(PATH, self._answer)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        reply = self.script[min(len(self.requests), len(self.script) - 1)]
        body = await request.json()
        self.requests.append(body)
        self.keys.append(request.headers.get("Authorization"))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(reply.delay)
            return await self._stream(request, reply) if body.get("stream") and reply.raw is None else _whole(reply)
        finally:
            self.at_once -= 1

    async def _stream(self, request: web.Request, reply: Reply) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        text = reply.text or ""
        for start in range(0, len(text), 4):
            await response.write(_event({"content": text[start : start + 4]}, None))
            await asyncio.sleep(reply.delay)
        if reply.breaks_off:
            assert request.transport is not None
            request.transport.abort()
            return response
        delta = {"refusal": reply.refusal} if reply.refusal else {}
        await response.write(_event(delta, reply.finish))
        if reply.usage:
            await response.write(
                b"data: " + json.dumps({**_FRAME, "choices": [], "usage": _usage(reply)}).encode() + b"\n\n"
            )
        await response.write(b"data: [DONE]\n\n")
        return response


_FRAME = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def _event(delta: dict[str, Any], finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({**_FRAME, "choices": [choice]}).encode() + b"\n\n"


def _usage(reply: Reply) -> dict[str, int]:
    prompt, completion = reply.usage or (0, 0)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _whole(reply: Reply) -> web.Response:
    if reply.raw is not None:
        return web.Response(status=reply.status, text=reply.raw, content_type="application/json", headers=reply.headers)
    message = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    body: dict[str, Any] = {**_FRAME, "object": "chat.completion", "choices": [choice]}
    if reply.usage:
        body["usage"] = _usage(reply)
    return web.json_response(body, status=reply.status, headers=reply.headers)
