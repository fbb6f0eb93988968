"""Bodies of the routes under briefings and batches."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field

from shared.briefing import (
    BatchPage,
    BatchProgress,
    BriefingView,
    Definition,
    ListedBriefing,
    Receipt,
    RejectionPage,
    SectionView,
    SubmissionItem,
)
from shared.retrieval import MAX_BRIEFINGS_PER_CALL, CitationProblem, Problem

from .answers import sources_json, usage_json, writer_json
from .base import Body
from .citations import citation_json, citation_problem_json


class BriefingItem(Body):
    """One briefing of a submission."""

    id: str | None = None
    briefing: str
    parameters: dict[str, Any]


class SubmissionBody(Body):
    """Body of `POST /api/briefings`."""

    batch_id: str | None = None
    briefings: Annotated[list[BriefingItem], Field(min_length=1, max_length=MAX_BRIEFINGS_PER_CALL)]


def submission_items(body: SubmissionBody) -> list[SubmissionItem]:
    """The briefings asked for, as values."""
    return [SubmissionItem(id=item.id, briefing=item.briefing, parameters=item.parameters) for item in body.briefings]


def receipts_json(batch_id: str, receipts: Iterable[Receipt]) -> dict[str, Any]:
    """The reply to a submission or to retries."""
    briefings = [{"id": r.id, "status": r.status, "href": briefing_href(r.id)} for r in receipts]
    return {"batchId": batch_id, "briefings": briefings}


def briefing_href(briefing_id: str) -> str:
    """The address of a briefing, below the app's own."""
    return f"/api/briefings/{quote(briefing_id, safe='')}"


def batch_href(batch_id: str) -> str:
    """The address of a batch, below the app's own."""
    return f"/api/batches/{quote(batch_id, safe='')}"


def briefing_json(view: BriefingView) -> dict[str, Any]:
    """One briefing. Members that do not apply to it are left out, those of the contract's fixed part are null."""
    reply: dict[str, Any] = {
        "id": view.id,
        "batchId": view.batch_id,
        "briefing": view.briefing,
        "definitionVersion": view.definition_version,
        "status": view.status,
        "createdAt": moment(view.created_at),
        "attempts": view.attempts,
        "parameters": dict(view.parameters),
        "answer": view.answer,
        "sections": [_section_json(section) for section in view.sections],
        "citations": [citation_json(citation) for citation in view.citations],
        "sources": sources_json(view.sources, view.cited),
        "problems": [_problem_json(problem) for problem in view.problems],
        "writer": None if view.writer is None else writer_json(view.writer),
    }
    optional = {
        "reason": view.reason,
        "retryAt": moment(view.retry_at),
        "startedAt": moment(view.started_at),
        "finishedAt": moment(view.finished_at),
        "uncheckedAnswer": view.unchecked_answer,
        "synthesis": None if view.synthesis is None else _section_json(view.synthesis),
        "usage": usage_json(view.usage),
        "retryOf": view.retry_of,
    }
    return reply | {name: value for name, value in optional.items() if value is not None}


def _section_json(section: SectionView) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": section.name,
        "title": section.title,
        "status": section.status,
        "answer": section.answer,
        "citations": [citation_json(citation) for citation in section.citations],
        "problems": [citation_problem_json(problem) for problem in section.problems],
    }
    optional = {"uncheckedAnswer": section.unchecked_answer, "reason": section.reason}
    return shown | {name: value for name, value in optional.items() if value is not None}


def _problem_json(problem: Problem | CitationProblem) -> dict[str, Any]:
    if isinstance(problem, CitationProblem):
        return citation_problem_json(problem)
    return {"path": problem.path, "code": problem.code, "message": problem.message}


def batch_json(progress: BatchProgress) -> dict[str, Any]:
    """How far a batch is."""
    return {
        "batchId": progress.batch_id,
        "counts": dict(progress.counts),
        "total": progress.total,
        "percent": progress.percent,
        "startedAt": moment(progress.started_at),
        "updatedAt": moment(progress.updated_at),
    }


def page_json(page: BatchPage) -> dict[str, Any]:
    """A page of a batch."""
    return {
        "batchId": page.batch_id,
        "briefings": [_listed_json(briefing) for briefing in page.briefings],
        "continuation": page.continuation,
    }


def _listed_json(briefing: ListedBriefing) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": briefing.id,
        "status": briefing.status,
        "briefing": briefing.briefing,
        "createdAt": moment(briefing.created_at),
        "href": briefing_href(briefing.id),
    }
    optional = {"finishedAt": moment(briefing.finished_at), "reason": briefing.reason, "retryOf": briefing.retry_of}
    shown |= {name: value for name, value in optional.items() if value is not None}
    return shown | {"erased": True} if briefing.erased else shown


def definitions_json(definitions: Iterable[Definition]) -> dict[str, Any]:
    """What can be briefed on."""
    return {
        "definitions": [
            {
                "name": definition.name,
                "version": definition.version,
                "title": definition.title,
                "description": definition.description,
                "indexes": list(definition.indexes),
                "parameters": definition.schema,
            }
            for definition in definitions
        ]
    }


def rejections_json(page: RejectionPage) -> dict[str, Any]:
    """Messages that could not be taken, never their text."""
    return {
        "rejections": [
            {
                "messageId": rejection.message_id,
                "at": moment(rejection.at),
                "reason": rejection.reason,
                "id": rejection.id,
                "batchId": rejection.batch_id,
                "briefing": rejection.briefing,
                "problems": [_problem_json(problem) for problem in rejection.problems],
            }
            for rejection in page.rejections
        ],
        "continuation": page.continuation,
    }


def moment(value: datetime | None) -> str | None:
    """A moment in UTC with its zone (RFC 3339)."""
    return None if value is None else value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
