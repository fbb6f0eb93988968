"""Citations: markers read, checked and resolved to safe output."""

from .markers import sources_from_retrieval
from .resolve import check, resolve
from .results import Check, Citation, CitationProblem, Format, ProblemCode, Resolution
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
