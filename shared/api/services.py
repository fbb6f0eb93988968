"""The composition root: everything the handlers use, made once a process, on first use, in the running loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shared.retrieval import NotConfigured, OperatorError, Retrieval, RetrievalSettings
from shared.settings import Settings, load_settings
from shared.telemetry import set_up

from .capacity import Capacity

if TYPE_CHECKING:
    from .replies import Reply

HOST_JSON = Path(__file__).resolve().parents[2] / "host.json"


class Services:
    """The settings and what is made of them. `credential` and `transport` stand in for the platform's in tests."""

    def __init__(self, settings: Settings, *, credential: Any = None, transport: Any = None) -> None:
        self.settings = settings
        self.capacity = Capacity(settings.max_concurrent_requests)
        self.telemetry = set_up(settings.telemetry)
        self.signals = self.telemetry.signals
        self.readiness: tuple[float, Reply] | None = None
        self._credential = credential
        self._transport = transport
        self._retrieval: Retrieval | None = None
        self._announce()

    @property
    def telemetry_unsafe(self) -> bool:
        """Whether a provider that somebody installed before us would export everything (spec 10)."""
        return self.telemetry.unsafe

    @property
    def retrieval_settings(self) -> RetrievalSettings:
        """Settings of retrieval. Raises NotConfigured, naming each setting, where they are missing or wrong."""
        self.settings.require("retrieval")
        if self.settings.retrieval is None:
            raise NotConfigured("The search settings cannot be used.")
        return self.settings.retrieval

    @property
    def retrieval(self) -> Retrieval:
        """The retrieval package over the configured search service."""
        if self._retrieval is None:
            self._retrieval = Retrieval(
                self.retrieval_settings, self._credential, transport=self._transport, signals=self.signals
            )
        return self._retrieval

    def checks(self) -> list[tuple[str, Awaitable[object]]]:
        """The parts that readiness asks, by name: each index, the queue and the blobs."""
        settings = self.settings.retrieval
        indexes = () if settings is None else settings.indexes
        return [(f"index:{index.name}", self.retrieval.count_documents(index.name)) for index in indexes]

    def warnings(self) -> list[str]:
        """What works and yet deserves an operator's look."""
        settings = self.settings.retrieval
        found: list[str] = []
        for index in () if settings is None else settings.indexes:
            if not index.content_fields:
                found.append(f"The index {index.name} has no ContentFields: every text field goes to the model.")
            if index.allowed_roles is not None and self.settings.auth.mode != "entra":
                found.append(f"The index {index.name} has AllowedRoles, but nobody has roles in this caller mode.")
        return found

    def log_operator_error(self, route: str, error: OperatorError) -> None:
        """Tells operators of an error that they have to mend; never of what a caller sent."""
        self.signals.event("request_failed", route=route, error_type=error.code)

    def log_fault(self, route: str, error: BaseException) -> None:
        """Tells operators of a fault of ours by its type."""
        self.signals.event("request_failed", route=route, status=500, error_type=error, error_place=error)

    async def close(self) -> None:
        """Closes what was opened."""
        if self._retrieval is not None:
            await self._retrieval.close()

    def _announce(self) -> None:
        """Names from the configuration are no secrets of callers, so telemetry may show them."""
        retrieval = self.settings.retrieval
        if retrieval is not None:
            self.telemetry.allow("index", [index.name for index in retrieval.indexes])
            self.telemetry.allow("agent", [agent.name for agent in retrieval.agents])
        self.telemetry.allow("setting", [problem.setting for problem in self.settings.problems])
        for problem in self.settings.problems:
            self.signals.event("settings_problem", setting=problem.setting)


class _Process:
    """The services of this process. A new event loop gets new ones: clients live in the loop that made them."""

    def __init__(self) -> None:
        self.services: Services | None = None
        self.loop: asyncio.AbstractEventLoop | None = None


_process = _Process()


def current_services() -> Services:
    """The process's services, made from its environment on first use in the running loop."""
    loop = asyncio.get_running_loop()
    if _process.services is None or _process.loop is not loop:
        _process.services = Services(load_settings(os.environ, HOST_JSON))
        _process.loop = loop
    return _process.services
