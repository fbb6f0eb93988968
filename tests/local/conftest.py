"""Fixtures of the local stand-ins."""

from tests.support.azurite import azurite

__all__ = ["azurite"]
