"""Doubles beneath the real SDK: a transport that answers from a script, a counting credential, a still clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any

from azure.core.credentials import AccessToken
from azure.core.exceptions import ServiceResponseError
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest

from emulators.azure_search.http import Reply
from emulators.azure_search.transport import EmbeddedResponse

ENDPOINT = "https://unit.search.windows.net"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One answer: JSON or raw text, after `delay` seconds, or a connection that drops."""

    status: int = 200
    body: Any = None
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    dropped: bool = False

    @property
    def content(self) -> bytes:
        """The bytes of the body."""
        return self.raw if self.raw is not None else json.dumps(self.body).encode()


def hits(*documents: dict[str, Any], **members: Any) -> Scripted:
    """A page of hits; one without a score gets 1."""
    scored = [{"@search.score": 1.0, **document} for document in documents]
    return Scripted(body={"value": scored, **members})


def refusal(status: int, message: str = "Refused.", code: str = "") -> Scripted:
    """An error of the service."""
    return Scripted(status=status, body={"error": {"code": code, "message": message}})


class ScriptedTransport(AsyncHttpTransport[HttpRequest, AsyncHttpResponse]):
    """Answers in turn, the last one again and again; keeps every request."""

    def __init__(self, *answers: Scripted | Callable[[HttpRequest], Scripted]) -> None:
        self.answers = answers
        self.requests: list[HttpRequest] = []
        self.started = asyncio.Event()
        self.stopped = 0
        self.closed = False

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The JSON bodies that were sent."""
        return [json.loads(str(request.content, "utf-8")) for request in self.requests]

    async def send(self, request: HttpRequest, **options: Any) -> AsyncHttpResponse:
        """The next answer. Raises the ServiceResponseError that a network gives for a dropped connection."""
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        self.started.set()
        scripted = answer if isinstance(answer, Scripted) else answer(request)
        try:
            await asyncio.sleep(scripted.delay)
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        if scripted.dropped:
            raise ServiceResponseError("The connection was dropped.")
        headers = {"Content-Type": "application/json", **scripted.headers}
        return EmbeddedResponse(request, Reply(status=scripted.status, body=scripted.content, headers=headers))

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Noted."""
        self.closed = True

    async def __aenter__(self) -> ScriptedTransport:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        return None


class CountingCredential:
    """Gives tokens that hold for `seconds` and counts how often it was asked, and for which scopes."""

    def __init__(self, seconds: float = 3600, error: Exception | None = None, delay: float = 0.0) -> None:
        self.seconds = seconds
        self.error = error
        self.delay = delay
        self.scopes: list[tuple[str, ...]] = []
        self.closed = False

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        """A token with its number in it."""
        self.scopes.append(scopes)
        await asyncio.sleep(self.delay)
        if self.error is not None:
            raise self.error
        expires = datetime.now(UTC) + timedelta(seconds=self.seconds)
        return AccessToken(f"token-{len(self.scopes)}", int(expires.timestamp()))

    async def close(self) -> None:
        """Noted."""
        self.closed = True

    async def __aenter__(self) -> CountingCredential:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class StillClock:
    """A clock that only its own pauses move; remembers them. One that `holds` never comes back from a pause."""

    def __init__(self, date: datetime = datetime(2026, 1, 1, 12, 0, tzinfo=UTC), *, holds: bool = False) -> None:
        self.holds = holds
        self.seconds = 0.0
        self.pauses: list[float] = []
        self._date = date

    def now(self) -> float:
        """Seconds that the pauses took."""
        return self.seconds

    def date(self) -> datetime:
        """The date of the start and the pauses since."""
        return self._date + timedelta(seconds=self.seconds)

    async def pause(self, seconds: float) -> None:
        """Note the pause and pass it at once."""
        self.pauses.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(3600 if self.holds else 0)
