"""Citations: markers read, checked and resolved to safe output (spec 5)."""

from .resolve import check, resolve
from .results import Check, Citation, CitationProblem, Format, ProblemCode, Resolution
from .retrieval_reply import sources_from_retrieval
from .stream import CitationStream

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
