"""Route templates: the paths that they match, and invalid templates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulators.functions_host.templates import BadTemplate, RouteTemplate

GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.mark.parametrize(
    ("template", "path", "values"),
    [
        ("", "/", {}),
        ("api/echo", "/api/echo", {}),
        ("api/echo", "/API/Echo/", {}),
        ("items/{id}", "/items/a b", {"id": "a b"}),
        ("items/{id}/{rest?}", "/items/1", {"id": "1"}),
        ("items/{id}/{rest?}", "/items/1/", {"id": "1"}),
        ("items/{id}/{rest?}", "/items/1/2", {"id": "1", "rest": "2"}),
        ("items/{id=7}", "/items", {"id": "7"}),
        ("items/{id=7}", "/items/8", {"id": "8"}),
        ("files/{*path}", "/files", {}),
        ("files/{*path}", "/files/a/b.txt", {"path": "a/b.txt"}),
        ("files/{*path}", "/files/a/", {"path": "a/"}),
        ("{*path}", "/a/b", {"path": "a/b"}),
        ("{*path}", "/", {}),
        ("files/{**path}", "/files/a/b", {"path": "a/b"}),
        ("agents('{name}')/retrieve", "/agents('it''s')/retrieve", {"name": "it''s"}),
        ("bases{key}", "/bases('kb')", {"key": "('kb')"}),
        ("{a}.{b}", "/x.y.z", {"a": "x.y", "b": "z"}),
        ("{a}-{b}-{c}", "/1-2-3-4", {"a": "1-2", "b": "3", "c": "4"}),
        ("{name}.{ext?}", "/readme", {"name": "readme"}),
        ("{name}.{ext?}", "/readme.md", {"name": "readme", "ext": "md"}),
        ("{name}.{ext?}", "/a.b.c", {"name": "a.b", "ext": "c"}),
        ("n/{n:regex(^[0-9]{{2}}$)}", "/n/12", {"n": "12"}),
        ("{a}){b}", "/1)2", {"a": "1", "b": "2"}),
        ("x{{y}}", "/x{y}", {}),
        ("n/{n:int}", "/n/-5", {"n": "-5"}),
        ("n/{n:long}", "/n/99999999999", {"n": "99999999999"}),
        ("n/{n:bool}", "/n/True", {"n": "True"}),
        ("n/{n:alpha}", "/n/abC", {"n": "abC"}),
        ("n/{n:guid}", f"/n/{GUID}", {"n": GUID}),
        ("n/{n:double}", "/n/1.5e3", {"n": "1.5e3"}),
        ("n/{n:float}", "/n/.5", {"n": ".5"}),
        ("n/{n:decimal}", "/n/1,000.5", {"n": "1,000.5"}),
        ("n/{n:length(3)}", "/n/abc", {"n": "abc"}),
        ("n/{n:length(2,4)}", "/n/abcd", {"n": "abcd"}),
        ("n/{n:minlength(2)}", "/n/ab", {"n": "ab"}),
        ("n/{n:maxlength(2)}", "/n/ab", {"n": "ab"}),
        ("n/{n:min(5)}", "/n/5", {"n": "5"}),
        ("n/{n:max(5)}", "/n/5", {"n": "5"}),
        ("n/{n:range(1,9)}", "/n/9", {"n": "9"}),
        ("n/{n:regex(^a.c$)}", "/n/aBc", {"n": "aBc"}),
        ("n/{n:int:min(1)?}", "/n", {}),
        ("n/{n:required}", "/n/x", {"n": "x"}),
    ],
)
def test_matches(template: str, path: str, values: dict[str, str]) -> None:
    assert RouteTemplate(template).match(path) == values


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("api/echo", "/api//echo"),
        ("api/echo", "/api/echo/x"),
        ("api/echo", "/api"),
        ("api/echo", "/"),
        ("", "/x"),
        ("files/{*path}", "/files/a//b"),
        ("items/{id}", "/items/"),
        ("items/{id}/{rest?}", "/items/1/2/3"),
        ("agents('{name}')/retrieve", "/agents('')/retrieve"),
        ("agents('{name}')/retrieve", "/agents(x)/retrieve"),
        ("bases{key}", "/bases"),
        ("n/{n:int}", "/n/abc"),
        ("n/{n:int}", "/n/99999999999"),
        ("n/{n:int}", "/n/٣"),
        ("n/{n:bool}", "/n/yes"),
        ("n/{n:alpha}", "/n/a1"),
        ("n/{n:guid}", "/n/x"),
        ("n/{n:double}", "/n/x"),
        ("n/{n:decimal}", "/n/1e3"),
        ("n/{n:length(3)}", "/n/ab"),
        ("n/{n:minlength(2)}", "/n/a"),
        ("n/{n:maxlength(2)}", "/n/abc"),
        ("n/{n:min(5)}", "/n/4"),
        ("n/{n:max(5)}", "/n/6"),
        ("n/{n:range(1,9)}", "/n/10"),
        ("n/{n:regex(^a.c$)}", "/n/abcd"),
        ("n/{n:int:min(1)?}", "/n/0"),
    ],
)
def test_matches_not(template: str, path: str) -> None:
    assert RouteTemplate(template).match(path) is None


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a//b", "empty segment"),
        ("{*all}/more", "A catch-all parameter can only be the last segment"),
        ("{a}{b}", "Two parameters follow each other"),
        ("{a", "do not pair"),
        ("a}", "do not pair"),
        ("{:int}", "cannot be read"),
        ("{a:nosuch}", "The route constraint 'nosuch' is not known"),
        ("{a:min}", "The route constraint 'min' is not known or lacks its arguments"),
        ("{a:range(x)}", "lacks its arguments"),
    ],
)
def test_refused_template(template: str, message: str) -> None:
    with pytest.raises(BadTemplate, match=message):
        RouteTemplate(template)


@given(st.text(st.characters(exclude_characters="/\n\r", exclude_categories=["Cs"]), min_size=1))
def test_a_parameter_takes_any_segment(value: str) -> None:
    assert RouteTemplate("x/{value}").match(f"/x/{value}") == {"value": value}
