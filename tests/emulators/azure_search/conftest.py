"""Fixtures: an empty service, and one with the inns."""

from __future__ import annotations

import pytest

from .hotels import DEFINITION, DOCUMENTS, Caller


@pytest.fixture
def empty() -> Caller:
    """A service that holds nothing."""
    return Caller()


@pytest.fixture
async def inns() -> Caller:
    """A service that holds the inns."""
    caller = Caller()
    await caller.make(DEFINITION, DOCUMENTS)
    return caller
