"""Request targets: decoding, dot segments, queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulators.functions_host.addresses import BadTarget, decode, parse_query, parse_target


@pytest.mark.parametrize(
    ("raw", "path", "text"),
    [
        ("/api/echo", "/api/echo", "/api/echo"),
        ("/a%20b/%E2%82%AC", "/a b/€", "/a%20b/%E2%82%AC"),
        ("/a%2Fb%2fc", "/a%2Fb%2fc", "/a%2Fb%2fc"),
        ("/a%25b", "/a%b", "/a%25b"),
        ("/%ff%fe", "/%ff%fe", "/%ff%fe"),
        ("/%e2%82", "/%e2%82", "/%e2%82"),
        ("/%zz%", "/%zz%", "/%25zz%25"),
        ("/%F0%9F%98%80", "/😀", "/%F0%9F%98%80"),
        ("/a%27b", "/a'b", "/a'b"),
        ("/a/../b", "/b", "/b"),
        ("/a/%2e%2e/b", "/b", "/b"),
        ("/a/./b", "/a/b", "/a/b"),
        ("/../../x", "/x", "/x"),
        ("/a/..", "/", "/"),
        ("/a/b/.", "/a/b/", "/a/b/"),
        ("/a/.b/..c", "/a/.b/..c", "/a/.b/..c"),
        ("/a//b", "/a//b", "/a//b"),
        ("/a?x=1?y", "/a", "/a?x=1?y"),
        ("http://EXAMPLE.org?x=1", "/", "/?x=1"),
        ("http://example.org:80/x", "/x", "/x"),
        ("/a?", "/a", "/a?"),
        ("/a?x=#1", "/a", "/a?x=%231"),
        ("/a%5Cb", "/a\\b", "/a%5Cb"),
        ('/a"b|c', '/a"b|c', "/a%22b%7Cc"),
        ("http://example.org/api/x?y", "/api/x", "/api/x?y"),
        ("HTTP://example.org", "/", "/"),
    ],
)
def test_target(raw: str, path: str, text: str) -> None:
    target = parse_target(raw.encode(), host="example.org")
    assert target.path == path
    assert target.text == text


CLOSE = ("Connection", "close")


@pytest.mark.parametrize(
    ("method", "raw", "status", "headers"),
    [
        ("GET", b"/a%00b", 400, (CLOSE,)),
        ("GET", "/gr\u00fc\u00df".encode(), 400, (CLOSE,)),
        ("GET", b"", 400, (CLOSE,)),
        ("GET", b"?x=1", 400, (CLOSE,)),
        ("GET", b"http://other.example/x", 400, (CLOSE,)),
        ("GET", b"https://example.org:80/x", 400, (CLOSE,)),
        ("CONNECT", b"example.org:443", 400, (CLOSE,)),
        ("GET", b"example.org:443", 405, (("Allow", "CONNECT"), CLOSE)),
        ("GET", b"*", 405, (("Allow", "OPTIONS"), CLOSE)),
        ("OPTIONS", b"*", 404, (CLOSE,)),
    ],
)
def test_refused_target(method: str, raw: bytes, status: int, headers: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(BadTarget) as refused:
        parse_target(raw, method, "example.org")
    assert (refused.value.status, refused.value.headers) == (status, headers)


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("", {}),
        ("a=1&b=2", {"a": "1", "b": "2"}),
        ("a=1&a=2", {"a": "1,2"}),
        ("A=1&a=2", {"a": "1,2"}),
        ("a=&a=1", {"a": "1"}),
        ("x&y=&=5&&", {}),
        ("q=a%20b+c", {"q": "a b c"}),
        ("a%20b=1", {"a b": "1"}),
        ("p=%2F%2f", {"p": "//"}),
        ("z=%zz&f=%ff", {"z": "%zz", "f": "%ff"}),
        ("a=1;b=2", {"a": "1;b=2"}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_query(query: str, parameters: dict[str, str]) -> None:
    assert parse_query(query) == parameters


@given(st.text())
def test_decode_undoes_encoding(text: str) -> None:
    raw = "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "replace")).encode()
    assert decode(raw) == text.encode("utf-8", "replace").decode()


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E)))
def test_any_printable_target_is_read_or_refused(text: str) -> None:
    try:
        target = parse_target(b"/" + text.encode())
    except BadTarget:
        assert "%00" in text
        return
    assert "/../" not in target.path
    assert parse_target(target.text.encode()).path == target.path
