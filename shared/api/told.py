"""What telemetry is told of citations: counts and codes, never the answer's words but through the redactor."""

from __future__ import annotations

from collections import Counter

from shared.retrieval import Resolution, Signals, SpanHandle


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
