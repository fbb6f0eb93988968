"""Which values are addresses, and the form in which one may stand behind a name."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval.evidence.links import is_address, normalised_link
from tests.support.counted_work import is_linear

LINKS = [
    ("https://files.example/My File (v2).pdf#page=3", "https://files.example/My%20File%20(v2).pdf#page=3"),
    ("  https://a.example/r \n", "https://a.example/r"),
    ("HTTPS://A.EXAMPLE/Report", "https://a.example/Report"),
    ("https://a.example", "https://a.example/"),
    ("https://a.example?q=1", "https://a.example/?q=1"),
    ('https://a.example/r?a=1&b="x"#part 2', "https://a.example/r?a=1&b=%22x%22#part%202"),
    ("https://a.example:443/r", "https://a.example/r"),
    ("http://a.example:8080/r", "http://a.example:8080/r"),
    ("https://a.example:/r", "https://a.example/r"),
    ("https://a.example/a/../b/./c", "https://a.example/b/c"),
    ("https://a.example/../..", "https://a.example/"),
    ("https://a.example/a%20b%2Fc%zz", "https://a.example/a%20b%2Fc%25zz"),
    ("https://a.example/橡树", "https://a.example/%E6%A9%A1%E6%A0%91"),
    ("https://ysgol-brontë.example/r", "https://ysgol-brontë.example/r"),
    ("https://127.1/r", "https://127.0.0.1/r"),
    ("https://0x7f.1/r", "https://127.0.0.1/r"),
    ("https://017700000001/r", "https://127.0.0.1/r"),
    ("https://0x/", "https://0.0.0.0/"),
    ("https://[2001:DB8::1]/r", "https://[2001:db8::1]/r"),
    ("https://a.example/<b>", "https://a.example/%3Cb%3E"),
    ("https://a.example\\@evil.example/", "https://a.example/@evil.example/"),
    ("https://a.example/\u202egnp", "https://a.example/%E2%80%AEgnp"),
]


@pytest.mark.parametrize(("value", "link"), LINKS)
def test_address_is_normalised(value: str, link: str) -> None:
    assert normalised_link(value) == link
    assert normalised_link(link) == link
    assert is_address(value)


NO_LINKS = [
    ("JaVaScRiPt:alert(1)", False),
    ("\u0001javascript:alert(1)", False),
    ("java\nscript:alert(1)", False),
    ("data:text/html,x", False),
    ("//evil.example", False),
    ("http://[::1", False),
    ("http://[::1%25eth0]/", False),
    ("https:///r", False),
    ("https://", False),
    ("https:a.example", False),
    ("https://a..example/", False),
    ("https://a .example/r", False),
    ("https://%65vil.example/", False),
    ("https://a.example:99999/r", False),
    ("https://a.example:8x/r", False),
    ("https://a\u200b.example/", False),
    ("https://1.2.3.4.5/", False),
    ("https://1.2.3.999/", False),
    ("https://08/", False),
    ("See https://a.example/r", False),
    (f"https://{'a.' * 600}example/", False),
    ("ftp://a.example/r", False),
    ("https://a.example/r\nSecond line", False),
    ("", False),
    ("https://a@b.example/", True),
    ("https://user:secret@a.example/r", True),
    ("https://a.example/a\u0001b", True),
    ("https://a.example/a\tb", True),
]


@pytest.mark.parametrize(("value", "address"), NO_LINKS)
def test_anything_else_is_no_link(value: str, address: bool) -> None:
    assert is_address(value) is address
    assert normalised_link(value) is None


@given(st.text("htps:/.ab@1[]\\?#%é \n", max_size=30).map(lambda tail: f"https://{tail}"))
def test_any_text_is_a_safe_link_or_none(value: str) -> None:
    link = normalised_link(value)

    if link is not None:
        parts = urlsplit(link)
        assert parts.scheme == "https"
        assert parts.hostname
        assert "@" not in parts.netloc
        assert not set(link) & set(' "<>\\^`{|}\n')


def test_long_address_takes_linear_work() -> None:
    small, large = ("https://a.example/" + "p/../" * times for times in (500, 4_000))

    assert normalised_link(large) == "https://a.example/"
    assert is_linear(normalised_link, small, large)
