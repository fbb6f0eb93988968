"""Fixtures of the tests of the emulators."""

from tests.support.azurite import azurite

__all__ = ["azurite"]
