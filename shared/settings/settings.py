"""The app's settings as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass

from shared.briefing import BriefingSettings, ModelSettings, StorageSettings
from shared.retrieval import ContextOptions, NotConfigured, ODataFilter, Problem, RetrievalSettings
from shared.telemetry import TelemetrySettings

from .auth import AuthSettings
from .problems import Section, SettingProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """What `/api/context` and the search tool read (spec 7): an index, its filter, and the options that are plain values."""

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
    missing: tuple[SettingProblem, ...] = ()
    """Settings that are absent and needed by some calls only: the context's, the storage's."""

    def require(self, *sections: Section) -> None:
        """Raises NotConfigured, naming each setting, when a problem stands in one of `sections`."""
        found = [p for p in (*self.problems, *self.missing) if p.section in sections]
        if found:
            raise NotConfigured(
                "The app is not configured for this call; see errors.",
                problems=tuple(Problem(p.setting, "not_configured", p.message) for p in found),
            )
