"""Answers in pieces: equal to the whole at every split, nothing unsafe released, and a state that is harmless."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.retrieval import (
    MAX_ANSWER_CHARACTERS,
    MAX_STATE_BYTES,
    CitationStream,
    Format,
    InvalidRequest,
    Source,
    TooLarge,
    resolve,
)
from tests.citations.hostile import HOSTILE_ANSWERS
from tests.citations.support import FORMATS, LINK, SOURCES, difference, live_parts, streamed

ANSWERS = [
    "Rated Good [Evidence 1], in a trust [Evidence 2] [Evidence 9].",
    "- a [Evidence 1]\n- b\n\n  c [Evidence 9]\n\n1. x\n2. y\n",
    "> q [Evidence\n> 1]\n\n```\n[Evidence 1]\n```\n`a\nb` [x](\nhttps://evil.example)",
    "| a | b |\n|---|---|\n| `x` | [Evidence 1] |\nend\n\n# h [Evidence 9] #\r\nz\r",
    "![a [b](u)](v) <img alt='>'\nsrc=x> <https://evil.example> https://evil.example/x \\[Evidence 1\\]",
    "Wow![Evidence 1] [r]: x\n[r]: https://evil.example\n===\n***\n\tcode\n    code\n",
    "[a b]:/c d\n\n[a b]:c https://evil.example x\n\n- [a\n  b]:\n  c d **[Evidence 9]**",
    f"{'~' * 260} {'`' * 260}\na\n{'~' * 255}\n[^a b] c [!d]\n- [x] [a]:b\n",
    "``` ```\n``` ```\n> [Evidence 9] [Evidence 1]\n>\n```\n",
    "😀 \ud83d\ude00 [Evidence １] 【Evidence 2】【4:0†s】 \ue200cite\ue202x\ue201 [[Evidence 1]]",
]


@pytest.mark.parametrize("by_state", [False, True])
@pytest.mark.parametrize("shown_as", FORMATS)
@pytest.mark.parametrize("answer", ANSWERS)
def test_equal_at_every_split(answer: str, shown_as: Format, by_state: bool) -> None:
    every_one = [[cut] for cut in range(len(answer) + 1)]
    pairs = [[cut, min(cut + 3, len(answer))] for cut in range(0, len(answer), 3)]

    all_cuts = (*every_one, *pairs, list(range(len(answer))))
    found = [difference(answer, cuts, shown_as, by_state=by_state) for cuts in all_cuts]

    assert [problem for problem in found if problem] == []


@given(HOSTILE_ANSWERS, st.sampled_from(FORMATS), st.booleans(), st.booleans(), st.data())
@settings(max_examples=150, deadline=None)
def test_equal_at_random_splits(answer: str, shown_as: Format, by_state: bool, required: bool, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=8)))

    assert difference(answer, cuts, shown_as, by_state=by_state, required=required) is None


GOOD = ["Rated Good ", "[Evi", "dence 1", "]", ". More"]
IN_TEXT = ["Rated Good", "", "", "", f" Ofsted report ({LINK}). More"]
IN_MARKDOWN = ["Rated", "", "", "", f" Good [Ofsted report](<{LINK}>)."]
IN_HTML = "<p>Rated Good [Trust &lt;page&gt; *x*].</p>\n"


@pytest.mark.parametrize(
    ("shown_as", "pieces", "released"),
    [
        (
            "text",
            ["Rated Good ", "[Evi", "dence 1", "]", ". More"],
            ["Rated Good", "", "", "", f" Ofsted report ({LINK}). More"],
        ),
        (
            "markdown",
            ["Rated Good ", "[Evi", "dence 1", "]", ". More"],
            ["Rated", "", "", "", f" Good [Ofsted report](<{LINK}>)."],
        ),
        (
            "html",
            ["Rated Good ", "[Evidence 2]", ".\n", "\n"],
            ["", "", "", "<p>Rated Good [Trust &lt;page&gt; *x*].</p>\n"],
        ),
        ("html", ["- a\n- ", "b\n", "- c\n"], ["", "<ul>\n<li>\n<p>a</p>\n</li>\n", "<li>\n<p>b</p>\n</li>\n"]),
        ("html", ["# a\n", "---\n", "```\nx\n", "```\n"], ["<h1>a</h1>\n", "<hr>\n", "", "<pre><code>x\n</code></pre>\n"]),
        ("text", ["see <im", "g src=x", "> and ![a](htt", "ps://evil.example/i", ") b"], ["see", "", "  and", "", " a b"]),
        ("markdown", ["see https://ev", "il.example/x", " and"], ["see", "", " `https://evil.example/x`"]),
    ],
)
def test_what_is_released_when(shown_as: Format, pieces: list[str], released: list[str]) -> None:
    stream = CitationStream(SOURCES, format=shown_as)

    assert [stream.feed(piece) for piece in pieces] == released


@given(HOSTILE_ANSWERS)
@settings(max_examples=60, deadline=None)
def test_every_piece_of_html_is_safe_by_itself(answer: str) -> None:
    stream = CitationStream(SOURCES)
    pieces = [stream.feed(character) for character in answer] + [stream.feed("", final=True)]

    assert [live_parts(piece, ours=True) for piece in pieces if live_parts(piece, ours=True)] == []


def test_verdict_comes_with_the_last_piece() -> None:
    stream = CitationStream(SOURCES)
    stream.feed("Rated Good.\n\n")

    assert stream.resolution is None
    assert stream.feed("Really.", final=True) == "<p>Really.</p>\n"
    assert stream.resolution is not None
    assert stream.resolution.valid is False
    assert stream.resolution.answer == "<p>Really.</p>\n"


def test_nothing_follows_the_final_piece() -> None:
    stream = CitationStream(SOURCES)
    stream.feed("x", final=True)

    with pytest.raises(InvalidRequest, match="has had its final piece") as error:
        stream.feed("y")
    assert error.value.code == "stream_finished"
    with pytest.raises(InvalidRequest, match="has had its final piece"):
        _ = stream.state


def test_limit_counts_all_pieces() -> None:
    stream = CitationStream(SOURCES, format="text")
    stream.feed("x " * (MAX_ANSWER_CHARACTERS // 2))
    again = CitationStream(SOURCES, format="text", state=stream.state)

    with pytest.raises(TooLarge, match="limit of 500000"):
        again.feed("y")


@pytest.mark.parametrize("shown_as", FORMATS)
def test_state_is_held_text_and_little_more(shown_as: Format) -> None:
    sources = [Source(number=n, name=f"Secret name {n}", link=f"https://secret.example/{n}") for n in range(1, 1001)]
    stream = CitationStream(sources, format=shown_as)
    stream.feed("".join(f"[Evidence {n}] [Evidence {n + 5000}] 😀{'𝒳' * 70}\n\n" for n in range(1, 1001)))
    stream.feed("[held " + "x" * 5000)

    size = len(stream.state.encode("utf-8", "surrogatepass"))

    assert 5000 < size < 5100 + MAX_STATE_BYTES
    assert "secret" not in json.dumps(_meta(stream.state)).lower()


def _meta(state: str) -> dict[str, object]:
    packed = state.split(".", 2)[1]
    meta: dict[str, object] = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))))
    return meta


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("cite1.abc.def.", "another version"),
        ("", "another version"),
        ("cite2.e30.00000000.", "damaged"),
        ("cite2", "damaged"),
    ],
)
def test_state_that_cannot_be_taken_up(state: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{why}.*start the stream again") as error:
        CitationStream(SOURCES, state=state)

    assert error.value.code == "unknown_state"


def test_damaged_state_is_noticed() -> None:
    stream = CitationStream(SOURCES, format="text")
    stream.feed("a [Evidence")

    with pytest.raises(InvalidRequest, match="is damaged"):
        CitationStream(SOURCES, format="text", state=stream.state + "x")


@pytest.mark.parametrize(
    ("shown_as", "required", "references"), [("html", True, False), ("text", False, False), ("text", True, True)]
)
def test_state_belongs_to_its_options(shown_as: Format, required: bool, references: bool) -> None:
    stream = CitationStream(SOURCES, format="text")
    stream.feed("a [Evidence")

    with pytest.raises(InvalidRequest, match="with other options") as error:
        CitationStream(SOURCES, format=shown_as, required=required, references=references, state=stream.state)
    assert error.value.code == "unknown_state"


def _forged(shown_as: Format, meta: dict[str, object], held: str) -> str:
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(meta).encode())).decode().rstrip("=")
    checksum = zlib.crc32(held.encode(), zlib.crc32(packed.encode()))
    return f"cite2.{packed}.{checksum:08x}.{held}"


def test_forged_counts_lift_no_limit() -> None:
    sources = [Source(number=1, name="n" * 1_000)]
    stream = CitationStream(sources, format="text")
    stream.feed("a ")
    meta = _meta(stream.state)
    ledger: dict[str, object] = meta["ledger"]  # type: ignore[assignment]
    for forged in (meta | {"characters": -(10**9)}, meta | {"ledger": ledger | {"cited": -(10**12)}}):
        with pytest.raises(InvalidRequest, match="is damaged"):
            CitationStream(sources, format="text", state=_forged("text", forged, ""))


ROW = ["", False, False, False]
LEDGER = {
    "counts": [],
    "problems": [],
    "more": 0,
    "failures": [],
    "unknown": [],
    "shared": [],
    "marker": True,
    "cited": 0,
}


@pytest.mark.parametrize(
    "change",
    [
        {"position": 1},
        {"position": [[], "no such leaf", None, False, True, ROW, 0, 0]},
        {"position": [[["-", "x", 1]], "none", None, False, True, ROW, 0, 0]},
        {"position": [[["\ud800", 0, False]], "none", None, False, True, ROW, 0, 0]},
        {"position": [[[">", 0, False]] * 100, "none", None, False, True, ROW, 0, 0]},
        {"position": [[], "fence", "`", False, True, ROW, 0, 0]},
        {"position": [[], "fence", ["|", 3], False, True, ROW, 0, 0]},
        {"position": [[], "none", None, False, True, [], 0, 0]},
        {"position": [[["-", 10**9, False]], "none", None, False, True, ROW, 0, 0]},
        {"position": [[["-", -1, False]], "none", None, False, True, ROW, 0, 0]},
        {"position": [[["-", True, False]], "none", None, False, True, ROW, 0, 0]},
        {"position": [[], "fence", ["`", 10**10], False, True, ROW, 0, 0]},
        {"position": [[], "table", None, False, True, ROW, 10**9, 0]},
        {"position": [[], "table", None, False, True, ROW, 0, 10**9]},
        {"characters": 10**12},
        {"half": [10**9]},
        {"ledger": LEDGER | {"counts": [[1, 10**12]]}},
        {"ledger": LEDGER | {"unknown": ["1"]}},
        {"ledger": {}},
        {"ledger": LEDGER | {"counts": [[1]]}},
        {"ledger": LEDGER | {"problems": [["<b>", [], "x"]]}},
        {"ledger": LEDGER | {"problems": [["no_citation", [1] * 21, "x"]]}},
        {"characters": "many"},
        {"half": [5_000_000_000]},
    ],
)
def test_forged_state_of_the_wrong_shape(change: dict[str, object]) -> None:
    stream = CitationStream(SOURCES, format="text")
    stream.feed("a [Evidence")

    with pytest.raises(InvalidRequest, match="is damaged"):
        CitationStream(SOURCES, format="text", state=_forged("text", _meta(stream.state) | change, ""))


@pytest.mark.parametrize("shown_as", FORMATS)
def test_forged_state_smuggles_nothing(shown_as: Format) -> None:
    """The held text is read again like any other, and what it claims was cited has to be among the sources."""
    stream = CitationStream(SOURCES, format=shown_as)
    stream.feed("a [Evidence")
    meta = _meta(stream.state)
    meta["list"] = ["-", "ul"] if shown_as == "html" else None
    held = '<script>x</script> [x](https://evil.example) ![i](https://evil.example/i) <a href="https://evil.example">'

    forged = CitationStream(SOURCES, format=shown_as, state=_forged(shown_as, meta, held))
    shown = forged.feed("\n\n<b>", final=True)

    assert "](https" not in shown
    if shown_as != "text":
        assert "<script" not in shown
        assert "<a " not in shown


_ODD: list[Any] = [
    None,
    True,
    -1,
    2**70,
    1.5,
    float("inf"),
    "",
    "|",
    "x",
    "`",
    "\ud800",
    "fence",
    "table",
    [],
    [[]],
    ["a"],
    {"a": 1},
]
_BEGUN = ["a [Evidence", "- a\n- b", "```\nx", "| a | b |\n|--|--|\n| c", "> - x\n[y", "# ![a [Evidence 9] [Evidence 1.5]"]
_GOES_ON = ["\n\n<b>", "\n| x | y |\n", "```\n- z\n", "\n---|--\n", "x] (y) `", "\n> q\n\tt"]


def _places(value: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where values stand in JSON."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for name, member in members for found in _places(member, (*place, name)))]


@given(st.sampled_from(FORMATS), st.sampled_from(_BEGUN), st.sampled_from(_GOES_ON), st.sampled_from(_ODD), st.data())
@settings(max_examples=400, deadline=None)
def test_forged_state_is_refused_or_harmless(
    shown_as: Format, begun: str, goes_on: str, odd: object, data: st.DataObject
) -> None:
    """Any value in any place of it: never an error but those that a caller is told of."""
    stream = CitationStream(SOURCES, format=shown_as)
    stream.feed(begun)
    meta = _meta(stream.state)
    *before, last = data.draw(st.sampled_from(_places(meta)[1:]))
    holder: Any = meta
    for name in before:
        holder = holder[name]
    holder[last] = odd
    try:
        forged = CitationStream(SOURCES, format=shown_as, state=_forged(shown_as, meta, "x [y"))
        forged.feed(goes_on)
        shown = CitationStream(SOURCES, format=shown_as, state=forged.state).feed(goes_on, final=True)
    except (InvalidRequest, TooLarge) as error:
        shown = error.code
    assert shown_as != "html" or live_parts(shown, ours=True) == []


def test_forged_excerpt_is_as_short_as_any() -> None:
    stream = CitationStream(SOURCES, format="text")
    forged = _meta(stream.state) | {"ledger": LEDGER | {"problems": [["html_escaped", [], "\ud800" + "x" * 500]]}}

    last = CitationStream(SOURCES, format="text", state=_forged("text", forged, ""))
    last.feed("x", final=True)

    assert last.resolution is not None
    assert [len(problem.excerpt) for problem in last.resolution.problems] == [80]


def test_forged_list_tag_is_refused() -> None:
    stream = CitationStream(SOURCES)
    stream.feed("- a\n- b")

    with pytest.raises(InvalidRequest, match="is damaged"):
        CitationStream(SOURCES, state=_forged("html", _meta(stream.state) | {"list": ["-", "script"]}, ""))


@pytest.mark.parametrize(
    "pattern", ["x", "[", "`", "<img ", "![a", "[Evidence 1, ", "a@", "> ", "- ", "```\n", "| a |\n"], ids=repr
)
def test_stream_of_single_characters_takes_no_square_of_time(pattern: str) -> None:
    """It is equal to the whole too; were each character to read the held text again, this would take minutes."""
    answer = (pattern * 15_000)[:15_000]
    for shown_as in FORMATS:
        joined, _ = streamed(answer, list(range(len(answer))), shown_as, by_state=False)
        assert joined == resolve(answer, SOURCES, format=shown_as).answer
