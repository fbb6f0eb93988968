"""The examples of the README, each sent to the running app: the reply is what the page shows."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.test_function_app import HTTP

ROOT = Path(__file__).resolve().parents[1]
ANY = "…"
SECTION = re.compile(r"^### `(\w+) /api/([^`]+)`(?: → (\d+))?\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"```json\n(.*?)\n```", re.DOTALL)


def examples() -> list[tuple[str, str, int, list[Any]]]:
    """Method, path, status and JSON blocks of every example."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- routes -->")[1].split("<!-- /routes -->")[0]
    return [
        (method, path, int(status or 200), [json.loads(block) for block in BLOCK.findall(body)])
        for method, path, status, body in SECTION.findall(text)
    ]


def matches(shown: Any, got: Any) -> bool:
    """Whether the reply is as shown; `…` stands for any value, in a text for any part, last in a list for more entries."""
    if shown == ANY:
        return True
    if isinstance(shown, str) and isinstance(got, str):
        return re.fullmatch(".*".join(re.escape(part) for part in shown.split(ANY)), got, re.DOTALL) is not None
    if isinstance(shown, dict) and isinstance(got, dict):
        return shown.keys() == got.keys() and all(matches(value, got[key]) for key, value in shown.items())
    if isinstance(shown, list) and isinstance(got, list):
        more = bool(shown) and shown[-1] == ANY
        fixed = shown[:-1] if more else shown
        long_enough = len(got) >= len(fixed) if more else len(got) == len(fixed)
        return long_enough and all(matches(one, other) for one, other in zip(fixed, got, strict=False))
    return type(shown) is type(got) and bool(shown == got)


async def call(session: aiohttp.ClientSession, app_url: str, method: str, path: str, body: Any) -> tuple[int, Any]:
    """Status and JSON of one call."""
    async with session.request(method, f"{app_url}/{path}", json=body) as reply:
        text = await reply.text()
        return reply.status, json.loads(text) if text else None


async def test_every_example(app_url: str) -> None:
    async with aiohttp.ClientSession() as session:
        for method, path, status, blocks in examples():
            sends = method == "POST" and len(blocks) == 2
            body, shown = (blocks[0] if sends else None), (blocks[-1] if blocks else None)
            got = await call(session, app_url, method, path, body)
            for _ in range(100):
                if not (method == "GET" and path.startswith(("briefings/", "batches/"))) or matches(shown, got[1]):
                    break
                await asyncio.sleep(0.2)
                got = await call(session, app_url, method, path, body)
            assert got[0] == status, f"{method} {path}: {got}"
            assert matches(shown, got[1]), f"{method} {path}: {json.dumps(got[1], ensure_ascii=False)}"


def test_every_route_has_an_example() -> None:
    """By the fixed parts of each route; the shapes of retrieve share one example."""
    shown = {(method, re.sub(r"\?.*", "", path)) for method, path, _, _ in examples()}
    for route, methods in HTTP.values():
        pattern = re.sub(r"\{\w+\}", "[^/]+", route)
        alike = pattern.replace("knowledgebases", "agents").replace("agents/[^/]+/", "agents[^/]+/")
        method = methods[0]
        if method == "DELETE":
            alike = alike.replace("batches", "briefings")
        assert any(sent == method and re.fullmatch(alike, path) for sent, path in shown), f"{method} {route}"


@pytest.mark.parametrize(
    ("shown", "got", "same"),
    [
        ({"a": ANY}, {"a": [1]}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, ANY], [1, 2, 3], True),
        ([1], [1, 2], False),
        ("ab…", "abc", True),
        ("ab…", "bc", False),
        (1, True, False),
        (1.0, 1, False),
    ],
)
def test_the_comparison_can_fail(shown: Any, got: Any, same: bool) -> None:
    assert matches(shown, got) is same
