"""The OData parser: what it takes, what it refuses and where, and that no text can hang it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval import InvalidFilter
from shared.retrieval.filters.odata import (
    MAX_DEPTH,
    And,
    Boolean,
    Compare,
    DateTimeOffset,
    FilterSyntax,
    Lambda,
    Literal,
    Node,
    Not,
    Or,
    Path,
    SearchIn,
    fields_of,
    parse,
    to_text,
)
from tests.support.counted_work import is_linear

TAKEN = [
    ("urn eq '100000' and open_date ge 2020-01-01T00:00:00Z", {"urn", "open_date"}),
    ("not (a eq 1) or b", {"a", "b"}),
    ("(tenant eq 't1') and (a eq 1 or true)", {"tenant", "a"}),
    ("tags/any(t: t eq 'x')", {"tags"}),
    ("tags/any()", {"tags"}),
    ("tags/all(t: t ne 'x' and not (t eq 'D''S'))", {"tags"}),
    ("Rooms/any(r: r/Price lt 5 and r/Tags/any(t: search.in(t, 'a|b', '|')))", {"Rooms/Price", "Rooms/Tags"}),
    ("Rooms/any(r: true)", {"Rooms"}),
    ("search.in(town, 'Bath|York', '|')", {"town"}),
    ("search.in(town, 'Bath, York')", {"town"}),
    ("geo.distance(location, geography'POINT(-122.131577 47.678581)') le 10", {"location"}),
    ("5 gt geo.distance(geography'POINT(-122.13 47.67)', location)", {"location"}),
    ("geo.intersects(location, geography'POLYGON((-1 1, -1 2, -2 2, -1 1))')", {"location"}),
    ("search.ismatch('\"a b\"~5', 'D', 'full', 'any') or search.ismatchscoring('x')", {"D"}),
    ("n lt -INF or n le INF or n eq -1.5e-7 or n eq +3", {"n"}),
    ("a eq null and b ne true and not c", {"a", "b", "c"}),
    ("search.in(a,'x') eq false", {"a"}),
    ("Bucket/BucketName eq 'B'", {"Bucket/BucketName"}),
    ("(a) eq 1", {"a"}),
    ("and eq 1", {"and"}),
    ("open_date ge 2020-01-01T00:00+01:00", {"open_date"}),
    ("open_date ge 2020-01-01T00:00+14:00", {"open_date"}),
]


@pytest.mark.parametrize(("text", "fields"), TAKEN)
def test_filter_is_read_and_written_again(text: str, fields: set[str]) -> None:
    node = parse(text)

    assert fields_of(node) == fields
    assert parse(to_text(node)) == node


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a or b and c", Or((Boolean(Path(("a",))), And((Boolean(Path(("b",))), Boolean(Path(("c",)))))))),
        ("not a and b", And((Not(Boolean(Path(("a",)))), Boolean(Path(("b",)))))),
        (
            "a eq 1 or b eq 2 or c eq 3",
            Or(tuple(Compare("eq", Path((n,)), Literal(v)) for n, v in zip("abc", (1, 2, 3), strict=True))),
        ),
        ("'O''Hara' eq name", Compare("eq", Literal("O'Hara"), Path(("name",)))),
        ("search.in(a, 'x eq false') ne true", Not(SearchIn(Path(("a",)), ("x", "eq", "false"), None))),
        ("search.in(a, 'x,y;;z', ',;')", SearchIn(Path(("a",)), ("x", "y", "z"), ",;")),
    ],
)
def test_precedence_and_shape(text: str, tree: Node) -> None:
    assert parse(text) == tree


REFUSED = [
    ("state eq VA", 11, "put text in single quotes, as in state eq 'VA'"),
    ("state eq New York", 12, "put text in single quotes"),
    ("a eq b", 6, "put text in single quotes"),
    ("This is not a valid filter.", 7, "does not continue the filter"),
    ("a eq 'x", 7, "never ends"),
    ('a eq "x"', 6, "no meaning in a filter"),
    ("a eq 2020-01-01", 15, "a date needs a time and a zone"),
    ("a eq 2020-13-01T00:00:00Z", 25, "must exist"),
    ("a eq 2020-01-01T00:00:00", 24, "a zone"),
    ("a eq 2020-01-01T00:00:00-14:01", 30, "must exist"),
    ("not a eq 1", 8, "write not (field eq value)"),
    ("1 eq 1", 6, "needs a field on one side"),
    ("", 0, "blank"),
    ("a)", 2, "does not continue"),
    ("(a", 2, "')' is missing"),
    ("a and", 5, "ends too early"),
    ("f(a)", 2, "knows no such function"),
    ("a in ('x')", 4, "does not continue"),
    ("tags/any(t: t eq 'x'", 20, "')' is missing"),
    ("tags/any(t: tags/any(t: t eq 'x'))", 22, "already in use"),
    ("a eq 1e999", 10, "too large"),
    ("'abc'", 5, "no condition"),
    ("geo.distance(a, geography'POINT(1 91)') lt 3", 38, "a latitude within 90"),
    ("geo.distance(l, geography'POINT(1 1)') eq 3", 43, "lt, le, gt or ge"),
    ("geo.distance(l, geography'CIRCLE(1 1)') lt 3", 38, "POINT(longitude latitude)"),
    ("geo.intersects(l, geography'POLYGON((1 1, 2 2, 3 3))')", 53, "ends with the first"),
    ("geo.distance(l, 'x') lt 3", 20, "takes a field and a point"),
    ("geo.intersects(l, 'x')", 22, "a field and a polygon"),
    ("search.in(l)", 12, "takes a field, a quoted list"),
    ("search.in(l, 'a', '')", 21, "its delimiters"),
    ("search.ismatch('a', 'b', 'c')", 29, "one, two or four"),
    ("search.ismatch('a', 'b', 'lucene', 'any')", 41, "'simple' or 'full'"),
    ("t/any(x: search.ismatch('a'))", 28, "inside any or all"),
    ("search.in(a, 'x') gt 3", 22, "true or false by itself"),
    ("(a eq 1) eq 2", 13, "between a field and a value"),
    ("a/b/ eq 1", 9, "does not continue"),
    ("a.b eq 1", 3, "no field name"),
    ("tags/all()", 10, "no field name"),
    ("search.in(a/any(x: x eq 1), 'b')", 26, "cannot be an argument"),
    (", a", 1, "is missing here"),
    ("a eq " + "1" * 500, 505, "too long"),
]


@pytest.mark.parametrize(("text", "position", "words"), REFUSED)
def test_refusal_names_the_place_and_what_to_do(text: str, position: int, words: str) -> None:
    with pytest.raises(FilterSyntax) as caught:
        parse(text)

    assert isinstance(caught.value, InvalidFilter)
    assert words in caught.value.message
    assert caught.value.position == position


HOSTILE = ["(", "not ", "a/any(x:", "a eq '", "''", "a or ", "-", " ", "a", "1", "a/", "geography'", "a,", "'a' ", "a in "]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_linear_work_and_never_exhausts_the_stack(piece: str) -> None:
    def read(text: str) -> None:
        with suppress(FilterSyntax):
            to_text(parse(text))

    assert is_linear(read, piece * 500, piece * 4_000)


def test_numbers_that_are_none_are_written_as_the_service_reads_them() -> None:
    assert to_text(parse("n eq NaN or n eq INF or n eq -INF")) == "n eq NaN or n eq INF or n eq -INF"


def test_nesting_up_to_the_bound_is_read() -> None:
    parse("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH)

    with pytest.raises(FilterSyntax, match="nested deeper"):
        parse("(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1))


NAMES = st.sampled_from(["urn", "town", "Rooms", "a_b"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda parts: Path(tuple(parts)))
LITERALS = st.one_of(
    st.text(max_size=20), st.booleans(), st.integers(-(10**18), 10**18), st.floats(allow_nan=False), st.none()
).map(Literal) | st.just(Literal(DateTimeOffset("2020-01-01T00:00:00Z")))
COMPARISONS = st.builds(Compare, st.sampled_from(["eq", "ne", "gt", "ge", "lt", "le"]), PATHS, LITERALS)
MEMBERS = st.lists(st.text("abcé'", min_size=1, max_size=5), max_size=4).map(tuple)
LEAVES = st.one_of(COMPARISONS, PATHS.map(Boolean), st.builds(SearchIn, PATHS, MEMBERS, st.just("|")))


def _grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    operands = st.lists(inner, min_size=2, max_size=3).map(tuple)
    lambdas = st.builds(Lambda, st.sampled_from(["any", "all"]), PATHS, st.just("x"), LEAVES)
    return st.one_of(operands.map(And), operands.map(Or), inner.map(Not), lambdas)


@given(st.recursive(LEAVES, _grown, max_leaves=12))
def test_every_tree_survives_being_written_and_read(node: Node) -> None:
    assert parse(to_text(node)) == node


@given(st.text("abeq'()/: 1.-{}\n", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = parse(text)
    except FilterSyntax:
        return
    assert parse(to_text(node)) == node
