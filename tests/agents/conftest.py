"""The whole app on the development host, over the embedded search service with the sample data."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from local.stack import Stack, running_stack
from local.subprocesses import free_port


def quiet(_: str) -> None:
    """What the stack says while it starts is not needed here."""


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def stack() -> AsyncIterator[Stack]:
    """The running parts, once for these tests."""
    async with running_stack(free_port(), quiet) as running:
        yield running
