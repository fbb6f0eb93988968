"""The full syntax: trees of texts, and the column of a text that cannot be read."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulators.azure_search.errors import ServiceError
from emulators.azure_search.text.full_syntax import parse_full
from emulators.azure_search.text.textquery import (
    Boosted,
    Clauses,
    Everything,
    Fuzzy,
    Occur,
    Phrase,
    Prefix,
    Query,
    Regex,
    Wildcard,
    Within,
    Words,
)


def joined(*parts: tuple[Occur, Query]) -> Clauses:
    return Clauses(parts)


A, B, C = Words("a"), Words("b"), Words("c")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("*", Everything()),
        ("", None),
        ("a", A),
        ("a b", joined(("should", A), ("should", B))),
        ("a AND b", joined(("must", A), ("must", B))),
        ("a && b", joined(("must", A), ("must", B))),
        ("a OR b", joined(("should", A), ("should", B))),
        ("a || b", joined(("should", A), ("should", B))),
        ("a OR b AND c", joined(("should", A), ("must", B), ("must", C))),
        ("a NOT b", joined(("should", A), ("must_not", B))),
        ("a AND NOT b", joined(("must", A), ("must_not", B))),
        ("a AND -b", joined(("must", A), ("must_not", B))),
        ("+a -b !c", joined(("must", A), ("must_not", B), ("must_not", C))),
        ("NOT a", joined(("must_not", A))),
        ("(a OR b) AND c", joined(("must", joined(("should", A), ("should", B))), ("must", C))),
        ("name:a", Within("name", A, 1)),
        ("address/city:a", Within("address/city", A, 1)),
        ("b name:(a b)", joined(("should", B), ("should", Within("name", joined(("should", A), ("should", B)), 3)))),
        ('"a b"', Phrase("a b")),
        ('"a b"~3', Phrase("a b", 3)),
        ("hotl~", Fuzzy("hotl", 2)),
        ("hotl~1", Fuzzy("hotl", 1)),
        ("hotl~9", Fuzzy("hotl", 2)),
        ("hotel~0.5", Fuzzy("hotel", 2)),
        ("hotl~0", Fuzzy("hotl", 0)),
        ("a^2.5", Boosted(A, 2.5)),
        ('"a b"^2', Boosted(Phrase("a b"), 2.0)),
        ("riv*", Prefix("riv")),
        ("r?ver", Wildcard("r?ver")),
        ("r\\*v*r", Wildcard("r\\*v*r")),
        ("/[ab]ell/", Regex("[ab]ell", 9)),
        ("\\(a\\)", Words("(a)")),
        ("ANDY", Words("ANDY")),
    ],
)
def test_tree(text: str, tree: Query | None) -> None:
    assert parse_full(text, every_word=False) == tree


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("/.*/.*/", 8),
        ("*inn", 1),
        ("?nn", 1),
        ("a AND", 6),
        ("AND", 4),
        ("OR a", 1),
        ("24/7", 5),
        ("(a", 3),
        ("a)", 2),
        ("()", 2),
        ('"a', 3),
        ("name:", 6),
        ("name: a", 6),
        ("[1 TO 2]", 1),
        ("a^x", 3),
        ("a +", 4),
        ("a:b:c", 4),
        ("x" + "(" * 200, None),
        ("NOT ", 5),
        ("NOT", 4),
        ("a\\", 2),
    ],
)
def test_refused(text: str, column: int | None) -> None:
    with pytest.raises(ServiceError, match="Failed to parse query string at line 1") as refusal:
        parse_full(text, every_word=False)
    assert refusal.value.details[0][0] == "InvalidSearchSyntax"
    assert column is None or f"column {column}." in refusal.value.message


def test_every_word_makes_plain_parts_required() -> None:
    assert parse_full("a b", every_word=True) == joined(("must", A), ("must", B))
    assert parse_full("a OR b", every_word=True) == joined(("should", A), ("should", B))


@given(text=st.text(alphabet='ab:+-!(){}[]^"~*?/\\ ANDORT1.', max_size=30))
def test_every_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ServiceError):
        parse_full(text, every_word=False)
