"""The `azurite` fixture: one storage emulator per test process, shared by every test in it.

A conftest of a folder takes it with `from tests.support.azurite import azurite`; tests make their own queues and containers.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.azurite import Azurite


@pytest.fixture(scope="session")
def azurite() -> Iterator[Azurite]:
    """A running Azurite in memory; its `connection_string`, `blob_url` and `queue_url` say where."""
    with Azurite() as running:
        yield running
