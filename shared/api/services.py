"""The composition root: everything the handlers use, made once a process, on first use, in the running loop."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Awaitable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shared.answers import AnswerWriter, ExtractiveWriter, ModelPlanner, ModelSettings, ModelWriter
from shared.briefing import BriefingParts, Briefings, DailyTokens, Definitions, ReadyCheck, Storage, load_definitions
from shared.retrieval import (
    Caller,
    Evidence,
    EvidenceSearch,
    NotConfigured,
    Retrieval,
    RetrievalError,
    RetrievalSettings,
    make_credential,
)
from shared.settings import Settings, load_settings
from shared.telemetry import set_up

from .capacity import Capacity

if TYPE_CHECKING:
    from .responses import Reply

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
        self._own_credential: Any = None
        self._retrieval: Retrieval | None = None
        self._writer: AnswerWriter | None = None
        self._storage: Storage | None = None
        self._briefings: Briefings | None = None
        self._making = asyncio.Lock()
        self._announce()

    @property
    def telemetry_unsafe(self) -> bool:
        """Whether a provider that somebody installed before us would export everything."""
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
            settings = self.retrieval_settings
            own = None if settings.authentication is not None else self.credential
            self._retrieval = Retrieval(settings, own, transport=self._transport, signals=self.signals)
        return self._retrieval

    @property
    def credential(self) -> Any:
        """The app's identity: one credential for search, storage and model, made on first use."""
        if self._credential is None:
            if self._own_credential is None:
                self._own_credential = make_credential(self.settings.client_id)
            return self._own_credential
        return self._credential

    async def writer(self) -> AnswerWriter:
        """The writer of answers: the model where one is configured, else extraction."""
        async with self._making:
            return await self._made_writer()

    async def planner(self) -> ModelPlanner | None:
        """The model that plans sub-queries of agents: the one that writes, or None without one."""
        writer = await self.writer()
        if not isinstance(writer, ModelWriter):
            return None
        model = self.settings.model
        return ModelPlanner(writer, takes_images=model is not None and model.takes_images)

    async def briefings(self) -> Briefings:
        """Briefings over the configured storage. Raises NotConfigured, naming each setting."""
        async with self._making:
            if self._briefings is None:
                self._briefings = await self._made_briefings()
        return self._briefings

    @cached_property
    def definitions(self) -> Definitions:
        """The definitions of the configured folder. Raises NotConfigured where there is no such folder."""
        folder = self.settings.briefings.definitions_folder
        if folder is None:
            return load_definitions()
        if not folder.is_dir():
            self.settings.require("briefings")
        return load_definitions(folder)

    async def _made_writer(self) -> AnswerWriter:
        # A model that is configured wrongly is not replaced by another writer.
        self.settings.require("model")
        if self._writer is None:
            model = self.settings.model
            self._writer = ExtractiveWriter() if model is None else await self._model_writer(model)
        return self._writer

    async def _model_writer(self, model: ModelSettings) -> ModelWriter:
        limit = model.daily_token_limit
        tokens = None if limit is None else DailyTokens((await self._made_storage()).blobs, limit)
        self.telemetry.allow("model", [model.deployment])
        return ModelWriter(model, self.credential, tokens, self.signals)

    async def storage_as_it_is(self) -> Storage:
        """The storage for putting a message back, also where other settings of briefings are wrong. Raises NotConfigured."""
        async with self._making:
            return await self._connected_storage()

    async def _made_storage(self) -> Storage:
        self.settings.require("briefings", "storage")
        return await self._connected_storage()

    async def _connected_storage(self) -> Storage:
        if self._storage is None:
            settings = self.settings
            if settings.storage is None:
                raise NotConfigured("The storage settings cannot be used.")
            # The SDK takes half a second to import, which no other call of this process should wait for.
            await asyncio.to_thread(importlib.import_module, "azure.storage.blob.aio")
            emulator = settings.storage.connection_string is not None
            credential = None if emulator else self._storage_credential(settings.storage.client_id)
            # The storage SDKs take half a second to import, and most calls of the app need neither.
            from shared.briefing.azure_storage import connect_storage

            self._storage = connect_storage(settings.storage, settings.briefings, credential)
        return self._storage

    async def _made_briefings(self) -> Briefings:
        settings = self.settings
        parts = BriefingParts(
            retrieval=_Finder(self),
            indexes=() if settings.retrieval is None else settings.retrieval.indexes,
            writer=await self._made_writer(),
            storage=await self._made_storage(),
            definitions=self.definitions,
            allowed_link_hosts=settings.allowed_link_hosts,
            signals=self.signals,
        )
        briefings = Briefings(settings.briefings, parts)
        names = {definition.name for definition in briefings.definitions()}
        self.telemetry.allow("definition", names)
        return briefings

    def _storage_credential(self, client_id: str | None) -> Any:
        return self.credential if client_id in (None, self.settings.client_id) else make_credential(client_id)

    def is_last_delivery(self, deliveries: int | None) -> bool:
        """Whether the queue gives up on a message after this delivery."""
        return deliveries is not None and deliveries >= self.settings.max_dequeue_count

    def checks(self) -> list[tuple[str, Awaitable[object]]]:
        """The indexes that readiness asks, by name."""
        settings = self.settings.retrieval
        usable = [] if settings is None else [index.name for index in settings.indexes if index.usable]
        return [(f"index:{name}", self.retrieval.check_index(name)) for name in usable]

    async def briefing_checks(self) -> Sequence[ReadyCheck]:
        """The parts of briefings that readiness asks; none where their settings are missing or wrong, as it tells anyway."""
        wrong = {problem.section for problem in (*self.settings.problems, *self.settings.missing)}
        if self.settings.storage is None or wrong & {"briefings", "storage"}:
            return ()
        return await (await self.briefings()).check_ready()

    def warnings(self) -> list[str]:
        """What works and yet deserves an operator's look."""
        settings = self.settings.retrieval
        found = [str(problem) for problem in self.settings.missing if problem.section == "context"]
        found += [str(warning) for warning in self.settings.warnings]
        found += self.telemetry.warnings
        for index in () if settings is None else settings.indexes:
            if index.usable and not index.content_fields:
                found.append(f"The index {index.name} has no ContentFields: every text field goes to the model.")
            if index.hides_fields and not index.search_fields:
                found.append(f"The index {index.name} has no SearchFields: the words of a query match hidden fields too.")
            if index.allowed_roles is not None and self.settings.auth.mode != "entra":
                found.append(f"The index {index.name} has AllowedRoles, but nobody has roles in this caller mode.")
        return found

    def log_operator_error(self, route: str, error: RetrievalError) -> None:
        """Tells operators of an error that they have to mend; never of what a caller sent."""
        self.signals.event("request_failed", route=route, error_type=error.code, status=getattr(error, "status", None))

    def log_fault(self, route: str, error: BaseException) -> None:
        """Tells operators of a fault of ours by its type."""
        self.signals.event("request_failed", route=route, status=500, error_type=error, error_place=error)

    async def close(self) -> None:
        """Closes what was opened."""
        storage = None if self._briefings is not None else self._storage  # briefings close theirs
        for part in (self._briefings, storage, self._writer, self._retrieval, self._own_credential):
            if part is not None:
                await part.close()

    def _announce(self) -> None:
        """Names from the configuration are no secrets of callers, so telemetry may show them."""
        retrieval = self.settings.retrieval
        if retrieval is not None:
            self.telemetry.allow("index", [index.name for index in retrieval.indexes])
            self.telemetry.allow("agent", [agent.name for agent in retrieval.agents])
            self.telemetry.allow("field", [field for index in retrieval.indexes for field in index.configured_fields])
        self.telemetry.allow("setting", [problem.setting for problem in self.settings.problems])
        for problem in self.settings.problems:
            self.signals.event("settings_problem", setting=problem.setting)


class _Finder:
    """Evidence for briefings from a retrieval that is made when the first search is."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def evidence_of(
        self, searches: Sequence[EvidenceSearch], *, max_characters: int | None = None, caller: Caller | None = None
    ) -> Evidence:
        """As `Retrieval.evidence_of`. Raises NotConfigured where search is not."""
        return await self._services.retrieval.evidence_of(searches, max_characters=max_characters, caller=caller)


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
