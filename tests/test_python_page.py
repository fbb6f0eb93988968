"""The examples of docs/python.md run as they stand and print what the page shows."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
from pathlib import Path
from typing import Any

from emulators.azure_search.transport import EmbeddedTransport
from shared.retrieval import Retrieval
from tests.support.app import sample_service

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python.md"
BLOCK = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)


async def run(code: str, names: dict[str, Any]) -> str:
    """What a block prints; it may await at its top level."""
    compiled = compile(code, PAGE.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        # The page's own code, from the repository.
        pending = eval(compiled, names)
        if inspect.isawaitable(pending):
            await pending
    return printed.getvalue()


class NoToken:
    """A credential for the transport in process, which asks nobody."""

    async def get_token(self, *scopes: str, **options: Any) -> Any:
        """A token that nobody checks."""
        from azure.core.credentials import AccessToken

        return AccessToken("none", 2**31)

    async def close(self) -> None:
        """Nothing is open."""


async def test_the_page_prints_what_it_shows() -> None:
    names: dict[str, Any] = {}
    printed, compared = "", 0
    for kind, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "text":
            assert printed == block
            compared += 1
            continue
        printed = await run(block, names)
        if "settings" in names and compared == 0:
            transport = EmbeddedTransport(await sample_service())
            names["retrieval"] = Retrieval(names["settings"], NoToken(), transport=transport)  # type: ignore[arg-type]
    await names["retrieval"].close()
    assert compared == 3
