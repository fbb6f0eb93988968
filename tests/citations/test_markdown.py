"""The `markdown` format: bare addresses become code, and whatever could come alive in a renderer is escaped in place."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from shared.retrieval import resolve
from tests.citations.renderers import RENDERERS
from tests.citations.support import LINK, SOURCES


@pytest.mark.parametrize(
    ("answer", "markdown"),
    [
        ("See https://evil.example/x?a=1&b=2, ok", "See `https://evil.example/x?a=1&b=2`, ok"),
        ("See www.evil.example.", "See `www.evil.example`."),
        ("Mail a@evil.example!", "Mail `a@evil.example`!"),
        ("See evil.com and //evil.com/x", "See `evil.com` and `//evil.com/x`"),
        ("See https&colon;//evil.example/x", "See `https://evil.example/x`"),
        (r"See https:\//evil.example", "See `https://evil.example`"),
        ("See a&commat;evil.example", "See `a@evil.example`"),
        ("See ht<img src=x>tps://evil.example", "See `https://evil.example`"),
        ("**https://evil.example**", "**`https://evil.example`**"),
        ("See https://ok.example/x and a@ok.example.", "See https://ok.example/x and a@ok.example."),
        ("See https://ok.example@evil.example", "See `https://ok.example@evil.example`"),
        (f"See {LINK}", f"See {LINK}"),
        ("e.g. at 9.30 p.m. v1.2 St.Ives, and/or x", "e.g. at 9.30 p.m. v1.2 St.Ives, and/or x"),
        ("`https://evil.example`", "`https://evil.example`"),
        ("x <https://evil.example>`code`", "x `https://evil.example` `code`"),
    ],
)
def test_bare_addresses_in_markdown(answer: str, markdown: str) -> None:
    result = resolve(answer, SOURCES, format="markdown", required=False, allowed_hosts=["ok.example"])

    assert result.answer == markdown


@pytest.mark.parametrize(
    ("answer", "markdown"),
    [
        ("Wow![Evidence 1]", rf"Wow\![Ofsted report](<{LINK}>)"),
        ("a\\【Evidence 1】", rf"a\\[Ofsted report](<{LINK}>)"),
        ("[x]<img src=x>(rel)", r"[x]\(rel)"),
        ("[x] (rel)", "[x] (rel)"),
        ("a ` b", r"a \` b"),
        ("`a`[Evidence 9]`b`", "`a` `b`"),
        ("[^1] and [^1]: note", r"\[^1\] and \[^1\]: note"),
        ("[a [^] b]", r"[a \[^\] b]"),
        ("[<img src=x>!] b]", r"\[!\] b]"),
        ("[r]: https://x.example", r"[r]\: `https://x.example`"),
        ("~~<img src=x>~", r"\~\~\~"),
        ("Good **[Evidence 9]** and", r"Good \*\*\*\* and"),
        ("a__[Evidence 9]__b", r"a\_\_\_\_b"),
        ("[Evidence 9]# x", r"\# x"),
        ("[Evidence 9]- x", r"\- x"),
        ("[Evidence 9]1. x", r"1\. x"),
        ("-[Evidence 9] x", r"\- x"),
        ("x\n[Evidence 9]\ny", "x\n\u00a0\ny"),
        ("[Evidence 9]", ""),
        ("a &am<img src=x>p; b", "a &amp;amp; b"),
        (r"\<b>", "&lt;b>"),
    ],
)
def test_markdown_stays_inert(answer: str, markdown: str) -> None:
    assert resolve(answer, SOURCES, format="markdown").answer == markdown


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize(
    "address",
    [
        "https://ok.example\xa0@evil.example/",
        "https://ok.example\u3000@evil.example/",
        "https://ok.example\x0b@evil.example/",
        "https://ok.example`x`@evil.example/",
        "https://ok.example[Evidence 1]@evil.example",
        "https://ok.example(x) https://ok.example{ https://ok.example] https://ok.example.* https://ok.example!,",
        "https://ok.example/a, https://ok.example/b. https://ok.example",
    ],
)
def test_allowed_address_leads_where_it_says(address: str, renderer: str) -> None:
    """Renderers end a bare address in different places: one that may stay ends exactly, or stands in angle brackets."""
    shown = resolve(address, SOURCES, format="markdown", allowed_hosts=("ok.example",)).answer
    links = re.findall(r'href="([^"]*)"', RENDERERS[renderer](shown))

    assert {urlsplit(link).hostname for link in links if link != LINK} == {"ok.example"}
    assert all(re.fullmatch(r"https://ok\.example(?:/[ab])?", link) for link in links if link != LINK), links
