"""The admin side, under `/local`: faults, captured requests, callers, refusal of definition calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import Field

from ..errors import ServiceError
from ..http import Reply, Request, json_reply
from ..schema.models import StrictModel, validate
from .faults import read_fault

if TYPE_CHECKING:
    from ..service import SearchService

PREFIX = "/local/"


class CallerBody(StrictModel):
    """A caller to be registered."""

    token: str = Field(min_length=1)
    user: str | None = None
    groups: list[str] = Field(default_factory=list)


def answer_admin(service: SearchService, request: Request) -> Reply:
    """`/local/faults`, `requests`, `definitions` and `callers`; other addresses are 404."""
    table: dict[tuple[str, str], Callable[[SearchService, Request], Reply]] = {
        ("POST", "faults"): _add_faults,
        ("GET", "faults"): lambda service, _: json_reply(200, {"count": len(service.faults)}),
        ("DELETE", "faults"): _clear_faults,
        ("POST", "requests"): _start_capture,
        ("GET", "requests"): lambda service, _: json_reply(200, {"value": service.capture.to_json()}),
        ("DELETE", "requests"): _stop_capture,
        ("PUT", "definitions"): _refuse_definitions,
        ("PUT", "callers"): _register_caller,
    }
    if "authorization" in request.headers:
        raise ServiceError(403, "", "The admin side takes no tokens.")
    found = table.get((request.method, request.path.removeprefix(PREFIX).strip("/")))
    return Reply(status=404) if found is None else found(service, request)


def _add_faults(service: SearchService, request: Request) -> Reply:
    service.faults.add(read_fault(request.json()))
    return json_reply(201, {"count": len(service.faults)})


def _clear_faults(service: SearchService, request: Request) -> Reply:
    service.faults.clear()
    return Reply(status=204)


def _start_capture(service: SearchService, request: Request) -> Reply:
    service.capture.clear()
    service.capture.on = True
    return Reply(status=204)


def _stop_capture(service: SearchService, request: Request) -> Reply:
    service.capture.on = False
    service.capture.clear()
    return Reply(status=204)


def _refuse_definitions(service: SearchService, request: Request) -> Reply:
    service.definitions_need_key = request.json().get("needKey") is True
    return Reply(status=204)


def _register_caller(service: SearchService, request: Request) -> Reply:
    """Register a token of `x-ms-query-source-authorization` for a user and groups."""
    body = request.json()
    caller = validate(CallerBody, body, "caller")
    service.state.identities.register(caller.token, user=caller.user, groups=caller.groups)
    return Reply(status=204)
