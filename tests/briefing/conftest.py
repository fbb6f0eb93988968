"""Fixtures of the briefing tests."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest

from local.azurite import Azurite
from shared.briefing import BriefingSettings, Storage, StorageSettings
from shared.briefing.azure_storage import connect_storage


@pytest.fixture
def real_settings() -> BriefingSettings:
    """Settings with names that no other test uses."""
    unique = uuid.uuid4().hex[:12]
    return BriefingSettings(queue_name=f"q{unique}", container=f"c{unique}", done_queue_name=f"d{unique}", lease_seconds=1.0)


@pytest.fixture
async def real_storage(azurite: Azurite, real_settings: BriefingSettings) -> AsyncIterator[Storage]:
    """A container and queues of their own in a running Azurite."""
    storage = connect_storage(StorageSettings(connection_string=azurite.connection_string), real_settings)
    await storage.check()
    yield storage
    await storage.close()
