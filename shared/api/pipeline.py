"""The rings around every handler: identity of the call, caller, body, capacity, work, and errors into replies."""

from __future__ import annotations

import asyncio
import re
import uuid
from functools import partial

from shared.retrieval import Caller, NotConfigured, OperatorError, RetrievalError
from shared.retrieval.concurrency import run_in_thread_if
from shared.telemetry import SECRET_HEADERS

from .auth import caller_of
from .capacity import is_long
from .health import live
from .requests import Request, check_body
from .responses import Failure, HttpError, Reply, failure_of
from .routes import Call, Route
from .services import Services, current_services

REQUEST_ID_HEADER = "x-ms-client-request-id"
USER_ID_HEADER = "x-ms-client-principal-id"
_REQUEST_ID = re.compile(r"[\x20-\x7e]{1,128}")
_ALWAYS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


async def answer_http(route: Route, request: Request, trace_context: object = None) -> Reply:
    """The reply to a call of the host, with the services of this process, inside the trace that the host began."""
    services = current_services()
    secrets = [value for name in SECRET_HEADERS if (value := request.headers.get(name))]
    secrets.append(request.query.get("code", ""))  # where a host key may stand too
    with services.telemetry.invocation(trace_context, secrets):
        return await respond(route, request, services)


def answer_live(request: Request) -> Reply:
    """The process answers; nothing else is looked at, no settings either."""
    return live().with_headers({REQUEST_ID_HEADER: _request_id(request)})


async def respond(route: Route, request: Request, services: Services) -> Reply:
    """The reply to one call. Nothing that a caller sends raises; a fault of ours is an answer without content."""
    request_id = _request_id(request)
    services.telemetry.allow("route", (route.name,))
    user = request.headers.get(USER_ID_HEADER) if services.settings.auth.mode == "entra" else None
    with services.signals.span("http_request", route=route.name, method=request.method, user_id=user) as span:
        answered = await _guarded(route, request, services, request_id)
        reply = route.fail(answered, request_id) if isinstance(answered, Failure) else answered
        span.set(status=reply.status, error_type=answered.code if isinstance(answered, Failure) else None)
    return reply.with_headers({REQUEST_ID_HEADER: request_id, **_ALWAYS})


def _request_id(request: Request) -> str:
    given = request.headers.get(REQUEST_ID_HEADER, "").strip()
    return given if _REQUEST_ID.fullmatch(given) else str(uuid.uuid4())


async def _guarded(route: Route, request: Request, services: Services, request_id: str) -> Reply | Failure:
    try:
        caller = _known_caller(route, request, services)
        body = await _read(route, request)
        call = Call(request=request, caller=caller, body=body, request_id=request_id)
        if not route.configured:
            return await route.handle(services, call)
        _configured(route, services)
        async with services.capacity.place(for_storage="storage" in route.needs):
            return await route.handle(services, call)
    except (RetrievalError, HttpError) as error:
        if isinstance(error, OperatorError):
            services.log_operator_error(route.name, error)
        return failure_of(error)
    except asyncio.CancelledError:
        raise
    except Exception as error:
        # The host would log and export the whole text of whatever leaves here, so nothing does.
        services.log_fault(route.name, error)
        return Failure(status=500, code="internal_error", message="The app failed; the operator can find the request id.")


def _known_caller(route: Route, request: Request, services: Services) -> Caller:
    auth = services.settings.auth
    if auth.problem and route.configured:
        raise NotConfigured(auth.problem)
    return caller_of(request, auth.mode, route.role)


async def _read(route: Route, request: Request) -> object:
    if route.read is None:
        return None
    if route.body_limit:
        check_body(request, route.body_limit)
    return await run_in_thread_if(is_long(request), partial(route.read, request))


def _configured(route: Route, services: Services) -> None:
    """Settings without which nothing is safe hold for every route, the others where they are needed."""
    if services.telemetry_unsafe:
        raise NotConfigured("Telemetry would leave the app unredacted.", code="telemetry_unsafe")
    services.settings.require("auth", "telemetry", "app", *route.needs)
