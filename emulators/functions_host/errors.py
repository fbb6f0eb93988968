"""The errors that keep the host from starting.

HostError              one line that names the fault and the cure
└── BadConfiguration   host.json, or an app setting that overrides it
"""

from __future__ import annotations


class HostError(Exception):
    """The host cannot start; the text is one line for the person who started it."""


class BadConfiguration(HostError):
    """host.json or one of its overrides holds a value that the real host refuses at start."""
