"""The storage SDKs' errors as ours. Raised from nothing: their texts hold addresses, names and keys' owners."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceResponseError,
)

from shared.retrieval import IdentityUnavailable, RetrievalError

from .errors import InvalidContinuation, StorageRefused, StorageUnavailable

REFUSED = (401, 403)
MISSING = 404
# Worth another try later: a busy or broken service, and a container that is just being deleted or made (409).
BUSY = (408, 409, 412, 429)
RETRIES: dict[str, Any] = {
    "retry_total": 2,
    # About 1.2 s before each repetition: the base to the power of its number comes on top.
    "initial_backoff": 0.2,
    "increment_base": 1,
    "random_jitter_range": 0.3,
    "connection_timeout": 5,
    "read_timeout": 20,
}
"""Options of every storage client: its own default waits 15 s before the first repetition, half a request's patience."""


def translate(error: AzureError) -> RetrievalError:
    """The error of ours that says who must act."""
    if isinstance(error, HttpResponseError) and error.status_code is not None:
        return _from_status(error.status_code)
    if isinstance(error, ClientAuthenticationError):
        return IdentityUnavailable("no token for the briefing storage could be had")
    if isinstance(error, ServiceRequestError | ServiceResponseError):
        return StorageUnavailable("the briefing storage cannot be reached")
    return StorageUnavailable("the briefing storage failed")


def _from_status(status: int) -> RetrievalError:
    if status in REFUSED:
        return StorageRefused("the briefing storage refuses the app's identity")
    if status == MISSING:
        return StorageRefused("the container or queue of briefings does not exist")
    if status in BUSY or status >= 500:
        return StorageUnavailable("the briefing storage is busy or failed")
    return StorageRefused("the briefing storage refuses the request")


@contextmanager
def translated() -> Iterator[None]:
    """Turns what the SDKs raise inside into our errors."""
    try:
        yield
    except AzureError as error:
        raise translate(error) from None
    except TimeoutError:
        # aiohttp's own time-outs pass the SDK as they are.
        raise StorageUnavailable("the briefing storage did not answer in time") from None


@contextmanager
def translated_list(marker: str | None) -> Iterator[None]:
    """As `translated`; a marker that the service refuses is the caller's continuation, so the caller's mistake."""
    try:
        with translated():
            yield
    except StorageRefused as error:
        if marker is None or error.__context__ is None or getattr(error.__context__, "status_code", None) != 400:
            raise
        raise InvalidContinuation("the continuation is not one of this list") from None
