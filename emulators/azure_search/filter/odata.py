"""The tree of the one OData parser, which lives in the retrieval package; here it is evaluated.

The package's root holds `odata` as the builder of filters, so the tree's module is named in full, and only here.
"""

from shared.retrieval.filters.odata import (
    And,
    Boolean,
    Compare,
    Comparison,
    DateTimeOffset,
    Distance,
    FilterSyntax,
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
    parse,
)

__all__ = [
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
    "parse",
]
