"""`POST /api/citations` and `POST /api/citations/stream`."""

from __future__ import annotations

from collections import Counter
from functools import partial

from shared.retrieval import MAX_CITATIONS_BODY_BYTES, CitationStream, Resolution, Signals, SpanHandle, resolve
from shared.retrieval.concurrency import LONG_ANSWER_CHARACTERS, run_in_thread_if

from .json import body_as, fault_paths
from .responses import Reply
from .routes import Call, Route
from .schemas.citations import CitationsBody, StreamBody, given_sources, resolution_json, sources_of, stream_json
from .services import Services

# What telemetry is told of citations: counts and codes, never the answer's words but through the redactor.


def tell_resolution(signals: Signals, span: SpanHandle, resolution: Resolution) -> None:
    """Markers, citations and problems of a resolved answer."""
    span.set(
        valid=resolution.valid,
        markers=sum(citation.count for citation in resolution.citations),
        citations=len(resolution.citations),
        uncited=len(resolution.uncited),
        problems=len(resolution.problems) + resolution.more_problems,
    )
    for code, times in Counter(problem.code for problem in resolution.problems).items():
        signals.count("app.citations.problems", times, problem=code)


_MEMBERS = {"evidence_required": "$.evidence", "evidence_too_long": "$.evidence", "unknown_state": "$.state"}


async def handle_citations(services: Services, call: Call) -> Reply:
    """The answer with its markers checked and resolved."""
    body: CitationsBody = call.body
    resolved = partial(
        resolve,
        body.answer,
        given_sources(body),
        format=body.format,
        required=body.required,
        allowed_hosts=services.settings.allowed_link_hosts,
        references=body.retrieval is not None,
        figures=body.check_figures,
        evidence=body.evidence,
    )
    with services.signals.span(
        "citations",
        format=body.format,
        required=body.required,
        figures=body.check_figures,
        characters=len(body.answer),
        answer=body.answer,
    ) as span:
        with fault_paths(_MEMBERS):
            resolution = await run_in_thread_if(len(call.request.body) > LONG_ANSWER_CHARACTERS, resolved)
        tell_resolution(services.signals, span, resolution)
    return Reply(body=resolution_json(resolution))


async def handle_stream(services: Services, call: Call) -> Reply:
    """The text that a piece of an answer releases, and the state that goes with the next piece."""
    body: StreamBody = call.body
    length = len(body.chunk) + len(body.state or "")
    fed = partial(_feed, body, services.settings.allowed_link_hosts)
    with services.signals.span(
        "citations_stream", format=body.format, required=body.required, final=body.final, characters=length
    ) as span:
        with fault_paths(_MEMBERS):
            piece, resolution = await run_in_thread_if(len(call.request.body) > LONG_ANSWER_CHARACTERS, fed)
        if resolution is not None:
            tell_resolution(services.signals, span, resolution)
    return Reply(body=piece)


def _feed(body: StreamBody, allowed_hosts: tuple[str, ...]) -> tuple[dict[str, object], Resolution | None]:
    stream = CitationStream(
        sources_of(body.sources),
        format=body.format,
        required=body.required,
        allowed_hosts=allowed_hosts,
        state=body.state,
    )
    text = stream.feed(body.chunk, final=body.final)
    return stream_json(text, None if body.final else stream.state, stream.resolution), stream.resolution


CITATIONS = Route(
    name="citations",
    handle=handle_citations,
    read=body_as(CitationsBody),
    body_limit=MAX_CITATIONS_BODY_BYTES,
    needs=("citations",),
)
CITATIONS_STREAM = Route(
    name="citations/stream",
    handle=handle_stream,
    read=body_as(StreamBody),
    body_limit=MAX_CITATIONS_BODY_BYTES,
    needs=("citations",),
)
