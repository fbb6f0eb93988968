"""The examples of docs/agents.md run against the app and give what the page shows; `…` stands for anything."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"
BLOCKS = re.findall(r"```(sh|json|python|text)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
LOCAL = "http://localhost:7071"
ANY = "…"


def matches(shown: Any, answered: Any) -> bool:
    """Whether a reply is what the page shows of it."""
    if shown == ANY:
        return True
    if isinstance(shown, dict) and isinstance(answered, dict):
        open_ended = ANY in shown
        same_keys = shown.keys() - {ANY} <= answered.keys() if open_ended else shown.keys() == answered.keys()
        return same_keys and all(matches(value, answered[key]) for key, value in shown.items() if key != ANY)
    if isinstance(shown, list) and isinstance(answered, list):
        if shown and shown[-1] == ANY:
            shown, answered = shown[:-1], answered[: len(shown) - 1]
        return len(shown) == len(answered) and all(map(matches, shown, answered))
    if isinstance(shown, str) and isinstance(answered, str):
        pieces = [re.escape(piece) for piece in shown.split(ANY)]
        return re.fullmatch(".*".join(pieces), answered, re.DOTALL) is not None
    return bool(shown == answered)


def pairs(kind: str) -> list[tuple[str, str]]:
    """Blocks of a kind with the block that shows what they give."""
    return [(code, BLOCKS[place + 1][1]) for place, (found, code) in enumerate(BLOCKS) if found == kind]


async def curl(command: str, app: str) -> Any:
    here = command.replace(LOCAL, app.removesuffix("/api"))
    process = await asyncio.create_subprocess_exec("bash", "-c", here, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    return json.loads(out)


CURLS = pairs("sh")


@pytest.mark.parametrize(("command", "shown"), CURLS, ids=range(len(CURLS)))
async def test_curl_examples(app_url: str, command: str, shown: str) -> None:
    answered = await curl(command, app_url)
    assert matches(json.loads(shown), answered), json.dumps(answered, ensure_ascii=False)


async def test_what_is_shown_is_not_everything() -> None:
    assert not matches({"a": 1}, {"a": 1, "b": 2})
    assert not matches(["a", "b"], ["a"])
    assert not matches("a…c", "ab")
    assert matches({"a": "x…", "…": "…"}, {"a": "xyz", "b": 2})


async def test_python_examples_print_what_is_shown(app_url: str) -> None:
    pytest.importorskip("agent_framework", reason="agent-framework-core is not installed; the provider for it is optional")
    from tests.context.scripted_chat import ScriptedChat

    names: dict[str, Any] = {"chat_client": ScriptedChat("At 06:40.")}
    for code, shown in pairs("python"):
        printed = io.StringIO()
        here = code.replace(LOCAL, app_url.removesuffix("/api"))
        compiled = compile(here, PAGE.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with contextlib.redirect_stdout(printed):
            # The page's own code, from the repository.
            pending = eval(compiled, names)
            if inspect.isawaitable(pending):
                await pending
        assert printed.getvalue() == shown
