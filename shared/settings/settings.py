"""The app's settings as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from shared.answers import ModelSettings
from shared.briefing import BriefingSettings, StorageSettings
from shared.retrieval import ContextOptions, NotConfigured, ODataFilter, Problem, RetrievalSettings, in_azure
from shared.telemetry import TelemetrySettings

from .environment import Report, Section, SettingProblem, read_app_settings
from .forms import read_flag

AUTH_MODE = "AiAgents__Auth__Mode"
AuthMode = Literal["function", "entra", "open"]


@dataclass(frozen=True, slots=True)
class AuthSettings:
    """The caller mode, read when the app is imported, because the host needs each route's level then.

    With a `problem` the routes stay at function level and answer 503 until it is mended.
    """

    mode: AuthMode
    problem: str | None = None

    @property
    def anonymous(self) -> bool:
        """Whether the host lets calls through without a key."""
        return self.mode != "function"


def load_auth(environ: Mapping[str, str]) -> AuthSettings:
    """The caller mode of an environment; an unusable one becomes function level with a problem."""
    mode = read_app_settings(environ, Report()).ai_agents.auth.mode.lower()
    if mode not in ("function", "entra", "open"):
        return AuthSettings("function", f"{AUTH_MODE}: must be function, entra or open")
    if mode == "open" and in_azure(environ):
        return AuthSettings("function", f"{AUTH_MODE}: open is for local work and refused in Azure")
    if mode == "entra" and not read_flag(environ.get("WEBSITE_AUTH_ENABLED", "")):
        return AuthSettings("function", f"{AUTH_MODE}: entra needs App Service authentication, which is off")
    return AuthSettings(cast(AuthMode, mode))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """What `/api/context` and the search tool read: an index, its filter, and the options that are plain values."""

    index: str
    filter: ODataFilter | None
    options: ContextOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything read from the environment. A part that is missing or wrong is None; `problems` says why."""

    retrieval: RetrievalSettings | None
    context: ContextSettings | None
    model: ModelSettings | None
    briefings: BriefingSettings
    storage: StorageSettings | None
    telemetry: TelemetrySettings
    auth: AuthSettings
    allowed_link_hosts: tuple[str, ...] = ()
    max_concurrent_requests: int = 100
    max_dequeue_count: int = 5
    client_id: str | None = None
    in_azure: bool = False
    problems: tuple[SettingProblem, ...] = ()
    warnings: tuple[SettingProblem, ...] = ()
    missing: tuple[SettingProblem, ...] = ()
    """Settings that are absent and needed by some calls only: the context's, the storage's."""

    def require(self, *sections: Section) -> None:
        """Raises NotConfigured, naming each setting, when one of `sections` has a problem."""
        found = [p for p in (*self.problems, *self.missing) if p.section in sections]
        if found:
            raise NotConfigured(
                "The app is not configured for this call; see errors.",
                problems=tuple(Problem(p.setting, "not_configured", p.message) for p in found),
            )
