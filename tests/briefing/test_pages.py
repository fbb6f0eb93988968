"""Finished briefings as readers see them: labelled, cited sources only, safe in every format."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest

from shared.answers import Draft, ExtractiveWriter, Usage, Writer
from shared.briefing import (
    PAGE_CONTENT_SECURITY_POLICY,
    BatchPage,
    BatchProgress,
    BriefingView,
    ListedBriefing,
    SubmissionItem,
)
from shared.briefing.batch_page import render_batch_page
from shared.briefing.composer import Result, SectionResult, number_through, renumbered
from shared.briefing.page import render_page
from shared.briefing.records import FINAL, Record, RecordKey, Standing, Status
from shared.briefing.view import page_view_of, view_of
from shared.retrieval import Evidence, Format, Source
from tests.briefing.doubles import ScriptedWriter, evidence_from
from tests.briefing.workbench import NOBODY, Workbench

MOMENT = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
SOURCES = (
    Source(number=1, name='"><svg onload=alert(1)>', link="https://a.example/1", index="schools", key="1"),
    Source(number=2, name="Second", index="schools", key="2"),
    Source(number=3, name="Uncited", link="https://a.example/3", index="schools", key="3"),
)


def _section(text: str, status: Any = "completed", **changes: Any) -> SectionResult:
    return SectionResult(
        **{"name": "s", "title": "Facts & figures", "status": status, "text": text, "numbers": (1, 2, 3), **changes}
    )


def _view(result: Result | None, status: Status = "completed", form: Format = "html", **parameters: Any) -> BriefingView:
    return view_of(_record(result, status, parameters), form)


def _page(result: Result | None, status: Status = "completed", form: Format = "html", **parameters: Any) -> str:
    return render_page(page_view_of(_record(result, status, parameters), form), "School profile")


def _record(result: Result | None, status: Status, parameters: dict[str, Any]) -> Record:
    finished = MOMENT if status in FINAL else None
    standing = Standing(
        status=status, briefing="b", version=1, digest="d", created_at=MOMENT, started_at=MOMENT, finished_at=finished
    )
    return Record(
        key=RecordKey(batch_id="b", id="i"),
        standing=standing,
        parameters=parameters or {"urn": "900001"},
        result=result.to_json() if result else None,
    )


def _result(*sections: SectionResult, synthesis: SectionResult | None = None, writer: Writer | None = None) -> Result:
    return Result(
        sections=sections, synthesis=synthesis, sources=SOURCES, writer=writer or Writer("extractive"), usage=Usage(1, 2)
    )


TWO = _result(_section("One [Evidence 1]. Two [Evidence 2, 1]."), _section("No marker here", title="More", required=False))


def test_a_view_holds_texts_citations_and_all_sources() -> None:
    view = _view(TWO)
    assert view.answer is not None
    assert "Facts &amp; figures" in view.answer
    assert view.unchecked_answer is None
    assert [(citation.number, citation.count) for citation in view.citations] == [(1, 2), (2, 1)]
    assert view.sources == SOURCES
    assert view.cited == {1, 2}
    assert (view.writer, view.usage) == (Writer("extractive"), Usage(1, 2))


def test_an_unchecked_text_is_no_answer() -> None:
    view = _view(_result(_section("Bad", "failed_checks")), "failed_checks")
    assert view.answer is None
    assert view.sections[0].answer is None
    assert "Bad" in (view.sections[0].unchecked_answer or "")
    assert view.unchecked_answer == view.sections[0].unchecked_answer


def test_a_synthesis_is_the_answer() -> None:
    synthesis = _section("Both [Evidence 2].", name="synthesis", title="Summary")
    view = _view(_result(_section("One [Evidence 1]."), synthesis=synthesis), form="text")
    assert view.answer == "Both [Second]."
    assert [citation.number for citation in view.citations] == [2, 1]


def test_a_result_reads_back_as_it_was_stored() -> None:
    result = _result(_section("One [Evidence 1]."), synthesis=_section("x", "failed_checks"))
    assert Result.from_json(result.to_json()) == result
    assert result.status == "failed_checks"


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (("completed", "no_evidence"), "completed"),
        (("no_evidence", "no_evidence"), "no_evidence"),
        (("completed", "failed_checks"), "failed_checks"),
        (("no_evidence", "failed_checks"), "failed_checks"),
    ],
)
def test_the_status_of_a_briefing_is_that_of_its_parts(statuses: tuple[str, ...], status: str) -> None:
    assert _result(*(_section("x", each) for each in statuses)).status == status


class _Tags(HTMLParser):
    """Every tag with its attributes, and every address."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps it."""
        self.tags.append(tag)
        self.attributes += attrs


def test_the_html_page_loads_nothing_and_runs_nothing() -> None:
    hostile = _result(
        _section('<script>x</script> ![i](https://evil.example/i.png) [l](https://evil.example) <img src="x"> [Evidence 1].')
    )
    page = render_page(page_view_of(_record(hostile, "completed", {"urn": "<b>\u202e&"})), "A <title>")
    found = _Tags(page)
    assert not {"script", "img", "link", "iframe", "object", "svg", "form", "base"} & set(found.tags)
    assert not {name for name, _ in found.attributes if name.startswith("on") or name in ("style", "src")}
    assert [value for name, value in found.attributes if name == "href"] == ["#source-1", "https://a.example/1"]
    assert "evil.example" not in page
    assert "<title>A &lt;title&gt;</title>" in page
    assert "&lt;b&gt;" in page


def test_the_policy_allows_the_pages_own_style_and_nothing_else() -> None:
    page = _page(TWO)
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in PAGE_CONTENT_SECURITY_POLICY
    assert PAGE_CONTENT_SECURITY_POLICY.startswith("default-src 'none'")
    assert PAGE_CONTENT_SECURITY_POLICY.isascii()
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_each_page_says_who_wrote_it_and_when_and_lists_cited_sources_only(form: Format) -> None:
    page = _page(TWO, form=form)
    assert "Machine-made (AI-generated) by automatic extraction from its sources on 04 March 2026, 05:06 UTC." in page
    assert "https://a.example/1" in page
    assert "Second" in page
    assert "Uncited" not in page
    assert "https://a.example/3" not in page
    assert "900001" in page


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_a_model_is_named(form: Format) -> None:
    page = _page(_result(_section("x [Evidence 1]"), writer=Writer("model", "gpt-x")), form=form)
    assert "by the model gpt-x on" in page


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("queued", "It waits to be written."),
        ("running", "It is being written."),
        ("waiting", "will be tried again"),
        ("failed", "It could not be written."),
        ("rejected", "was not valid"),
        ("cancelled", "It was cancelled."),
    ],
)
@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_an_unfinished_page_says_how_it_stands(status: Status, said: str, form: Format) -> None:
    page = _page(None, status, form)
    assert said in page
    assert "Machine-made" not in page


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_what_did_not_pass_its_checks_is_not_shown(form: Format) -> None:
    page = _page(_result(_section("UNCHECKED", "failed_checks")), "failed_checks", form)
    assert "did not pass its checks" in page
    assert "UNCHECKED" not in page


def test_parameters_cannot_write_markdown() -> None:
    page = _page(TWO, form="markdown", x="![i](https://evil.example/i) <b>\n# head *x* [Evidence 1]")
    assert "- x: `!`\\[`i`\\]`(https://evil.example/i`) &lt;b\\> # head \\*x\\* \\[Evidence 1\\]\n" in page


@pytest.mark.parametrize("form", ["html", "text"])
def test_parameters_are_literal_text(form: Format) -> None:
    page = _page(TWO, form=form, x="*x* <b> [Evidence 1]\n# head\u202e")
    assert ("*x* <b> [Evidence 1] # head" if form == "text" else "*x* &lt;b&gt; [Evidence 1] # head<") in page


def test_citations_are_numbers_that_lead_to_one_list() -> None:
    swapped = _result(_section("A [Evidence 3]. B [Evidence 2, 3]."), _section("C [Evidence 1, 2].", title="More"))
    html = _page(swapped)
    assert '<p>A <a href="#source-1">[1]</a>. B <a href="#source-2">[2]</a>, <a href="#source-1">[1]</a>.</p>' in html
    assert '<p>C <a href="#source-3">[3]</a>, <a href="#source-2">[2]</a>.</p>' in html
    assert re.findall(r'<li id="source-(\d)" dir="auto">(?:<a [^>]*>)?([^<]*)', html) == [
        ("1", "Uncited"),
        ("2", "Second"),
        ("3", "&quot;&gt;&lt;svg onload=alert(1)&gt;"),
    ]
    text = _page(swapped, form="text")
    assert "A [1]. B [2], [1]." in text
    assert "1. Uncited (https://a.example/3)\n2. Second\n3. " in text
    markdown = _page(swapped, form="markdown")
    assert "A [\\[1\\]](<https://a.example/3>). B \\[2\\], [\\[1\\]](<https://a.example/3>)." in markdown
    assert "1. [Uncited](<https://a.example/3>)\n2. \\[Second\\]" in markdown


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_each_section_has_its_status_whatever_that_of_the_briefing(form: Format) -> None:
    parts = _result(
        _section("Found [Evidence 1]."),
        _section("", "failed", title="Broken", reason="content_filtered"),
        _section("", "not_answered", title="Silent"),
        _section("UNCHECKED", "failed_checks", title="Unchecked"),
    )
    page = _page(parts, "failed", form)
    assert "It could not be written. 1 of 4 sections completed." in page
    assert "Found" in page
    assert "This part could not be written." in page
    assert "The information found does not tell what was asked." in page
    assert "UNCHECKED" not in page


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_a_print_out_is_identified(form: Format) -> None:
    page = _page(TWO, form=form)
    for value in ("b, version 1", "04 March 2026, 05:06 UTC", "Briefing", "Batch"):
        assert value in page


def test_headings_of_an_answer_stand_below_those_of_sections() -> None:
    answer = "# One [Evidence 1]\n\n### Three\n\n> ###### Six\n\n```\n# code\n```\n\nUnder\n===\n\n- # item"
    html = _page(_result(_section(answer)))
    levels = [int(level) for level in re.findall(r"<h(\d)", html)]
    assert levels == [1, 2, 3, 4, 5, 3, 3, 2]
    assert "<code># code" in html
    markdown = _page(_result(_section(answer)), form="markdown")
    assert "\n### One" in markdown
    assert "\n#### Three" in markdown
    assert "\n> ##### Six" in markdown
    assert "\n# code\n" in markdown
    assert "\n### Under\n" in markdown
    assert "\n- ### item" in markdown


async def test_a_title_holds_the_subject_and_the_page_what_was_asked_with_defaults() -> None:
    bench = Workbench(writer=ExtractiveWriter())
    parameters = {"urn": "900001", "focus": "reading"}
    await bench.briefings().submit(
        None, [SubmissionItem(id="s", briefing="inspection-summary", parameters=parameters)], NOBODY
    )
    page = await bench.briefings().render("s", "html", NOBODY)
    assert "<title>Inspection summary: 900001, reading</title>" in page
    assert '<dt>since</dt><dd dir="auto">1990-01-01T00:00:00Z</dd>' in page
    assert (await bench.view("s")).parameters == {**parameters, "since": "1990-01-01T00:00:00Z"}


def test_a_batch_page_has_progress_a_table_and_a_link_for_each_status() -> None:
    progress = BatchProgress(batch_id="b.1", counts={"queued": 1, "completed": 1_999}, started_at=MOMENT, updated_at=MOMENT)
    row = ListedBriefing(id="a", status="completed", briefing="school-profile", created_at=MOMENT)
    gone = ListedBriefing(id="z", status="cancelled", briefing="<b>", created_at=MOMENT, erased=True)
    page = render_batch_page(progress, BatchPage(batch_id="b.1", briefings=(row, gone), continuation="c+d"), "completed")
    found = _Tags(page)
    links = [value for name, value in found.attributes if name == "href"]
    assert links == [
        "b.1?format=html",
        "b.1?format=html&status=queued",
        "b.1?format=html&status=completed",
        "../briefings/a?format=html",
        "b.1?format=html&status=completed&continuation=c%2Bd",
    ]
    assert "99.9 % of 2,000 briefings are final" in page
    assert "<td>z</td><td>&lt;b&gt;</td><td>erased</td>" in page


def test_documents_have_one_number_in_a_briefing() -> None:
    first = evidence_from([{"urn": "1", "name": "A"}, {"urn": "2", "name": "B"}])
    second = evidence_from([{"urn": "2", "name": "B"}, {"urn": "3", "name": "C"}])
    keyless = Evidence(text="x", sources=(Source(number=1, name="A", index="schools"),), blocks=("x",))
    numbering = number_through([first, second, keyless, Evidence(text="")])
    assert numbering.sections == ((1, 2), (2, 3), (4,), ())
    assert [(source.number, source.name) for source in numbering.sources] == [(1, "A"), (2, "B"), (3, "C"), (4, "A")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One [Evidence 1].", "One [Evidence 4]."),
        (
            "All [Evidence 1, 2] and **bold** `code [Evidence 1]`",
            "All [Evidence 4], [Evidence 7] and **bold** `code [Evidence 1]`",
        ),
        ("- a [Evidence 2]\n- b [Evidence 1-2]", "- a [Evidence 7]\n- b [Evidence 4], [Evidence 7]"),
        ("No marker", "No marker"),
    ],
)
def test_markers_take_the_numbers_of_the_briefing(text: str, expected: str) -> None:
    assert renumbered(text, (4, 7)) == expected


async def test_a_synthesis_over_sections_of_a_model_is_resolvable() -> None:
    writer = ScriptedWriter([Draft("Alike [Evidence 1].")])
    bench = Workbench(writer=writer)
    item = SubmissionItem(id="c", briefing="school-comparison", parameters={"first_urn": "900001", "second_urn": "900002"})
    await bench.briefings().submit(None, [item], NOBODY)
    assert await bench.briefings().handle_message(bench.memory.queue.texts[0].encode(), "m") == "completed"
    synthesis = writer.tasks[-1]
    assert synthesis.material is not None
    assert "Alike [Evidence 1]." in synthesis.material
    assert "Alike [Evidence 2]." in synthesis.material
    view = await bench.view("c")
    assert [(citation.number, citation.count) for citation in view.citations] == [(1, 2), (2, 1)]


async def test_nothing_is_synthesised_over_unchecked_sections() -> None:
    writer = ScriptedWriter([Draft("No marker")])
    bench = Workbench(writer=writer)
    item = SubmissionItem(id="c", briefing="school-comparison", parameters={"first_urn": "900001", "second_urn": "900002"})
    await bench.briefings().submit(None, [item], NOBODY)
    assert await bench.briefings().handle_message(bench.memory.queue.texts[0].encode(), "m") == "failed_checks"
    assert all(task.material is None for task in writer.tasks)
    assert (await bench.view("c")).synthesis is None


async def test_a_section_without_evidence_says_so_and_the_others_stand() -> None:
    bench = Workbench(writer=ExtractiveWriter())
    item = SubmissionItem(id="c", briefing="school-comparison", parameters={"first_urn": "900001", "second_urn": "999999"})
    await bench.briefings().submit(None, [item], NOBODY)
    assert await bench.briefings().handle_message(bench.memory.queue.texts[0].encode(), "m") == "completed"
    page = await bench.briefings().render("c", "text", NOBODY)
    assert "The second school\n\nNo information was found." in page
    assert "number_on_roll: 398" in page
