"""Citations: markers read, checked and resolved to safe output (spec 5)."""

from .resolve import check, resolve
from .retrieval_reply import sources_from_retrieval
from .stream import CitationStream
from .values import Check, Citation, CitationProblem, Format, ProblemCode, Resolution

__all__ = [
    "Check",
    "Citation",
    "CitationProblem",
    "CitationStream",
    "Format",
    "ProblemCode",
    "Resolution",
    "check",
    "resolve",
    "sources_from_retrieval",
]
