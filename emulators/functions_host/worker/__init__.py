"""The side of the host that runs the app's functions, in a process of its own or in the host's."""

from .app import App
from .bindings import bind, encode

__all__ = ["App", "bind", "encode"]
