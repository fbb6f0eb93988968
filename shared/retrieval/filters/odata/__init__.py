"""The OData filter language of Azure AI Search: one parser, its tree and its printer.

Retrieval checks filters with it; the embedded search service evaluates the same tree.
"""

from __future__ import annotations

from .ast import (
    And,
    Boolean,
    Compare,
    Comparison,
    DateTimeOffset,
    Distance,
    Intersects,
    Lambda,
    Literal,
    Node,
    Not,
    Or,
    Path,
    Point,
    Polygon,
    SearchIn,
    SearchIsMatch,
)
from .lexer import FilterSyntax
from .parser import MAX_DEPTH, parse
from .printer import fields_of, to_text

__all__ = [
    "MAX_DEPTH",
    "And",
    "Boolean",
    "Compare",
    "Comparison",
    "DateTimeOffset",
    "Distance",
    "FilterSyntax",
    "Intersects",
    "Lambda",
    "Literal",
    "Node",
    "Not",
    "Or",
    "Path",
    "Point",
    "Polygon",
    "SearchIn",
    "SearchIsMatch",
    "fields_of",
    "parse",
    "to_text",
]
