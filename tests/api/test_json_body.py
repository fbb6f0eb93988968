"""Bodies: what is read as JSON, and with which code and path the rest is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.api.json import read_json, read_model, read_object
from shared.api.responses import failure_of, problem_reply
from shared.api.schemas.search import EvidenceBody, SearchBody
from shared.retrieval import CallerError, InvalidRequest, Problem, TooLarge

SEARCH = {"index": "schools", "query": "x"}
UNREADABLE = [
    (b"", "invalid_json", "The body is empty; send a JSON object."),
    (b"  \n", "invalid_json", "The body is empty; send a JSON object."),
    (b'{"query":', "invalid_json", "The body is not valid JSON."),
    (b"\xff\xfe", "invalid_json", "The body is not UTF-8."),
    (b'{"top":NaN}', "invalid_json", "NaN and Infinity are not JSON."),
    (b'{"top":-Infinity}', "invalid_json", "NaN and Infinity are not JSON."),
    (b'{"top":1e999}', "invalid_json", "A number is out of range."),
    (b'{"top":' + b"9" * 5000 + b"}", "invalid_json", "A number is out of range."),
    (b'{"query":"\\ud800"}', "invalid_json", "A text holds half of a surrogate pair."),
    (b'{"\\udc00":1}', "invalid_json", "A text holds half of a surrogate pair."),
    (b"[" * 60, "invalid_json", "The body is not valid JSON."),
    (b"[" * 100_000, "too_deep", "The JSON is nested deeper than 64 levels."),
    (b'{"a":1}x', "invalid_json", "The body is not valid JSON."),
    (b"[]", "wrong_type", "The body must be a JSON object."),
    (b'"x"', "wrong_type", "The body must be a JSON object."),
    (b"null", "wrong_type", "The body must be a JSON object."),
    (b"5", "wrong_type", "The body must be a JSON object."),
]


@pytest.mark.parametrize(("body", "code", "message"), UNREADABLE, ids=lambda value: repr(value)[:24])
def test_unreadable_bodies(body: bytes, code: str, message: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_object(body)
    assert (raised.value.code, raised.value.message) == (code, message)
    assert [problem.path for problem in raised.value.problems] == ["$"]


REPEATED = [
    (b'{"query":"x","query":"y"}', ["$.query"]),
    (b'{"a":{"b":1,"b":1}}', ["$.a.b"]),
    (b'{"a":[1,{"b":{}},{"b":1,"c":2,"b":3}]}', ["$.a[2].b"]),
    (b'{"a":{"b":1,"b":2},"a":{}}', ["$.a"]),
    (b'{"a":{"b":1,"b":2},"c":[{"d":1,"d":2}],"e":{}}', ["$.a.b", "$.c[0].d"]),
    (b'{"a b":1,"a b":2}', ['$["a b"]']),
    (b'{"' + b"k" * 500 + b'":1,"' + b"k" * 500 + b'":2}', [f'$["{"k" * 64}"]']),
]


@pytest.mark.parametrize(("body", "paths"), REPEATED, ids=lambda value: repr(value)[:24])
def test_a_repeated_key_is_refused_where_it_stands(body: bytes, paths: list[str]) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_json(body)
    assert (raised.value.code, raised.value.message) == ("duplicate_key", "An object has a key twice.")
    assert [(problem.path, problem.code) for problem in raised.value.problems] == [(path, "duplicate_key") for path in paths]


UNKNOWN = [
    ("nope", "$.nope"),
    ("a b", '$["a b"]'),
    ('"<x>\n', '$["\\"<x>\\n"]'),
    ("ключ", '$["\\u043a\\u043b\\u044e\\u0447"]'),
    ("k" * 500, f'$["{"k" * 64}"]'),
    ("", '$[""]'),
]


@pytest.mark.parametrize(("name", "path"), UNKNOWN, ids=lambda value: value[:12])
def test_an_unknown_key_is_named_shortly(name: str, path: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_model(json.dumps({**SEARCH, name: 1}).encode(), SearchBody)
    assert [problem.path for problem in raised.value.problems] == [path]


def test_a_reply_lists_a_hundred_errors_at_most() -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_model(json.dumps({f"k{number}": 1 for number in range(500)}).encode(), SearchBody)
    reply = problem_reply(failure_of(raised.value), "id").body
    assert len(reply["errors"]) == 100
    assert reply["detail"].endswith("400 more are not listed.")


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert read_json(b'"\\ud83d\\ude00"') == "😀"


FAULTS = [
    ({"query": "x"}, "$.index", "missing", "This member is required."),
    ({**SEARCH, "nope": 1}, "$.nope", "unknown_key", "This member is not known."),
    ({**SEARCH, "query": 5}, "$.query", "wrong_type", "This must be a text."),
    ({**SEARCH, "query": "  "}, "$.query", "blank", "This text must not be blank."),
    ({**SEARCH, "query": None}, "$.query", "wrong_type", "This must be a text."),
    ({**SEARCH, "index": " "}, "$.index", "blank", "This text must not be blank."),
    ({**SEARCH, "top": 0}, "$.top", "out_of_range", "This must be a whole number from 1 to 1000."),
    ({**SEARCH, "top": 5000}, "$.top", "out_of_range", "This must be a whole number from 1 to 1000."),
    ({**SEARCH, "top": -1}, "$.top", "out_of_range", "This must be a whole number from 1 to 1000."),
    ({**SEARCH, "top": "5"}, "$.top", "wrong_type", "This must be a whole number."),
    ({**SEARCH, "top": 5.5}, "$.top", "wrong_type", "This must be a whole number."),
    ({**SEARCH, "top": True}, "$.top", "wrong_type", "This must be a whole number."),
    ({**SEARCH, "skip": 100_001}, "$.skip", "out_of_range", "This must be a whole number from 0 to 100000."),
    ({**SEARCH, "filter": "urn eq '1'"}, "$.filter", "wrong_type", "This must be an object."),
    ({**SEARCH, "select": "name"}, "$.select", "wrong_type", "This must be a list."),
    ({**SEARCH, "select": [1]}, "$.select[0]", "wrong_type", "This must be a text."),
    ({**SEARCH, "count": "yes"}, "$.count", "wrong_type", "This must be true or false."),
    ({**SEARCH, "syntax": "sql"}, "$.syntax", "out_of_range", "This must be one of 'plain', 'simple' or 'full'."),
    ({**SEARCH, "searchMode": "ANY"}, "$.searchMode", "out_of_range", "This must be one of 'any' or 'all'."),
]


@pytest.mark.parametrize(("body", "path", "code", "message"), FAULTS, ids=lambda value: repr(value)[:30])
def test_faults_name_the_place(body: object, path: str, code: str, message: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_model(json.dumps(body).encode(), SearchBody)
    assert [(p.path, p.code, p.message) for p in raised.value.problems] == [(path, code, message)]


def test_every_fault_is_reported() -> None:
    body = {"searches": [{"index": "a", "query": ""}, {"index": "a", "size": 0}], "fenced": 1}
    with pytest.raises(InvalidRequest) as raised:
        read_model(json.dumps(body).encode(), EvidenceBody)
    paths = [problem.path for problem in raised.value.problems]
    assert paths == ["$.searches[0].query", "$.searches[1].query", "$.searches[1].size", "$.fenced"]


@pytest.mark.parametrize("count", [0, 11])
def test_a_list_has_its_range(count: int) -> None:
    body = {"searches": [SEARCH] * count}
    with pytest.raises(InvalidRequest) as raised:
        read_model(json.dumps(body).encode(), EvidenceBody)
    assert [(p.path, p.code) for p in raised.value.problems] == [("$.searches", "out_of_range")]


def test_an_over_long_text_is_too_large() -> None:
    assert read_model(json.dumps({**SEARCH, "query": "😀" * 10_000}).encode(), SearchBody).query
    with pytest.raises(TooLarge, match="at most 10000 characters"):
        read_model(json.dumps({**SEARCH, "query": "x" * 10_001}).encode(), SearchBody)


def test_a_malformed_member_beats_an_over_long_one() -> None:
    with pytest.raises(InvalidRequest):
        read_model(json.dumps({**SEARCH, "query": "x" * 10_001, "top": 0}).encode(), SearchBody)


def refusals(body: bytes) -> tuple[Problem, ...]:
    """What is wrong with a search body; nothing when it is read. Anything but a caller's error comes through."""
    try:
        read_model(body, SearchBody)
    except CallerError as error:
        return error.problems
    return ()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    assert all(problem.message for problem in refusals(body))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
MEMBERS = st.sampled_from([*SearchBody.model_fields, "orderBy", "searchMode", "x"])


@given(st.dictionaries(MEMBERS, JSON))
def test_any_object_is_read_or_refused_without_its_values(value: dict[str, object]) -> None:
    assert all(problem.path.startswith("$") for problem in refusals(json.dumps(value).encode()))
