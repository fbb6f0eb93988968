"""A route: what it asks of a caller and a body, and the handler behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from shared.retrieval import MAX_BODY_BYTES, Caller
from shared.settings import Section

from .auth import Role
from .requests import Request
from .responses import Failure, Reply, problem_reply
from .services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call on its way through a handler: the request, who sent it, what the route's `read` made of it, its id."""

    request: Request
    caller: Caller
    body: Any
    request_id: str


Handle = Callable[[Services, Call], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """`name` is the route template as telemetry knows it, `needs` the settings it cannot work without. `read` makes values
    of the body and whatever else says what is asked; a route without it, or with a `body_limit` of 0, takes no body.

    `configured` is False for readiness alone, which answers while settings are wrong and takes no place of the others.
    """

    name: str
    handle: Handle
    role: Role = "Evidence.Read"
    read: Callable[[Request], Any] | None = None
    body_limit: int = MAX_BODY_BYTES
    needs: tuple[Section, ...] = ()
    configured: bool = True
    fail: Callable[[Failure, str], Reply] = problem_reply
