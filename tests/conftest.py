"""For every test: no settings of the person running them, and no connection that leaves this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from local.azurite import Azurite
from tests.support.shared_app import shared_app

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
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the whole app over the sample data, one for all processes of the run."""
    parallel = "PYTEST_XDIST_WORKER" in os.environ
    # The processes of a run have folders of their own in one folder of the run.
    folder = tmp_path_factory.getbasetemp()
    with shared_app(folder.parent if parallel else folder) as address:
        yield address


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, so that no process is left alone with one of them at the end of a run in parallel."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
