"""Filters of a request: what each form becomes, and the JSON path of what is wrong with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval import (
    FilterNotBuilt,
    IndexSettings,
    InvalidFilter,
    ODataFilter,
    Retrieval,
    TooLarge,
    filter_from_json,
    odata,
)
from shared.retrieval.filters.odata import Compare, Literal, parse
from shared.retrieval.filters.policy import check_fields
from tests.retrieval.doubles import ScriptedTransport, hits
from tests.retrieval.set_up import retrieval_of


def template(text: str, /, **values: Any) -> dict[str, Any]:
    """A template with its values, as in a request."""
    return {"template": text, "values": values}


SINCE = {"type": "DateTimeOffset", "value": "2020-01-01T00:00:00Z"}
BUILT = [
    (
        template("urn eq {u} and open_date ge {s}", u="100000", s=SINCE),
        "urn eq '100000' and open_date ge 2020-01-01T00:00:00Z",
    ),
    (template("f eq {v}", v=True), "f eq true"),
    (template("f eq {v}", v=None), "f eq null"),
    (template("f eq {v}", v=3), "f eq 3"),
    (template("author eq {v}", v="D'Souza"), "author eq 'D''Souza'"),
    (template("a eq {v}", v="x' or 1 eq 1 or author eq 'y"), "a eq 'x'' or 1 eq 1 or author eq ''y'"),
    (template("town in {t}", t=["Bath", "York"]), "search.in(town, 'Bath|York', '|')"),
    (template("town in {t}", t=["a|b", "c"]), "search.in(town, 'a|b,c', ',')"),
    (template("town in {t}", t=["|,;~^¦§¶", "x"]), "(town eq '|,;~^¦§¶' or town eq 'x')"),
    (template("town in {t}", t=[" padded", "x"]), "(town eq ' padded' or town eq 'x')"),
    (template("n in {t}", t=[1, 2]), "(n eq 1 or n eq 2)"),
    (template("not n in {t}", t=[1]), "not (n eq 1)"),
    (template("x in {t}", t=[None, "", True, "a"]), "(search.in(x, 'a', '|') or x eq null or x eq '' or x eq true)"),
    (template("groups/any in {t}", t=["a", "b"]), "groups/any(g: search.in(g, 'a|b', '|'))"),
    (template("groups/any in {t}", t=[1, 2]), "groups/any(g: (g eq 1 or g eq 2))"),
    (template("g/any(g: g/tags/any in {t})", t=["x"]), "g/any(g: g/tags/any(g0: search.in(g0, 'x', '|')))"),
    (template("a eq 'x{{y}}' and b eq {v}", v=1), "a eq 'x{y}' and b eq 1"),
    ({"template": "open eq true"}, "open eq true"),
    ({"equals": {"urn": "100000", "open": True}}, "urn eq '100000' and open eq true"),
    ({"equals": {"n": [1, 2], "a/b": None}}, "(n eq 1 or n eq 2) and a/b eq null"),
    ({"equals": {"since": SINCE}}, "since eq 2020-01-01T00:00:00Z"),
    ({"raw": " urn eq '1' "}, " urn eq '1' "),
]


@pytest.mark.parametrize(("written", "text"), BUILT)
def test_form_becomes_odata(written: dict[str, Any], text: str) -> None:
    built = filter_from_json(written)

    assert built.text == text
    assert not built.empty
    assert built.node == parse(text)


@pytest.mark.parametrize(
    "written",
    [
        template("groups/any in {t}", t=[]),
        template("a eq 1 or town in {t}", t=[]),
        template("not town in {t}", t=[]),
        {"equals": {"urn": "1", "town": []}},
    ],
)
def test_empty_list_matches_nothing_wherever_it_stands(written: dict[str, Any]) -> None:
    assert filter_from_json(written).empty


WRONG: list[tuple[Any, str, str]] = [
    (template("a eq '{v}'", v=1), "$.filter.template", "quoted_placeholder"),
    (template("a eq {v}", v=[1]), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v={"$gt": 0}), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v={"type": "Guid", "value": "x"}), "$.filter.values.v", "invalid_value"),
    (template("a in {v}", v=[[1]]), "$.filter.values.v[0]", "invalid_value"),
    (template("a in {v}", v="x"), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v=1, w=2), "$.filter.values.w", "unused_value"),
    (template("a eq {v}", v=1, **{"two words": 2}), '$.filter.values["two words"]', "unused_value"),
    (template("a eq {v}"), "$.filter.values.v", "missing_value"),
    (template("a eq {v}{v}", v="a"), "$.filter.template", "invalid_template"),
    (template("a eq 1{v}", v=5), "$.filter.template", "invalid_template"),
    (template("a eq {two words}", v=5), "$.filter.template", "invalid_template"),
    (template("a eq }"), "$.filter.template", "invalid_template"),
    (template("  "), "$.filter.template", "blank_filter"),
    (template("a eq {v}", v=float("nan")), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v=10**400), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v=Decimal("sNaN")), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v=Decimal("1E+1000000")), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v=float("inf")), "$.filter.values.v", "invalid_value"),
    (template("a eq {v}", v="\ud83d"), "$.filter.values.v", "invalid_value"),
    (
        template("a ge {v}", v={"type": "DateTimeOffset", "value": "2025-03-02T08:30:00"}),
        "$.filter.values.v",
        "invalid_value",
    ),
    (template("a ge {v}", v={"type": "DateTimeOffset", "value": 5}), "$.filter.values.v", "invalid_value"),
    (template("{v}", v="urn eq 1"), "$.filter.template", "invalid_filter"),
    ({"equals": {}}, "$.filter.equals", "blank_filter"),
    ({"equals": []}, "$.filter.equals", "invalid_type"),
    ({"equals": {"a b": 1}}, '$.filter.equals["a b"]', "invalid_field"),
    ({"equals": {"a": {"b": 1}}}, "$.filter.equals.a", "invalid_value"),
    ({"equals": {"a": [1, [2]]}}, "$.filter.equals.a[1]", "invalid_value"),
    ({"raw": "a eq 1) or (true"}, "$.filter.raw", "invalid_filter"),
    ({"raw": "year eq 2024'"}, "$.filter.raw", "invalid_filter"),
    ({"raw": "state eq VA"}, "$.filter.raw", "invalid_filter"),
    ({"raw": " "}, "$.filter.raw", "blank_filter"),
    ({"raw": 5}, "$.filter.raw", "invalid_type"),
    ({"template": 5}, "$.filter.template", "invalid_type"),
    ({"template": "a eq {v}", "values": []}, "$.filter.values", "invalid_type"),
    ({"raw": "a eq 1", "equals": {"a": 1}}, "$.filter", "invalid_filter"),
    ({"raw": "a eq 1", "values": {}}, "$.filter", "invalid_filter"),
    ({}, "$.filter", "invalid_filter"),
    ("a eq 1", "$.filter", "invalid_filter"),
    (None, "$.filter", "invalid_filter"),
    ({"raw": "a eq 1", "filters": 1}, "$.filter.filters", "unknown_member"),
]


@pytest.mark.parametrize(("written", "path", "code"), WRONG)
def test_fault_has_its_path_and_code(written: Any, path: str, code: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        filter_from_json(written)

    problem = caught.value.problems[0]
    assert (problem.path, problem.code) == (path, code)
    assert problem.message.endswith((".", ". A filter has one of template (with values), equals or raw."))


def test_bare_word_is_told_to_be_quoted() -> None:
    with pytest.raises(InvalidFilter, match="put text in single quotes"):
        filter_from_json({"raw": "state eq VA"})


def test_every_fault_of_a_filter_is_reported() -> None:
    with pytest.raises(InvalidFilter) as caught:
        filter_from_json({"equals": {"a b": 1, "c": {}, "d": [[]]}})

    assert [problem.path for problem in caught.value.problems] == [
        '$.filter.equals["a b"]',
        "$.filter.equals.c",
        "$.filter.equals.d[0]",
    ]


def test_filter_that_grows_too_long_is_refused_before_it_is_built() -> None:
    with pytest.raises(TooLarge) as caught:
        filter_from_json(template("a in {v} or " * 5000 + "b", v=["abc"] * 10_000))

    assert [(problem.path, problem.code) for problem in caught.value.problems] == [("$.filter", "too_large")]


def test_filter_that_is_too_long_as_it_is_written_is_refused() -> None:
    with pytest.raises(TooLarge, match="at most 1000000 characters"):
        filter_from_json({"raw": "a or " * 300_000 + "a"})


@given(st.text())
def test_a_value_stays_one_literal(value: str) -> None:
    try:
        built = odata("a eq {value}", value=value)
    except InvalidFilter:
        assert any("\ud800" <= character <= "\udfff" for character in value)
        return
    assert isinstance(built.node, Compare)
    assert built.node.right == Literal(value)


@given(st.lists(st.text("ab|,;~^ '", max_size=4)))
def test_a_list_means_each_of_its_values(values: list[str]) -> None:
    node = ODataFilter.equals({"a": values}).node

    assert _values(node) == set(values)


def _values(node: Any) -> set[str]:
    if hasattr(node, "operands"):
        return set().union(*(_values(operand) for operand in node.operands))
    return {node.right.value} if hasattr(node, "right") else set(node.values)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2024, 7, 1, 9, 30, tzinfo=UTC), "d ge 2024-07-01T09:30:00.0000000+00:00"),
        (datetime(2024, 7, 1, 9, 30, 0, 5, tzinfo=timezone(timedelta(hours=-5))), "d ge 2024-07-01T09:30:00.0000050-05:00"),
    ],
)
def test_moment_of_python_keeps_its_zone(moment: datetime, text: str) -> None:
    assert odata("d ge {moment}", moment=moment).text == text


def test_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidFilter, match="needs a time zone"):
        odata("d ge {moment}", moment=datetime(2024, 7, 1))


def test_two_filters_at_once_are_bracketed() -> None:
    both = ODataFilter.raw("tenant eq 't1'").narrowed_by(ODataFilter.raw("a eq 1 or true"))

    assert both.text == "(tenant eq 't1') and (a eq 1 or true)"


@pytest.mark.parametrize("wrong", ["urn eq 1", f"urn eq {1}", 5, {"raw": "a"}])
async def test_what_is_no_filter_is_refused_when_run(wrong: Any) -> None:
    transport = ScriptedTransport(hits())
    retrieval: Retrieval = retrieval_of(transport)

    for call in (retrieval.search("docs", "q", filter=wrong), retrieval.evidence("docs", "q", filter=wrong)):
        with pytest.raises(FilterNotBuilt, match="never a plain string"):
            await call

    assert issubclass(FilterNotBuilt, TypeError)
    assert transport.requests == []


CONSTANTS = [
    f"urn eq '{'900001'}'",
    f"urn eq {900001}",
    "n gt -.5",
    "open_date ge 2020-01-01T00:00:00Z",
    "is_open",
    "not (is_open eq true)",
    "true ne is_open",
    "closed eq null and null ne opened",
    "urn eq {urn} or true",
    "true",
    "n lt INF",
    "n eq NaN",
    "rooms2/area3 eq {urn}",
    "search.in(town, 'a,b')",
    "is_true eq {urn} and nullable ne {urn}",
]
TAKEN = {"is_open", "not (is_open eq true)", "true ne is_open", "closed eq null and null ne opened"}


@pytest.mark.parametrize("template", CONSTANTS)
def test_template_in_code_holds_no_constant(template: str) -> None:
    """An f-string that mypy lets through would look like this."""
    values = {"urn": "1"} if "{urn}" in template else {}
    if template in TAKEN or template.startswith(("rooms2", "is_true")):
        assert odata(template, **values).text
        return
    with pytest.raises(InvalidFilter) as raised:
        odata(template, **values)
    assert raised.value.problems[0].code == "literal_in_template"


GUARDED = IndexSettings(name="i", filter_fields=("urn", "n", "town", "groups", "Rooms/x"), required_filter_fields=("urn",))


@pytest.mark.parametrize(
    "built",
    [
        ODataFilter.raw("urn eq '1'"),
        ODataFilter.raw("'1' eq urn"),
        ODataFilter.raw("n eq 2 and (urn eq '1' and n eq 2)"),
        ODataFilter.raw("search.in(urn, '1|2', '|')"),
        ODataFilter.raw("urn/any(u: u eq '1')"),
        ODataFilter.equals({"urn": [1, 2]}),
        ODataFilter.equals({"urn": []}),
        odata("urn/any in {urns}", urns=[1, 2]),
        ODataFilter.raw("urn eq '1' and Rooms/any(r: r/x eq 1)"),
        ODataFilter.raw("n eq 1 or town eq 'x'").narrowed_by(ODataFilter.equals({"urn": "1"})),
    ],
    ids=lambda built: built.text,
)
def test_required_field_is_pinned(built: ODataFilter) -> None:
    check_fields(built, GUARDED)


@pytest.mark.parametrize(
    ("built", "code"),
    [
        (None, "required_filter_field"),
        (ODataFilter.raw("n eq 1"), "required_filter_field"),
        (ODataFilter.raw("urn eq '1' or n eq 2"), "required_filter_field"),
        (ODataFilter.raw("urn eq null"), "required_filter_field"),
        (ODataFilter.raw("null eq urn and n eq 1"), "required_filter_field"),
        (ODataFilter.raw("(urn eq null) and town eq 'Bath'"), "required_filter_field"),
        (ODataFilter.raw("urn/any(u: u eq null)"), "required_filter_field"),
        (ODataFilter.equals({"urn": None}), "required_filter_field"),
        (ODataFilter.equals({"urn": [None]}), "required_filter_field"),
        (ODataFilter.equals({"urn": ["1", None]}), "required_filter_field"),
        (odata("urn in {urns}", urns=["1", None]), "required_filter_field"),
        (odata("urn/any in {urns}", urns=["1", None]), "required_filter_field"),
        (odata("urn eq {urn}", urn=None), "required_filter_field"),
        (ODataFilter.raw("urn eq 1 or urn eq 2"), "required_filter_field"),
        (ODataFilter.raw("not (urn ne '1')"), "required_filter_field"),
        (ODataFilter.raw("urn ne '1'"), "required_filter_field"),
        (ODataFilter.raw("urn ge '1'"), "required_filter_field"),
        (ODataFilter.raw("search.in(urn, '', '|')"), "required_filter_field"),
        (ODataFilter.raw("urn/all(u: u eq '1')"), "required_filter_field"),
        (ODataFilter.raw("urn/any()"), "required_filter_field"),
        (ODataFilter.raw("groups/any(urn: urn eq '1')"), "required_filter_field"),
        (odata("urn in {urns} or n eq {n}", urns=[1], n=1), "required_filter_field"),
        (ODataFilter.equals({"town": []}), "required_filter_field"),
        (ODataFilter.raw("urn eq '1' and secret eq 2"), "filter_field_not_allowed"),
        (ODataFilter.raw("urn eq '1' and Rooms/any(r: r/y eq 1)"), "filter_field_not_allowed"),
        (ODataFilter.raw("urn eq '1' and Rooms/any()"), "filter_field_not_allowed"),
        (ODataFilter.raw("urn eq '1' and search.ismatch('x')"), "filter_field_not_allowed"),
        (ODataFilter.raw("urn eq '1' and not (search.ismatchscoring('x', 'urn'))"), "filter_field_not_allowed"),
        (ODataFilter.equals({"urn": "1", "secret": []}), "filter_field_not_allowed"),
    ],
    ids=lambda value: getattr(value, "text", str(value)),
)
def test_field_rules_hold_on_the_tree(built: ODataFilter | None, code: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        check_fields(built, GUARDED)

    assert caught.value.code == code
    assert all(problem.path == "$.filter" for problem in caught.value.problems)
