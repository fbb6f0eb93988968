"""Routes under briefings and batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, get_args

from shared.briefing import (
    PAGE_CONTENT_SECURITY_POLICY,
    check_batch_page,
    check_rejections_page,
    check_submission,
)
from shared.retrieval import Format, InvalidRequest, Problem
from shared.settings import Section

from .json import body_as, fault_paths
from .requests import Request
from .responses import Reply
from .routes import Call, Handle, Route
from .schemas.briefings import (
    SubmissionBody,
    batch_href,
    batch_json,
    briefing_json,
    definitions_json,
    page_json,
    receipts_json,
    rejections_json,
    submission_items,
)
from .services import Services

FORMATS: tuple[Format, ...] = get_args(Format)
CONTENT_TYPES: dict[Format, str] = {"html": "text/html", "markdown": "text/markdown", "text": "text/plain"}
_PARAMETERS = {"invalid_status": "?status", "invalid_continuation": "?continuation"}
PAGE_HEADERS = {
    "Content-Security-Policy": PAGE_CONTENT_SECURITY_POLICY,
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}


class BatchPlace(NamedTuple):
    """Where in the list of a batch a page begins."""

    status: str | None
    continuation: str | None


async def handle_submit(services: Services, call: Call) -> Reply:
    """Takes all briefings of the call or none."""
    body: SubmissionBody = call.body
    # The caller's mistakes come first: settings and storage play no part in them.
    check_submission(services.definitions, body.batch_id, submission_items(body))
    services.settings.require(*_NEEDS)
    receipt = await (await services.briefings()).submit(body.batch_id, submission_items(body), call.caller)
    location = {"Location": batch_href(receipt.batch_id)}
    return Reply(status=202, body=receipts_json(receipt.batch_id, receipt.briefings), headers=location)


def read_format(request: Request) -> Format | None:
    """The form of a page; None for JSON."""
    asked = request.query.get("format")
    if asked is None:
        return None
    form = next((known for known in FORMATS if known == asked), None)
    if form is None:
        flaw = Problem("?format", "out_of_range", f"This must be one of {', '.join(FORMATS)}.")
        raise InvalidRequest(flaw.message, problems=(flaw,))
    return form


async def handle_get(services: Services, call: Call) -> Reply:
    """One briefing: JSON, or with `format` a page for people."""
    briefings, briefing_id = await services.briefings(), _id(call)
    form: Format | None = call.body
    if form is None:
        return Reply(body=briefing_json(await briefings.get(briefing_id, call.caller)))
    page = await briefings.render(briefing_id, form, call.caller)
    return Reply(body=page, headers=PAGE_HEADERS, content_type=CONTENT_TYPES[form])


async def handle_delete(services: Services, call: Call) -> Reply:
    """Cancels or erases one briefing."""
    await (await services.briefings()).delete(_id(call), call.caller)
    return Reply(status=204)


def read_batch_page(request: Request) -> BatchPlace:
    """Which page of a batch, of which status."""
    place = BatchPlace(request.query.get("status"), request.query.get("continuation"))
    with fault_paths(_PARAMETERS):
        check_batch_page(request.route_params.get("id", ""), place.status, place.continuation)
    return place


def read_batch(request: Request) -> BatchPlace | None:
    """The part of a batch that its page shows; None for JSON, which tells of the whole. Its one form is HTML."""
    asked = request.query.get("format")
    if asked is None:
        return None
    if asked != "html":
        flaw = Problem("?format", "out_of_range", "Must be html.")
        raise InvalidRequest(flaw.message, problems=(flaw,))
    return read_batch_page(request)


async def handle_batch(services: Services, call: Call) -> Reply:
    """How far a batch is: JSON, or with `format` a page for people."""
    briefings, place = await services.briefings(), call.body
    if place is None:
        return Reply(body=batch_json(await briefings.batch(_id(call))))
    with fault_paths(_PARAMETERS):
        page = await briefings.render_batch(_id(call), call.caller, status=place.status, continuation=place.continuation)
    return Reply(body=page, headers=PAGE_HEADERS, content_type=CONTENT_TYPES["html"])


async def handle_list(services: Services, call: Call) -> Reply:
    """A page of a batch."""
    place: BatchPlace = call.body
    with fault_paths(_PARAMETERS):
        briefings = await services.briefings()
        page = await briefings.batch_page(_id(call), call.caller, status=place.status, continuation=place.continuation)
    return Reply(body=page_json(page))


async def handle_retries(services: Services, call: Call) -> Reply:
    """New briefings for those of a batch that failed."""
    receipts = await (await services.briefings()).retry_batch(_id(call), call.caller)
    return Reply(status=202, body=receipts_json(_id(call), receipts), headers={"Location": batch_href(_id(call))})


async def handle_delete_batch(services: Services, call: Call) -> Reply:
    """Cancels or erases all briefings of a batch."""
    await (await services.briefings()).delete_batch(_id(call), call.caller)
    return Reply(status=204)


async def handle_definitions(services: Services, call: Call) -> Reply:
    """What can be briefed on."""
    return Reply(body=definitions_json((await services.briefings()).definitions()))


def read_rejections_page(request: Request) -> str | None:
    """Which page of the rejections."""
    continuation = request.query.get("continuation")
    with fault_paths(_PARAMETERS):
        check_rejections_page(continuation)
    return continuation


async def handle_rejections(services: Services, call: Call) -> Reply:
    """A page of queue messages that could not be taken."""
    with fault_paths(_PARAMETERS):
        page = await (await services.briefings()).rejections(call.body)
    return Reply(body=rejections_json(page))


def _id(call: Call) -> str:
    return call.request.route_params.get("id", "")


_NEEDS: tuple[Section, ...] = ("retrieval", "model", "citations", "briefings", "storage")


def _reading(name: str, handle: Handle, read: Callable[[Request], Any] | None = None) -> Route:
    return Route(name=name, handle=handle, role="Briefings.Read", read=read, body_limit=0, needs=_NEEDS)


def _changing(name: str, handle: Handle) -> Route:
    return Route(name=name, handle=handle, role="Briefings.Submit", needs=_NEEDS)


SUBMIT_BRIEFINGS = Route(
    name="briefings",
    handle=handle_submit,
    role="Briefings.Submit",
    read=body_as(SubmissionBody),
)
GET_BRIEFING = _reading("briefings/{id}", handle_get, read_format)
DELETE_BRIEFING = _changing("briefings/{id}", handle_delete)
GET_BATCH = _reading("batches/{id}", handle_batch, read_batch)
LIST_BATCH = _reading("batches/{id}/briefings", handle_list, read_batch_page)
RETRY_BATCH = _changing("batches/{id}/retries", handle_retries)
DELETE_BATCH = _changing("batches/{id}", handle_delete_batch)
BRIEFING_DEFINITIONS = _reading("briefing-definitions", handle_definitions)
BRIEFING_REJECTIONS = _reading("briefing-rejections", handle_rejections, read_rejections_page)
