"""For every test: no settings of the person running them, and no connection that leaves this machine."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from local.azurite import Azurite
from local.stack import Stack, running_stack
from local.subprocesses import free_port

# A loaded machine is no fault of the code, so no example has a deadline.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("long", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("TEST_PROFILE", "quick"))

LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")
SETTINGS = ("aiagents__", "briefingstorage", "azurefunctionsjobhost__", "applicationinsights_", "identity_", "website_")


class OutsideConnection(AssertionError):
    """A test tried to reach another machine."""


def _refuse_outside(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it sees every connection that Python code opens, whichever library does it."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = str(arguments[1][0])
        if not host.startswith(LOOPBACK):
            raise OutsideConnection(f"a test tried to connect to {host}")


sys.addaudithook(_refuse_outside)


@pytest.fixture(autouse=True, scope="session")
def _own_environment() -> Iterator[None]:
    """Takes app settings out of the environment for the whole run."""
    taken = {name: os.environ.pop(name) for name in list(os.environ) if name.lower().startswith(SETTINGS)}
    os.environ.pop("AZURE_CLIENT_ID", None)
    yield
    os.environ.update(taken)


@pytest.fixture(scope="session")
def azurite() -> Iterator[Azurite]:
    """A running Azurite in memory, one for each test process: tests make their own queues, containers and tables.

    Its `connection_string`, `blob_url` and `queue_url` tell the address.
    """
    with Azurite() as running:
        yield running


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The whole app over the sample data as `make run` starts it, one for each test process.

    Its parts are processes of their own, so tests in any event loop can call it.
    """
    with asyncio.Runner() as runner:
        running = running_stack(free_port(), lambda _: None)
        yield runner.run(running.__aenter__())
        runner.run(running.__aexit__(None, None, None))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, so that no process is left alone with one of them at the end of a run in parallel."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
