"""The OData filter language of Azure AI Search: one parser, its tree and its printer.

Retrieval checks filters with it; the embedded search service evaluates the same tree.
"""

from __future__ import annotations

from .odata_parser import MAX_DEPTH, parse
from .odata_printer import fields_of, to_text
from .odata_tokens import FilterSyntax
from .odata_tree import (
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
