"""The quoted key: what the host hands over of an address, and what it means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval import InvalidRequest
from shared.retrieval.agents.wire import parse_agent_key


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("('hr-agent')", "hr-agent"),
        ("(%27hr-agent%27)", "hr-agent"),
        ("%28%27hr-agent%27%29", "hr-agent"),
        ("('o''brien')", "o'brien"),
        ("('o%27%27brien')", "o'brien"),
        ("('''')", "'"),
        ("('a%2Fb')", "a/b"),
        ("('a%2fb')", "a/b"),
        ("('a b+c')", "a b+c"),
        ("('100%')", "100%"),
        ("('schule-%C3%BC')", "schule-ü"),
        ("('(x)')", "(x)"),
    ],
)
def test_quoted_keys(segment: str, name: str) -> None:
    assert parse_agent_key(segment) == name


@pytest.mark.parametrize(
    "segment",
    [
        "",
        "hr",
        "()",
        "('')",
        "('  ')",
        "(hr)",
        "('hr)",
        "(hr')",
        '("hr")',
        "('a'b')",
        "('a''')b')",
        "('hr') ",
        "('hr')x",
        "\u2018hr\u2019",
        "('''",
    ],
)
def test_anything_else_is_refused_by_name(segment: str) -> None:
    with pytest.raises(InvalidRequest, match="must stand in single quotes and brackets") as caught:
        parse_agent_key(segment)
    assert (caught.value.code, caught.value.problems[0].path) == ("invalid_key", "agentName")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="%"), min_size=1).filter(str.strip))
def test_every_name_comes_back(name: str) -> None:
    doubled = name.replace("'", "''")
    assert parse_agent_key(f"('{doubled}')") == name
