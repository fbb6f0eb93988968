"""Citations and answers over the routes: members, limits, streams and their state."""

from __future__ import annotations

from typing import Any

import pytest

from shared.api import ANSWERS, CITATIONS, CITATIONS_STREAM, EVIDENCE
from tests.support.app import App, body_of

LINKED = {"number": 1, "name": "Report", "link": "https://example.org/r"}
BARE = {"number": 2, "name": "Minutes", "link": None}
SOURCES = [LINKED, BARE]

FORMATS = [
    ("html", '<p>Good <a href="https://example.org/r" rel="noopener noreferrer">Report</a>, [Minutes].</p>'),
    ("markdown", r"Good [Report](<https://example.org/r>), \[Minutes\]."),
    ("text", "Good Report (https://example.org/r), [Minutes]."),
]


@pytest.mark.parametrize(("form", "shown"), FORMATS)
async def test_formats(app: App, form: str, shown: str) -> None:
    body = {"answer": "Good [Evidence 1, 2].", "sources": SOURCES, "format": form}
    reply = body_of(await app.call(CITATIONS, body))
    assert reply["answer"].strip() == shown
    assert (reply["valid"], [c["number"] for c in reply["citations"]], reply["uncited"]) == (True, [1, 2], [])


async def test_sources_of_evidence_pass_as_they_are(app: App) -> None:
    search = {"index": "inspections", "query": "electric car"}
    evidence = body_of(await app.call(EVIDENCE, {"searches": [search]}))
    body = {"answer": "They race [Evidence 1].", "sources": evidence["sources"], "format": "text"}
    assert body_of(await app.call(CITATIONS, body))["valid"] is True


BAD = [
    ("no sources", {"answer": "x"}, 400, "$.sources"),
    ("both", {"answer": "x", "sources": [], "retrieval": {}}, 400, "$.sources"),
    ("retrieval", {"answer": "x", "retrieval": {"references": [{"id": "a"}]}}, 400, "$.retrieval.references[0].id"),
    ("number", {"answer": "x", "sources": [LINKED | {"number": 0}]}, 400, "$.sources[0].number"),
    ("name", {"answer": "x", "sources": [LINKED | {"name": " "}]}, 400, "$.sources[0].name"),
    ("member", {"answer": "x", "sources": [{"number": 1}]}, 400, "$.sources[0].name"),
    ("format", {"answer": "x", "sources": [], "format": "pdf"}, 400, "$.format"),
    ("too many", {"answer": "x", "sources": [LINKED] * 1001}, 400, "$.sources"),
    ("too long", {"answer": "x" * 500_001, "sources": []}, 413, "$.answer"),
    ("figures", {"answer": "x", "sources": SOURCES, "checkFigures": True}, 400, "$.evidence"),
    ("unknown", {"answer": "x", "sources": [], "link": "y"}, 400, "$.link"),
]


@pytest.mark.parametrize(("body", "status", "path"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
async def test_refused(app: App, body: Any, status: int, path: str) -> None:
    reply = await app.call(CITATIONS, body)
    assert reply.status == status
    assert [error["path"] for error in body_of(reply)["errors"]] == [path]


async def test_figures_without_evidence_have_a_code_of_their_own(app: App) -> None:
    reply = await app.call(CITATIONS, {"answer": "x", "sources": SOURCES, "checkFigures": True})
    assert body_of(reply)["code"] == "evidence_required"


async def test_a_long_answer_is_taken_whole(app: App) -> None:
    answer = "word " * 99_000 + "[Evidence 1]"
    reply = body_of(await app.call(CITATIONS, {"answer": answer, "sources": SOURCES, "format": "text"}))
    assert reply["citations"][0]["count"] == 1


async def test_an_astral_answer_under_the_limit_fits_the_body(app: App) -> None:
    answer = "😀" * 499_000
    reply = await app.call(CITATIONS, {"answer": answer, "sources": SOURCES, "required": False, "format": "text"})
    assert reply.status == 200


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
async def test_a_stream_equals_the_whole(app: App, form: str) -> None:
    answer = "# Title\n\nGood [Evidence 1] and `code [Evidence 2]`.\n\n- one [Evidence 2]\n- two [Evidence 9]\n"
    whole = body_of(await app.call(CITATIONS, {"answer": answer, "sources": SOURCES, "format": form}))
    joined, state = "", None
    pieces = [answer[place : place + 7] for place in range(0, len(answer), 7)]
    for place, piece in enumerate(pieces):
        final = place == len(pieces) - 1
        body = {"chunk": piece, "state": state, "sources": SOURCES, "format": form, "final": final}
        reply = body_of(await app.call(CITATIONS_STREAM, body))
        assert ("valid" in reply) is final
        joined, state = joined + reply["text"], reply["state"]
    assert joined == whole["answer"]
    assert state is None
    assert {key: reply[key] for key in ("valid", "citations", "uncited", "problems")} == {
        key: whole[key] for key in ("valid", "citations", "uncited", "problems")
    }


@pytest.mark.parametrize("state", ["", "x", "cite0.abc", "cite9.abc.def", "cite2.!!", "cite2.eJw.00000000.<b>"])
async def test_a_state_of_somebody_else_is_refused_with_what_to_do(app: App, state: str) -> None:
    reply = await app.call(CITATIONS_STREAM, {"chunk": "x", "state": state, "sources": SOURCES})
    assert reply.status == 400
    assert body_of(reply)["code"].endswith("state")
    assert [error["path"] for error in body_of(reply)["errors"]] == ["$.state"]


async def test_an_answer_is_checked_and_cites_its_sources(app: App) -> None:
    search = {"index": "inspections", "query": "electric car", "filter": {"equals": {"urn": "900016"}}}
    reply = body_of(await app.call(ANSWERS, {"prompt": "What do pupils race?", "searches": [search], "format": "text"}))
    assert (reply["status"], reply["valid"], reply["writer"]) == ("completed", True, {"kind": "extractive"})
    assert "electric car" in reply["answer"]
    assert any(source["cited"] for source in reply["sources"])


async def test_without_evidence_there_is_no_answer(app: App) -> None:
    search = {"index": "inspections", "query": "car", "filter": {"equals": {"urn": "nobody"}}}
    reply = body_of(await app.call(ANSWERS, {"prompt": "What?", "searches": [search]}))
    assert (reply["status"], reply["answer"], reply["citations"]) == ("no_evidence", None, [])


async def test_refused_answers(app: App) -> None:
    reply = await app.call(ANSWERS, {"prompt": " ", "searches": [{"index": "nope", "query": "x"}]})
    assert [error["path"] for error in body_of(reply)["errors"]] == ["$.prompt"]
    reply = await app.call(ANSWERS, {"prompt": "x", "searches": [{"index": "nope", "query": "x"}]})
    assert [error["path"] for error in body_of(reply)["errors"]] == ["$.searches[0].index"]
