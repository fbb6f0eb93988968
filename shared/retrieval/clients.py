"""Connections: one client per index, one credential and one transport per process, made in the running loop on first use."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.request import getproxies_environment

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.pipeline.transport import AioHttpTransport, AsyncHttpTransport

from .clock import Clock
from .search.azure import IndexService, is_loopback, open_client
from .search.credentials import SearchCredential, make_credential
from .settings import RetrievalSettings


class Connections:
    """Clients of the configured service. A credential or transport given in code is used as it is."""

    def __init__(
        self,
        settings: RetrievalSettings,
        credential: AsyncTokenCredential | None,
        transport: AsyncHttpTransport[Any, Any] | None,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._given_credential = credential
        self._given_transport = transport
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._credential: SearchCredential | None = None
        self._transport: AsyncHttpTransport[Any, Any] | None = None
        self._clients: dict[str, Any] = {}

    def index(self, name: str) -> IndexService:
        """Calls of one index."""
        self._open()
        endpoint = self._settings.endpoint
        if name not in self._clients:
            assert self._transport is not None
            self._clients[name] = open_client(endpoint, name, self._credential, self._transport)
        return IndexService(self._clients[name], endpoint, name, self._clock)

    def _open(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            return
        # Sessions and locks belong to the loop they were made in; another loop gets its own.
        self._loop, self._clients = loop, {}
        # Looking for proxies and a netrc file costs two changes of thread a call, so only where proxies are set.
        self._transport = self._given_transport or AioHttpTransport(use_env_settings=bool(getproxies_environment()))
        if not is_loopback(self._settings.endpoint):
            self._credential = SearchCredential(self._given_credential or self._own_credential())

    def _own_credential(self) -> AsyncTokenCredential:
        return make_credential(self._settings.client_id, self._settings.authentication)

    async def close(self) -> None:
        """Close what was opened here; a credential or transport given in code stays its owner's."""
        credential, transport = self._credential, self._transport
        self._loop, self._clients, self._credential, self._transport = None, {}, None, None
        if transport is not None and self._given_transport is None:
            await transport.close()
        if credential is not None and self._given_credential is None:
            await credential.close()
