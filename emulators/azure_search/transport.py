"""The service as a transport of azure-core: the real SDK, with its real policies, talks to it in process under any name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from http.client import responses as reasons
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from azure.core.exceptions import HttpResponseError, IncompleteReadError, ServiceResponseError
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest
from azure.core.utils import case_insensitive_dict

from .http import REPEATABLE, Reply, Request
from .service import SearchService


class EmbeddedTransport(AsyncHttpTransport[HttpRequest, AsyncHttpResponse]):
    """Give it to a client as `transport=`; the host name of the endpoint is free."""

    def __init__(self, service: SearchService) -> None:
        self._service = service

    async def send(self, request: HttpRequest, **options: Any) -> AsyncHttpResponse:
        """The service's answer. A dropped connection is the ServiceResponseError that a network gives."""
        timeout = options.get("read_timeout")
        try:
            reply = await asyncio.wait_for(self._service.handle(_read(request)), timeout)
        except TimeoutError as error:
            raise ServiceResponseError("The read timed out.", error=error) from error
        if reply.dropped:
            raise ServiceResponseError("The connection was dropped.")
        if reply.cut:
            raise IncompleteReadError("The connection was closed in the middle of the body.")
        return EmbeddedResponse(request, reply)

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close; the service lives on."""

    async def __aenter__(self) -> EmbeddedTransport:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        return None


def _read(request: HttpRequest) -> Request:
    address = urlsplit(request.url)
    query = parse_qs(address.query, keep_blank_values=True)
    return Request(
        method=request.method,
        path=address.path,
        query={name: values[-1] for name, values in query.items()},
        headers={name.lower(): str(value) for name, value in request.headers.items()},
        body=_bytes(request.content),
        host=f"{address.scheme}://{address.netloc}",
        repeated={name: tuple(query[name]) for name in REPEATABLE if name in query},
    )


def _bytes(content: Any) -> bytes:
    if content is None:
        return b""
    return content if isinstance(content, bytes) else str(content).encode()


class EmbeddedResponse(AsyncHttpResponse):
    """An answer that is already whole in memory."""

    def __init__(self, request: HttpRequest, reply: Reply) -> None:
        self._request = request
        self._reply = reply
        self._headers: MutableMapping[str, str] = case_insensitive_dict(
            {"Content-Length": str(len(reply.body)), **reply.headers}
        )
        self._encoding: str | None = None

    @property
    def request(self) -> HttpRequest:
        """The request that was answered."""
        return self._request

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        return self._reply.status

    @property
    def headers(self) -> MutableMapping[str, str]:
        """The headers; their names ignore case."""
        return self._headers

    @property
    def reason(self) -> str:
        """The usual words for the status."""
        return reasons.get(self.status_code, "")

    @property
    def content_type(self) -> str | None:
        """The Content-Type header."""
        return self._headers.get("Content-Type")

    @property
    def is_closed(self) -> bool:
        """Nothing stays open."""
        return True

    @property
    def is_stream_consumed(self) -> bool:
        """The body is in memory."""
        return True

    @property
    def encoding(self) -> str | None:
        """The encoding that was set, UTF-8 otherwise."""
        return self._encoding or "utf-8"

    @encoding.setter
    def encoding(self, value: str | None) -> None:
        self._encoding = value

    @property
    def url(self) -> str:
        """The address that was asked."""
        return self._request.url

    @property
    def content(self) -> bytes:
        """The body."""
        return self._reply.body

    def text(self, encoding: str | None = None) -> str:
        """The body as text."""
        return self._reply.body.decode(encoding or self.encoding or "utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.content)

    def body(self) -> bytes:
        """The body, under the name that older policies use."""
        return self.content

    def raise_for_status(self) -> None:
        """Raises HttpResponseError from status 400."""
        if self.status_code >= 400:
            raise HttpResponseError(response=self)

    async def read(self) -> bytes:
        """The body."""
        return self.content

    async def iter_raw(self, **kwargs: Any) -> AsyncIterator[bytes]:
        """The body in one piece."""
        yield self.content

    async def iter_bytes(self, **kwargs: Any) -> AsyncIterator[bytes]:
        """The body in one piece."""
        yield self.content

    async def close(self) -> None:
        """Nothing to close."""

    async def __aexit__(self, *args: object) -> None:
        return None
