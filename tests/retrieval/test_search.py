"""Searches: what is sent in each mode, what comes back, and what is refused before anything is sent."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from azure.core.rest import HttpRequest

from shared.retrieval import (
    Caller,
    Forbidden,
    InvalidFilter,
    InvalidQuery,
    InvalidRequest,
    ODataFilter,
    Semantic,
    TooLarge,
    UnknownName,
    odata,
)
from shared.retrieval.search.query import Syntax, escaped
from tests.retrieval.doubles import Scripted, ScriptedTransport, hits
from tests.retrieval.set_up import index_of, retrieval_of

SEMANTIC = {"semantic_configuration": "default"}
VECTOR = {"vector_fields": ("v1", "v2")}
RANKED = {"semanticConfiguration": "default", "captions": "extractive|highlight-true", "answers": "extractive|count-3"}


def vectors(text: str, k: int) -> dict[str, Any]:
    """The vector side of a request."""
    return {"vectorQueries": [{"kind": "text", "text": text, "k": k, "fields": "v1,v2"}], "vectorFilterMode": "preFilter"}


SENT = [
    ("keyword", {}, {"query": "oak"}, {"search": "oak"}),
    ("plain_words", {}, {"query": "C++ -5"}, {"search": r"C\+\+ \-5"}),
    ("simple", {}, {"query": "oak* -ash", "syntax": "simple"}, {"search": "oak* -ash"}),
    ("full", {}, {"query": "name:oak~", "syntax": "full"}, {"search": "name:oak~", "queryType": "full"}),
    ("all", {}, {"query": "a b", "search_mode": "all"}, {"search": "a b", "searchMode": "all"}),
    ("match_all", {**SEMANTIC, **VECTOR}, {"query": "*"}, {"search": "*"}),
    ("semantic", SEMANTIC, {"query": "oak"}, {"search": "oak", "queryType": "semantic", **RANKED}),
    (
        "semantic_with_operators",
        SEMANTIC,
        {"query": "oak (ash)"},
        {"search": r"oak \(ash\)", "queryType": "simple", "semanticQuery": "oak (ash)", **RANKED},
    ),
    (
        "semantic_simple",
        SEMANTIC,
        {"query": "oak*", "syntax": "simple"},
        {"search": "oak*", "queryType": "simple", "semanticQuery": "oak*", **RANKED},
    ),
    (
        "semantic_full",
        SEMANTIC,
        {"query": "oak~", "syntax": "full"},
        {"search": "oak~", "queryType": "full", "semanticQuery": "oak~", **RANKED},
    ),
    (
        "semantic_bounded",
        {**SEMANTIC, "return_fields": ("t",)},
        {"query": "oak"},
        {"search": "oak", "queryType": "semantic", "semanticConfiguration": "default", "select": "t"},
    ),
    ("semantic_ordered", SEMANTIC, {"query": "oak", "order_by": ["t desc"]}, {"search": "oak", "orderby": "t desc"}),
    (
        "full_ordered",
        SEMANTIC,
        {"query": "a~", "syntax": "full", "order_by": ["t"]},
        {"search": "a~", "orderby": "t", "queryType": "full"},
    ),
    ("hybrid", VECTOR, {"query": "oak (ash)"}, {"search": r"oak \(ash\)", **vectors("oak (ash)", 10)}),
    ("hybrid_ordered", VECTOR, {"query": "oak", "order_by": ["t"]}, {"search": "oak", "orderby": "t", **vectors("oak", 10)}),
    (
        "both",
        {**SEMANTIC, **VECTOR},
        {"query": "oak"},
        {"search": "oak", "queryType": "semantic", **RANKED, **vectors("oak", 50)},
    ),
    (
        "both_many",
        {**SEMANTIC, **VECTOR},
        {"query": "oak", "top": 70},
        {"search": "oak", "top": 70, "queryType": "semantic", **RANKED, **vectors("oak", 70)},
    ),
    (
        "everything",
        {},
        {
            "query": "oak",
            "top": 5,
            "skip": 20,
            "select": ["t", "a/b"],
            "order_by": ["search.score() desc", "geo.distance(l, geography'POINT(1 2)')", "t asc"],
            "facets": ["town,count:5", "n, interval:10"],
            "highlight": ["t-2", "u"],
            "count": True,
            "filter": odata("urn eq {urn}", urn="1"),
        },
        {
            "search": "oak",
            "top": 5,
            "skip": 20,
            "select": "t,a/b",
            "orderby": "search.score() desc,geo.distance(l, geography'POINT(1 2)'),t asc",
            "facets": ["town,count:5", "n, interval:10"],
            "highlight": "t-2,u",
            "count": True,
            "filter": "urn eq '1'",
        },
    ),
]


@pytest.mark.parametrize(("settings", "asked", "body"), [row[1:] for row in SENT], ids=[str(row[0]) for row in SENT])
async def test_request_of_each_mode(settings: dict[str, Any], asked: dict[str, Any], body: dict[str, Any]) -> None:
    transport = ScriptedTransport(hits())

    await retrieval_of(transport, index_of(**settings)).search("docs", **asked)

    sent = transport.bodies[0]
    assert re.fullmatch("[0-9a-f]{32}", sent.pop("sessionId"))
    marked = bool(asked.get("highlight")) or "captions" in body
    marks = sent.pop("highlightPreTag", None), sent.pop("highlightPostTag", None)
    assert all(re.fullmatch(r"\[/?[0-9a-f]{16}\]", mark) if marked else mark is None for mark in marks)
    assert sent == {"top": 10, **body}
    assert len(transport.bodies) == 1


async def test_pages_of_one_search_have_one_session() -> None:
    transport = ScriptedTransport(*[hits()] * 5)
    retrieval = retrieval_of(transport)
    by_town = ODataFilter.raw("town eq 'Bath'")
    for asked in ({}, {"skip": 10}, {"top": 5}, {"filter": by_town}, {"order_by": ["t"]}):
        await retrieval.search("docs", "q", **asked)
    first, *others = [body["sessionId"] for body in transport.bodies]
    assert [session == first for session in others] == [True, True, False, False]


async def test_evidence_has_no_session() -> None:
    transport = ScriptedTransport(hits())
    await retrieval_of(transport).evidence("docs", "q")
    assert "sessionId" not in transport.bodies[0]


async def test_words_are_looked_for_in_the_search_fields() -> None:
    transport = ScriptedTransport(hits(), hits())
    retrieval = retrieval_of(transport, index_of(search_fields=("t", "a/b")))
    await retrieval.search("docs", "q")
    await retrieval.evidence("docs", "q")
    assert [body["searchFields"] for body in transport.bodies] == ["t,a/b", "t,a/b"]


HIDING: list[dict[str, Any]] = [{"content_fields": ("t",)}, {"return_fields": ("t",)}, {"filter_fields": ("t",)}]


@pytest.mark.parametrize("settings", HIDING, ids=str)
@pytest.mark.parametrize("syntax", ["simple", "full"])
async def test_query_languages_need_search_fields_where_fields_are_hidden(settings: dict[str, Any], syntax: Syntax) -> None:
    transport = ScriptedTransport(hits())
    with pytest.raises(InvalidQuery) as raised:
        await retrieval_of(transport, index_of(**settings)).search("docs", "jo*", syntax=syntax)
    assert (raised.value.code, raised.value.problems[0].path) == ("syntax_not_allowed", "$.syntax")
    assert transport.bodies == []
    await retrieval_of(transport, index_of(**settings, search_fields=("t",))).search("docs", "jo*", syntax=syntax)
    assert transport.bodies[0]["searchFields"] == "t"


COLONS = [
    ("t:word", True),
    ("(t:word) +t:b -t:c !t:d t:[a TO b]", True),
    ("a/b:word", True),
    (r"time 12\:30", True),
    ('"t:word"', True),
    ("plain words /re.*/ near~2", True),
    ("head:/a.*/", False),
    ("x.t:word", False),
    ("xt:word", False),
    (r"\t:word", False),
    (r"head\t:word", False),
    (r"t\\:word", False),
    ("t :word", False),
    ("t\t:word", False),
    ('"a: b"', False),
    ("12:30", False),
    (":word", False),
    ("_exists_:t", False),
    ("ét:word", False),
    ("a/b/c:word", False),
    ("T:word", False),
    ("t:word AND head:x", False),
]


@pytest.mark.parametrize(("query", "taken"), COLONS)
async def test_colon_of_a_full_query_follows_a_search_field(query: str, taken: bool) -> None:
    transport = ScriptedTransport(hits())
    asked = retrieval_of(transport, index_of(search_fields=("t", "a/b"))).search("docs", query, syntax="full")
    if taken:
        await asked
        return
    with pytest.raises(InvalidQuery, match="escape the colon") as raised:
        await asked
    assert (raised.value.code, raised.value.problems[0].path) == ("invalid_query", "$.query")
    assert transport.bodies == []


def marked_hit(request: HttpRequest) -> Scripted:
    """The reply of a service that marks `hit` by the tags of the request, as the real one does."""
    body = json.loads(request.content)
    marked = f"<script>{body['highlightPreTag']}hit{body['highlightPostTag']}</script> <em>not</em> &"
    document = {
        "@search.score": 1.0,
        "@search.rerankerScore": 2.0,
        "@search.highlights": {"t": [marked]},
        "@search.captions": [{"text": "<b>hit</b>", "highlights": marked}, {"text": "", "highlights": ""}],
    }
    return hits(document, **{"@search.answers": [{"key": "7", "text": "<i>", "highlights": marked, "score": 0.9}]})


async def test_highlights_and_captions_are_safe_html() -> None:
    transport = ScriptedTransport(marked_hit)
    page = await retrieval_of(transport, index_of(**SEMANTIC)).search("docs", "q", highlight=["t"])
    safe = "&lt;script&gt;<em>hit</em>&lt;/script&gt; &lt;em&gt;not&lt;/em&gt; &amp;"
    assert dict(page.hits[0].highlights) == {"t": (safe,)}
    captions = [(caption.text, caption.highlights) for caption in page.hits[0].captions]
    assert captions == [("&lt;b&gt;hit&lt;/b&gt;", safe), ("", None)]
    assert (page.answers[0].text, page.answers[0].highlights) == ("&lt;i&gt;", safe)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("well-known school", "well-known school"),
        ("-5 °C", r"\-5 °C"),
        ("a -b --c d-e", r"a \-b \-\-c d-e"),
        ('"unclosed (quote', r"\"unclosed \(quote"),
        ("AND NOT a:b /x/", "AND NOT a:b /x/"),
        ("wifi* c~1 a|b O'Hara", r"wifi\* c\~1 a\|b O\'Hara"),
        ("back\\slash", r"back\\slash"),
        ("(-a)", r"\(\-a\)"),
    ],
)
def test_operators_are_words_in_plain_text(text: str, sent: str) -> None:
    assert escaped(text) == sent


WRONG = [
    ({"query": "  "}, InvalidRequest, "$.query", "blank_query"),
    ({"query": ""}, InvalidRequest, "$.query", "blank_query"),
    ({"query": "a\ud83d"}, InvalidRequest, "$.query", "invalid_query"),
    ({"query": "x" * 10_001}, TooLarge, "$.query", "too_large"),
    ({"query": "x", "top": 0}, InvalidRequest, "$.top", "out_of_range"),
    ({"query": "x", "top": 1001}, InvalidRequest, "$.top", "out_of_range"),
    ({"query": "x", "top": "5"}, InvalidRequest, "$.top", "out_of_range"),
    ({"query": "x", "top": True}, InvalidRequest, "$.top", "out_of_range"),
    ({"query": "x", "skip": -1}, InvalidRequest, "$.skip", "out_of_range"),
    ({"query": "x", "skip": 100_001}, InvalidRequest, "$.skip", "out_of_range"),
    ({"query": "x", "syntax": "lucene"}, InvalidRequest, "$.syntax", "out_of_range"),
    ({"query": "x", "search_mode": "some"}, InvalidRequest, "$.searchMode", "out_of_range"),
    ({"query": "x", "select": ["a,secret"]}, InvalidQuery, "$.select[0]", "invalid_query"),
    ({"query": "x", "select": ["a", "*"]}, InvalidQuery, "$.select[1]", "invalid_query"),
    ({"query": "x", "order_by": ["a asc, secret"]}, InvalidQuery, "$.orderBy[0]", "invalid_query"),
    ({"query": "x", "facets": ["a,count:2 > secret"]}, InvalidQuery, "$.facets[0]", "invalid_query"),
    ({"query": "x", "facets": ["a,count:2;(secret)"]}, InvalidQuery, "$.facets[0]", "invalid_query"),
    ({"query": "x", "order_by": ["a sideways"]}, InvalidQuery, "$.orderBy[0]", "invalid_query"),
    ({"query": "x", "facets": [""]}, InvalidQuery, "$.facets[0]", "invalid_query"),
    ({"query": "x", "highlight": ["a,secret"]}, InvalidQuery, "$.highlight[0]", "invalid_query"),
    ({"query": "x", "index": "Docs"}, UnknownName, "$.index", "unknown_index"),
    ({"query": "x", "index": ""}, UnknownName, "$.index", "unknown_index"),
]


@pytest.mark.parametrize(("asked", "kind", "path", "code"), WRONG, ids=lambda value: str(value)[:40])
async def test_wrong_request_is_refused_before_anything_is_sent(
    asked: dict[str, Any], kind: type[InvalidRequest], path: str, code: str
) -> None:
    transport = ScriptedTransport(hits())

    with pytest.raises(kind) as caught:
        await retrieval_of(transport).search(**{"index": "docs", **asked})

    assert [(problem.path, problem.code) for problem in caught.value.problems] == [(path, code)]
    assert transport.requests == []


async def test_every_number_out_of_range_is_reported() -> None:
    with pytest.raises(InvalidRequest) as caught:
        await retrieval_of(ScriptedTransport(hits())).search("docs", " ", top=0, skip=-1)

    assert [problem.path for problem in caught.value.problems] == ["$.query", "$.top", "$.skip"]


RETURNED = [
    ({"return_fields": ("t", "a")}, {"select": ["t", "a/b"]}, None),
    ({"return_fields": ("t",)}, {"order_by": ["search.score()"]}, None),
    ({"content_fields": ("t",), "key_field": "id"}, {"select": ["id"]}, None),
    ({}, {"select": ["anything"]}, None),
    ({"return_fields": ("t",)}, {"select": ["t", "secret"]}, "$.select[1]"),
    ({"return_fields": ("t",)}, {"order_by": ["secret desc"]}, "$.orderBy[0]"),
    ({"return_fields": ("t",)}, {"order_by": ["geo.distance(secret, geography'POINT(1 2)')"]}, "$.orderBy[0]"),
    ({"return_fields": ("t",)}, {"order_by": ["geo.distance(geography'POINT(1 2)', secret) desc"]}, "$.orderBy[0]"),
    ({"return_fields": ("t",)}, {"facets": ["secret,count:10"]}, "$.facets[0]"),
    ({"return_fields": ("t",)}, {"facets": ["t,count:2,sort:-value"]}, None),
    ({"return_fields": ("t",)}, {"highlight": ["secret-3"]}, "$.highlight[0]"),
    ({"return_fields": ("a/b",)}, {"select": ["a"]}, "$.select[0]"),
    ({"content_fields": ("t",)}, {"select": ["other"]}, "$.select[0]"),
]


@pytest.mark.parametrize(("settings", "asked", "path"), RETURNED)
async def test_return_fields_bound_what_a_caller_may_name(
    settings: dict[str, Any], asked: dict[str, Any], path: str | None
) -> None:
    retrieval = retrieval_of(ScriptedTransport(hits()), index_of(**settings))

    if path is None:
        await retrieval.search("docs", "q", **asked)
        return
    with pytest.raises(InvalidQuery) as caught:
        await retrieval.search("docs", "q", **asked)
    assert [(problem.path, problem.code) for problem in caught.value.problems] == [(path, "field_not_returned")]


DOCUMENT = {
    "id": "7",
    "title": "Oak",
    "t": "Text",
    "u": "https://a.example/1",
    "secret": "s",
    "v": [0.1],
    "a": {"b": 1, "c": 2},
}
SHOWN = [
    ({}, {}, None, ["id", "title", "t", "u", "secret", "v", "a"]),
    ({"vector_fields": ("v",)}, {}, None, ["id", "title", "t", "u", "secret", "a"]),
    ({"vector_fields": ("v",)}, {"select": ["v"]}, "v", ["v"]),
    ({"vector_fields": ("v",)}, {"select": ["*"]}, None, ["id", "title", "t", "u", "secret", "a"]),
    ({"return_fields": ("t",)}, {"select": ["*"]}, "t", ["t"]),
    ({"content_fields": ("t",)}, {}, "t", ["t"]),
    ({"content_fields": ("t",), "key_field": "id"}, {}, "t,id", ["id", "t"]),
    ({"content_fields": ("t",), "key_field": "id", "return_fields": ("title",)}, {}, "title,id", ["title"]),
    ({"content_fields": ("t",), "name_field": "title", "link_field": "u"}, {"select": ["t"]}, "t,title,u", ["t"]),
    ({"return_fields": ("a", "t")}, {"select": ["a/b"]}, "a/b", ["a"]),
]


@pytest.mark.parametrize(("settings", "asked", "select", "shown"), SHOWN)
async def test_fields_shown_are_those_asked_for(
    settings: dict[str, Any], asked: dict[str, Any], select: str | None, shown: list[str]
) -> None:
    transport = ScriptedTransport(hits(DOCUMENT))

    page = await retrieval_of(transport, index_of(**settings)).search("docs", "q", **asked)

    assert transport.bodies[0].get("select") == select
    assert list(page.hits[0].fields) == shown


async def test_part_of_a_complex_field_is_shown_alone() -> None:
    retrieval = retrieval_of(ScriptedTransport(hits(DOCUMENT)), index_of(key_field="a/c"))

    page = await retrieval.search("docs", "q", select=["a/b"])

    assert page.hits[0].fields == {"a": {"b": 1}}
    assert retrieval.source("docs", page.hits[0], 1).key == "2"


SOURCES = [
    ({"name_field": "title", "link_field": "u", "key_field": "id"}, {}, ("Oak", "https://a.example/1", "7")),
    ({"content_fields": ("t", "u")}, {}, ("Text", "https://a.example/1", None)),
    ({"content_fields": ("t", "u")}, {"select": ["t"]}, ("Text", "https://a.example/1", None)),
    ({"content_fields": ("t", "secret"), "return_fields": ("title", "t")}, {}, ("Text", None, None)),
    ({"content_fields": ("secret",), "return_fields": ("title",), "key_field": "id"}, {}, ("Oak", None, "7")),
    ({"content_fields": ("none",), "key_field": "id"}, {}, ("7", None, "7")),
    ({"content_fields": ("none",)}, {}, ("docs 3", None, None)),
]


@pytest.mark.parametrize(("settings", "asked", "source"), SOURCES)
async def test_source_of_a_hit(
    settings: dict[str, Any], asked: dict[str, Any], source: tuple[str, str | None, str | None]
) -> None:
    retrieval = retrieval_of(ScriptedTransport(hits(DOCUMENT)), index_of(**settings))

    page = await retrieval.search("docs", "q", **asked)
    made = retrieval.source("docs", page.hits[0], 3)

    assert (made.name, made.link, made.key, made.number) == (*source, 3)


async def test_reply_is_read_whole() -> None:
    answer = hits(
        {
            "t": "Text",
            "@search.score": 1.5,
            "@search.rerankerScore": 2.5,
            "@search.highlights": {"t": ["<em>x</em>"], "t@odata.type": "#Collection"},
            "@search.captions": [{"text": "cap", "highlights": ""}, {"text": "two", "highlights": "<em>two</em>"}],
        },
        **{
            "@odata.count": 12,
            "@search.facets": {"town": [{"value": "Bath", "count": 3}], "town@odata.type": "x"},
            "@search.answers": [{"key": "7", "text": "ans", "highlights": "<em>ans</em>", "score": 0.9}],
        },
    )

    page = await retrieval_of(ScriptedTransport(answer), index_of(**SEMANTIC)).search("docs", "q", count=True, top=1)

    hit = page.hits[0]
    assert (hit.score, hit.reranker_score, dict(hit.fields), dict(hit.highlights)) == (
        1.5,
        2.5,
        {"t": "Text"},
        {"t": ("&lt;em&gt;x&lt;/em&gt;",)},
    )
    assert [(caption.text, caption.highlights) for caption in hit.captions] == [
        ("cap", None),
        ("two", "&lt;em&gt;two&lt;/em&gt;"),
    ]
    assert (page.count, page.facets, page.next_skip) == (12, {"town": [{"value": "Bath", "count": 3}]}, 1)
    assert (page.answers[0].key, page.answers[0].text, page.answers[0].score) == ("7", "ans", 0.9)
    assert page.semantic == Semantic()


async def test_half_a_character_in_a_reply_is_replaced() -> None:
    raw = b'{"value": [{"@search.score": 1, "t": "a\\ud83dz", "\\udc00": {"x": ["\\ud83c\\udfeb"]}}]}'

    page = await retrieval_of(ScriptedTransport(Scripted(raw=raw))).search("docs", "q")

    assert page.hits[0].fields == {"t": "a\ufffdz", "\ufffd": {"x": ["🏫"]}}


@pytest.mark.parametrize(
    ("found", "asked", "count", "next_skip"),
    [
        (10, {}, None, 10),
        (9, {}, None, None),
        (10, {"skip": 30}, None, 40),
        (10, {"skip": 30}, 40, None),
        (10, {"skip": 30}, 41, 40),
        (10, {"skip": 99_995}, None, None),
        (0, {}, 0, None),
    ],
)
async def test_next_skip_is_where_more_may_follow(
    found: int, asked: dict[str, Any], count: int | None, next_skip: int | None
) -> None:
    members = {} if count is None else {"@odata.count": count}
    answer = hits(*({"t": str(place)} for place in range(found)), **members)

    page = await retrieval_of(ScriptedTransport(answer)).search("docs", "q", **asked)

    assert page.next_skip == next_skip


async def test_pages_of_one_reply_are_joined_until_there_are_enough() -> None:
    following = {"@search.nextPageParameters": {"search": "q", "top": 8, "skip": 2}}
    transport = ScriptedTransport(
        hits({"t": "1"}, {"t": "2"}, **following, **{"@odata.count": 99}),
        hits(*({"t": str(n)} for n in range(8)), **following),
    )

    page = await retrieval_of(transport).search("docs", "q")

    assert len(page.hits) == 10
    assert page.count == 99
    assert transport.bodies[1:] == [{"search": "q", "top": 8, "skip": 2}]


async def test_empty_page_that_points_on_ends_the_search() -> None:
    transport = ScriptedTransport(hits(**{"@search.nextPageParameters": {"search": "q"}}))

    page = await retrieval_of(transport).search("docs", "q")

    assert page.hits == ()
    assert len(transport.requests) == 1


@pytest.mark.parametrize(
    ("settings", "asked", "semantic"),
    [
        ({}, {"query": "q"}, None),
        ({}, {"query": "*"}, None),
        (SEMANTIC, {"query": "q"}, Semantic()),
        (SEMANTIC, {"query": "*"}, Semantic(reason="match_all")),
        (SEMANTIC, {"query": "q", "order_by": ["t"]}, Semantic(reason="order_by")),
    ],
)
async def test_reply_says_why_it_is_not_ranked(
    settings: dict[str, Any], asked: dict[str, Any], semantic: Semantic | None
) -> None:
    page = await retrieval_of(ScriptedTransport(hits({"t": "x"})), index_of(**settings)).search("docs", **asked)

    assert page.semantic == semantic


REASON = "@search.semanticPartialResponseReason"
PARTIAL = [
    ([(None, 1), (None, 3)], 206, "capacityOverloaded", [None, None], [1, 3]),
    ([(None, 1), (None, 3)], 200, "maxWaitExceeded", [None, None], [1, 3]),
    ([(None, 1), (2.0, 3), (1.0, 2)], 206, "transient", [None, None, None], [3, 2, 1]),
    ([(2.0, 1), (1.0, 3)], 206, "transient", [2.0, 1.0], [1, 3]),
]


@pytest.mark.parametrize(("scores", "status", "reason", "reranked", "base"), PARTIAL)
async def test_partial_ranking_falls_back_for_the_whole_list(
    scores: list[tuple[float | None, float]], status: int, reason: str, reranked: list[float | None], base: list[float]
) -> None:
    answer = hits(
        *({"@search.score": score, "@search.rerankerScore": ranker} for ranker, score in scores), **{REASON: reason}
    )
    transport = ScriptedTransport(Scripted(status=status, body=answer.body))

    page = await retrieval_of(transport, index_of(**SEMANTIC)).search("docs", "q")

    assert [hit.reranker_score for hit in page.hits] == reranked
    assert [hit.score for hit in page.hits] == base
    assert page.semantic == Semantic(partial=True, reason=reason)


async def test_partial_reply_without_a_reason_is_flagged_all_the_same() -> None:
    transport = ScriptedTransport(Scripted(status=206, body={"value": [{"@search.score": 1.0}]}))

    page = await retrieval_of(transport, index_of(**SEMANTIC)).search("docs", "q")

    assert page.semantic == Semantic(partial=True, reason="partial")


async def test_scores_of_the_ranker_do_not_count_where_it_was_not_asked() -> None:
    page = await retrieval_of(ScriptedTransport(hits({"@search.rerankerScore": 3.0}))).search("docs", "q")

    assert page.hits[0].reranker_score is None


async def test_empty_filter_set_is_not_sent() -> None:
    transport = ScriptedTransport(hits())

    page = await retrieval_of(transport).search("docs", "q", filter=ODataFilter.equals({"town": []}), count=True)

    assert (page.hits, page.count, page.reason) == ((), 0, "empty_filter_set")
    assert transport.requests == []


async def test_required_field_is_asked_for_before_anything_is_sent() -> None:
    transport = ScriptedTransport(hits())

    with pytest.raises(InvalidFilter, match="requires a top-level condition on urn"):
        await retrieval_of(transport, index_of(required_filter_fields=("urn",))).search("docs", "q")

    assert transport.requests == []


GUARDED = {"allowed_roles": ("Reader", "Chief")}
RIGHTS = [
    (GUARDED, None, "role_required"),
    (GUARDED, Caller(), "role_required"),
    (GUARDED, Caller(roles=frozenset({"Other"})), "role_required"),
    (GUARDED, Caller(roles=frozenset({"Chief", "Other"})), None),
    (GUARDED, Caller(trusted=True), None),
    ({"allowed_roles": ()}, Caller(roles=frozenset({"Reader"})), "role_required"),
    ({"permission_filter": True}, None, "caller_token_required"),
    ({"permission_filter": True}, Caller(trusted=True), "caller_token_required"),
    ({"permission_filter": True}, Caller(query_source_authorization=""), "caller_token_required"),
    ({"permission_filter": True}, Caller(query_source_authorization="a\r\nb: c"), "caller_token_required"),
    ({}, Caller(query_source_authorization="a\nb"), "caller_token_required"),
    ({"permission_filter": True}, Caller(query_source_authorization="Bearer t"), None),
    ({}, None, None),
]


@pytest.mark.parametrize(("settings", "caller", "code"), RIGHTS)
async def test_index_is_read_only_for_those_who_may(
    settings: dict[str, Any], caller: Caller | None, code: str | None
) -> None:
    transport = ScriptedTransport(hits({"t": "x"}))
    retrieval = retrieval_of(transport, index_of(content_fields=("t",), **settings))

    for call in (retrieval.search("docs", "q", caller=caller), retrieval.evidence("docs", "q", caller=caller)):
        if code is None:
            await call
            continue
        with pytest.raises(Forbidden) as caught:
            await call
        assert caught.value.code == code

    assert len(transport.requests) == (2 if code is None else 0)


async def test_token_of_the_caller_goes_to_the_search_call_and_nowhere_else() -> None:
    transport = ScriptedTransport(hits({"t": "x"}))
    caller = Caller(query_source_authorization="Bearer secret-token")

    await retrieval_of(transport).search("docs", "q", caller=caller)
    await retrieval_of(transport).search("docs", "q")

    assert [request.headers.get("x-ms-query-source-authorization") for request in transport.requests] == [
        "Bearer secret-token",
        None,
    ]
    assert "secret-token" not in repr(caller)
    assert "secret-token" not in str(transport.bodies)
