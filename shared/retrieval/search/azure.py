"""The seam to Azure AI Search: the only importer of azure.search. Requests go through the SDK's pipeline and its policies.

`SearchClient.send_request` is used instead of `SearchClient.search`: same identity, tracing and transport without the
SDK's model layer (`bench/` has the figures). The SDK's own retries and redirects are off: one loop of ours does the tries.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import getproxies_environment

import aiohttp
from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError
from azure.core.pipeline.policies import AsyncRetryPolicy, SansIOHTTPPolicy
from azure.core.pipeline.transport import AioHttpTransport, AsyncHttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest
from azure.search.documents.aio import SearchClient

from ..errors import IdentityUnavailable, SearchFailed, SearchThrottled, TemporaryError
from ..settings import RetrievalSettings
from .credentials import SearchCredential, is_loopback_host, make_credential
from .retry import Clock, RetryableError, retry_after

API_VERSION = "2026-04-01"
PERMISSION_HEADER = "x-ms-query-source-authorization"
_HEADERS = {"Accept": "application/json;odata.metadata=none", "Content-Type": "application/json"}
_PUBLIC_CLOUD = "https://search.azure.com"
_OTHER_CLOUDS = {".search.azure.us": "https://search.azure.us", ".search.azure.cn": "https://search.azure.cn"}
_THROTTLED = frozenset({429, 503})
_FAULTS = frozenset({408, 500, 502, 504})


@dataclass(frozen=True, slots=True)
class ServiceReply:
    """A reply of the service: status 200 or 206, or a refusal that no further try would change."""

    status: int
    body: bytes

    @property
    def refused(self) -> bool:
        """Whether it carries no result."""
        return self.status not in (200, 206)


def is_loopback(endpoint: str) -> bool:
    """Whether `endpoint` is plain http on this machine: no token is asked for or sent there."""
    address = urlsplit(endpoint)
    return address.scheme == "http" and is_loopback_host(address.hostname)


def open_client(
    endpoint: str, index: str, credential: SearchCredential | None, transport: AsyncHttpTransport[Any, Any]
) -> SearchClient:
    """A client of one index on a shared transport; without a credential it sends no authorization at all."""
    options: dict[str, Any] = {} if credential is not None else {"authentication_policy": SansIOHTTPPolicy()}
    return SearchClient(
        endpoint.rstrip("/"),
        index,
        credential if credential is not None else AzureKeyCredential("not sent"),
        transport=transport,
        retry_policy=AsyncRetryPolicy.no_retries(),
        permit_redirects=False,
        audience=_audience(endpoint),
        **options,
    )


def _audience(endpoint: str) -> str:
    """What a token is asked for: each cloud has its own search service."""
    host = urlsplit(endpoint).hostname or ""
    return next((audience for suffix, audience in _OTHER_CLOUDS.items() if host.endswith(suffix)), _PUBLIC_CLOUD)


class IndexService:
    """Calls of one index. Faults that may pass raise Again, so that the caller decides about another try.

    `sent` is called when a request has its token and leaves.
    """

    def __init__(self, client: SearchClient, endpoint: str, index: str, clock: Clock) -> None:
        self._client = client
        self._service = endpoint.rstrip("/")
        self._root = f"{endpoint.rstrip('/')}/indexes('{quote(index, safe='')}')/docs"
        self._clock = clock

    async def search(self, body: Mapping[str, Any], headers: Mapping[str, str], sent: Callable[[], None]) -> ServiceReply:
        """One request for hits."""
        address = f"{self._root}/search.post.search?api-version={API_VERSION}"
        return await self._send(_post(address, body, headers), sent)

    async def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], sent: Callable[[], None]
    ) -> ServiceReply:
        """One request to another address of the same service, such as `/agents('a')/retrieve?api-version=…`."""
        return await self._send(_post(self._service + path, body, headers), sent)

    async def _send(self, request: HttpRequest, sent: Callable[[], None]) -> ServiceReply:
        try:
            # The SDK calls its hook between the policy that adds the token and the transport.
            response = await self._client.send_request(request, stream=True, raw_request_hook=lambda _: sent())
            async with response:
                reply = ServiceReply(response.status_code, await response.read())
        except IdentityUnavailable:
            raise
        except zlib.error as error:
            raise SearchFailed("The reply of the search service cannot be read.") from error
        except (AzureError, aiohttp.ClientError, OSError) as error:
            raise RetryableError(SearchFailed("The connection to the search service broke.")) from error
        self._check(response)
        return reply

    def _check(self, response: AsyncHttpResponse) -> None:
        """Raises Again for a status that a later try may not have."""
        status = response.status_code
        if status not in _THROTTLED | _FAULTS:
            return
        error: TemporaryError
        if status in _THROTTLED:
            error = SearchThrottled("The search service is too busy; try again later.")
        else:
            error = SearchFailed("The search service failed.")
        raise RetryableError(error, retry_after(response.headers, self._clock), status)


def _post(address: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> HttpRequest:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return HttpRequest("POST", address, headers={**_HEADERS, **headers}, content=content)


# Connections: one client per index, one credential and one transport per process, made in the running loop on first use.


class ClientPool:
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
