"""Small apps for tests of the host, and the folders that they live in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import azure.functions as func


def folder(path: Path, script: str | None = None, **host: Any) -> Path:
    """A folder with host.json, and function_app.py when there is a script."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "host.json").write_text(json.dumps({"version": "2.0", **host}))
    if script is not None:
        (path / "function_app.py").write_text(f"import azure.functions as func\napp = func.FunctionApp()\n{script}")
    return path


def echo_app(level: func.AuthLevel = func.AuthLevel.ANONYMOUS) -> func.FunctionApp:
    """`/api/echo` returns the request as JSON, `/api/wait` waits for `seconds`, `/api/fail` raises."""
    app = func.FunctionApp(http_auth_level=level)

    @app.route(route="echo")
    async def echo(req: func.HttpRequest) -> func.HttpResponse:
        seen = {
            "method": req.method,
            "url": req.url,
            "params": dict(req.params),
            "headers": dict(req.headers),
            "body": req.get_body().decode("latin-1"),
        }
        return func.HttpResponse(json.dumps(seen), mimetype="application/json")

    @app.route(route="wait")
    async def wait(req: func.HttpRequest) -> func.HttpResponse:
        await asyncio.sleep(float(req.params["seconds"]))
        return func.HttpResponse("waited")

    @app.route(route="fail")
    def fail(req: func.HttpRequest) -> func.HttpResponse:
        raise RuntimeError("CANARY")

    return app


def headers_app(headers: Iterable[tuple[str, str]], body: str | bytes | None = "x", status: int = 200) -> func.FunctionApp:
    """`/api/answer` answers with these."""
    app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

    @app.route(route="answer")
    def answer(req: func.HttpRequest) -> func.HttpResponse:
        return func.HttpResponse(body, status_code=status, headers=dict(headers))

    return app
