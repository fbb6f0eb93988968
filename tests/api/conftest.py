"""An embedded service with the sample data, and the app over it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from emulators.azure_search.service import SearchService
from tests.support.app import App, app_over, sample_service


@pytest.fixture
async def service() -> SearchService:
    """The sample data, fresh for each test."""
    return await sample_service()


@pytest.fixture
async def app(service: SearchService) -> AsyncIterator[App]:
    """The app with the settings of a local run."""
    async with app_over(service) as running:
        yield running
