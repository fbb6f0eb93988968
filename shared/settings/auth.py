"""The caller mode, read when the app is imported because the host needs each route's level then (spec 9.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from shared.retrieval import in_azure

from .catalog import AUTH_MODE
from .environment import Environment, read_flag

AuthMode = Literal["function", "entra", "open"]


@dataclass(frozen=True, slots=True)
class AuthSettings:
    """The mode that holds. With a `problem` the routes stay at function level and answer 503 until it is mended."""

    mode: AuthMode
    problem: str | None = None

    @property
    def anonymous(self) -> bool:
        """Whether the host lets calls through without a key."""
        return self.mode != "function"


def load_auth(environ: Mapping[str, str]) -> AuthSettings:
    """The caller mode of an environment; an unusable one becomes function level with a problem."""
    mode = Environment(environ).text(AUTH_MODE) or "function"
    mode = mode.lower()
    if mode not in ("function", "entra", "open"):
        return AuthSettings("function", f"{AUTH_MODE}: must be function, entra or open")
    if mode == "open" and in_azure(environ):
        return AuthSettings("function", f"{AUTH_MODE}: open is for local work and refused in Azure")
    if mode == "entra" and in_azure(environ) and not read_flag(environ.get("WEBSITE_AUTH_ENABLED", "")):
        return AuthSettings("function", f"{AUTH_MODE}: entra needs App Service authentication, which is off")
    return AuthSettings(cast(AuthMode, mode))
