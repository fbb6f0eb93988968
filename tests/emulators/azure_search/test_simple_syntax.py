"""The simple syntax: trees of texts, and no text that fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulators.azure_search.text.simple_syntax import parse_simple
from emulators.azure_search.text.textquery import Clauses, Everything, Occur, Phrase, Prefix, Query, Words


def joined(occur: Occur, *parts: Query) -> Clauses:
    return Clauses(tuple((occur, part) for part in parts))


def excluded(part: Query) -> Clauses:
    return Clauses((("must_not", part), ("should", Everything())))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("*", Everything()),
        (" * ", Everything()),
        ("", None),
        ('+ | ( ) ""', None),
        ("river", Words("river")),
        ("river inn", joined("should", Words("river"), Words("inn"))),
        ("river + inn", joined("must", Words("river"), Words("inn"))),
        ("river|inn|bar", joined("should", Words("river"), Words("inn"), Words("bar"))),
        ('"river inn"', Phrase("river inn")),
        ("riv*", Prefix("riv")),
        ("ri*v", Words("ri*v")),
        ("C++", Words("C")),
        ("wi-fi", Words("wi-fi")),
        ("-inn", excluded(Words("inn"))),
        ("river - inn", joined("should", Words("river"), Words("-"), Words("inn"))),
        ("\\-inn", Words("-inn")),
        ("riv\\*", Words("riv*")),
        ("name:inn", Words("name:inn")),
        ("a AND b", joined("should", Words("a"), Words("AND"), Words("b"))),
        ("(river inn) + bar", joined("must", joined("should", Words("river"), Words("inn")), Words("bar"))),
        ("(river", Words("river")),
        ("river) inn", joined("should", Words("river"), Words("inn"))),
        ('"river inn', joined("should", Words("river"), Words("inn"))),
    ],
)
def test_tree(text: str, tree: Query | None) -> None:
    assert parse_simple(text, every_word=False) == tree


def test_every_word_joins_with_must() -> None:
    assert parse_simple("river inn", every_word=True) == joined("must", Words("river"), Words("inn"))


@given(text=st.text(alphabet='ab +|-*"()\\', max_size=40))
def test_no_text_fails(text: str) -> None:
    parse_simple(text, every_word=False)
