"""Bodies of `/api/citations` and its stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from shared.retrieval import Citation, CitationProblem, InvalidRequest, Problem, Resolution, Source, sources_from_retrieval

from .base import Answer, Body, SourceBody, Sources

Format = Literal["html", "markdown", "text"]


class CitationsBody(Body):
    """Body of `POST /api/citations`: the sources as they are, or a retrieve reply in `retrieval`."""

    answer: Answer
    sources: Sources | None = None
    retrieval: dict[str, Any] | None = None
    format: Format = "html"
    required: bool = True
    check_figures: bool = False
    evidence: str | None = None


class StreamBody(Body):
    """Body of `POST /api/citations/stream`."""

    chunk: Answer
    state: str | None = None
    sources: Sources
    format: Format = "html"
    required: bool = True
    final: bool = False


def sources_of(bodies: Iterable[SourceBody]) -> tuple[Source, ...]:
    """Sources of a body as values."""
    return tuple(Source(number=body.number, name=body.name, link=body.link) for body in bodies)


def given_sources(body: CitationsBody) -> tuple[Source, ...]:
    """The sources that the answer's markers mean. Raises InvalidRequest unless exactly one form is given."""
    if (body.sources is None) == (body.retrieval is None):
        flaw = Problem("$.sources", "missing", "Give either sources or retrieval, not both and not neither.")
        raise InvalidRequest("The request needs sources or retrieval.", problems=(flaw,))
    if body.sources is not None:
        return sources_of(body.sources)
    return sources_from_retrieval(body.retrieval or {}, path="$.retrieval")


def citation_json(citation: Citation) -> dict[str, Any]:
    """One cited source."""
    return {"number": citation.number, "name": citation.name, "link": citation.link, "count": citation.count}


def citation_problem_json(problem: CitationProblem) -> dict[str, Any]:
    """One finding of the check."""
    return {"code": problem.code, "numbers": list(problem.numbers), "excerpt": problem.excerpt}


def resolution_json(resolution: Resolution) -> dict[str, Any]:
    """The reply of `/api/citations`, and the last members of its stream."""
    reply: dict[str, Any] = {
        "valid": resolution.valid,
        "answer": resolution.answer,
        "citations": [citation_json(citation) for citation in resolution.citations],
        "uncited": list(resolution.uncited),
        "problems": [citation_problem_json(problem) for problem in resolution.problems],
        "retryPrompt": resolution.retry_prompt,
    }
    return reply | ({"moreProblems": resolution.more_problems} if resolution.more_problems else {})


def stream_json(text: str, state: str | None, resolution: Resolution | None) -> dict[str, Any]:
    """The reply of `/api/citations/stream`: with the last piece the verdict follows, and there is no state any more."""
    return {"text": text, "state": state} | ({} if resolution is None else resolution_json(resolution))
