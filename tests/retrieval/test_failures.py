"""Failures of the service: whose they are, how often it is tried, and that nothing goes on afterwards."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError

from shared.retrieval import (
    Caller,
    EvidenceSearch,
    Forbidden,
    IdentityUnavailable,
    IndexMisconfigured,
    InvalidQuery,
    InvalidRequest,
    ODataFilter,
    RetrievalError,
    SearchFailed,
    SearchRefused,
    SearchThrottled,
    SearchTimeout,
    Semantic,
    SemanticUnavailable,
)
from tests.retrieval.doubles import CountingCredential, Scripted, ScriptedTransport, StillClock, hits, refusal
from tests.retrieval.recorder import Recorder
from tests.retrieval.set_up import index_of, retrieval_of

OK = hits({"t": "x"})

ONCE = [
    (refusal(401), SearchRefused, "search_refused"),
    (refusal(403), SearchRefused, "search_refused"),
    (refusal(404, "The index 'docs' for service 'x' was not found."), IndexMisconfigured, "index_misconfigured"),
    (Scripted(status=404, raw=b""), IndexMisconfigured, "index_misconfigured"),
    (refusal(402), SearchFailed, "search_failed"),
    (refusal(409), SearchFailed, "search_failed"),
    (refusal(413), SearchFailed, "search_failed"),
    (refusal(501), SearchFailed, "search_failed"),
    (Scripted(status=302, raw=b"", headers={"Location": "https://elsewhere.example/"}), SearchFailed, "search_failed"),
    (Scripted(raw=b""), SearchFailed, "search_failed"),
    (Scripted(raw=b"<html>sign in</html>"), SearchFailed, "search_failed"),
    (Scripted(raw=b'{"value":[{"@search.score":1,"t":"G'), SearchFailed, "search_failed"),
    (Scripted(raw=b"\xff\xfe\x00"), SearchFailed, "search_failed"),
    (Scripted(raw=b'{"value":[{"@search.score":NaN}]}'), SearchFailed, "search_failed"),
    (Scripted(raw=b"[" * 100_000), SearchFailed, "search_failed"),
    (Scripted(body=[]), SearchFailed, "search_failed"),
    (Scripted(body={"value": None}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [5]}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [{"@search.score": "high"}]}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [{"@search.score": True}]}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [], "@odata.count": "many"}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [], "@search.facets": []}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [], "@search.answers": [5]}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [{"@search.captions": ["x"]}]}), SearchFailed, "search_failed"),
    (Scripted(body={"value": [{"@search.highlights": ["x"]}]}), SearchFailed, "search_failed"),
]


@pytest.mark.parametrize(("answer", "kind", "code"), ONCE)
async def test_failure_that_no_try_would_change_is_not_tried_again(
    answer: Scripted, kind: type[RetrievalError], code: str
) -> None:
    transport = ScriptedTransport(answer)

    with pytest.raises(kind) as caught:
        await retrieval_of(transport).search("docs", "secret query")

    assert caught.value.code == code
    assert "secret" not in caught.value.message
    assert len(transport.requests) == 1


AGAIN = [
    (refusal(429), SearchThrottled, "search_throttled"),
    (refusal(503), SearchThrottled, "search_throttled"),
    (refusal(408), SearchFailed, "search_failed"),
    (refusal(500), SearchFailed, "search_failed"),
    (refusal(502), SearchFailed, "search_failed"),
    (refusal(504), SearchFailed, "search_failed"),
    (Scripted(dropped=True), SearchFailed, "search_failed"),
]


@pytest.mark.parametrize(("answer", "kind", "code"), AGAIN)
@pytest.mark.parametrize("retries", [0, 1, 3])
async def test_failure_that_may_pass_is_tried_again_and_then_given(
    answer: Scripted, kind: type[RetrievalError], code: str, retries: int
) -> None:
    transport, clock = ScriptedTransport(answer), StillClock()

    with pytest.raises(kind) as caught:
        await retrieval_of(transport, clock=clock, max_retry_attempts=retries).search("docs", "q")

    assert caught.value.code == code
    assert caught.value.retry_after is not None
    assert len(transport.requests) == retries + 1
    assert len(clock.pauses) == retries


@pytest.mark.parametrize(("answer", "kind", "code"), AGAIN)
async def test_failure_that_passes_leaves_one_result(answer: Scripted, kind: type[RetrievalError], code: str) -> None:
    page = await retrieval_of(ScriptedTransport(answer, OK)).search("docs", "q")

    assert len(page.hits) == 1


WAITS = [
    ({"Retry-After": "2"}, 2.0),
    ({"Retry-After": "1.5"}, 1.5),
    ({"Retry-After": "Thu, 01 Jan 2026 12:00:07 GMT"}, 7.0),
    ({"retry-after-ms": "1500"}, 1.5),
    ({"x-ms-retry-after-ms": "250"}, 0.25),
]


@pytest.mark.parametrize(("headers", "seconds"), WAITS)
async def test_wait_that_the_service_asks_for_is_kept(headers: dict[str, str], seconds: float) -> None:
    clock = StillClock(datetime(2026, 1, 1, 12, 0, tzinfo=UTC))
    transport = ScriptedTransport(Scripted(status=429, body={}, headers=headers), OK)

    await retrieval_of(transport, clock=clock).search("docs", "q")

    assert clock.pauses == [seconds]


@pytest.mark.parametrize(
    "value", ["0", "soon", "-5", "nan", "Thu, 01 Jan 2026 11:00:00 GMT", "Thu, 01 Jan 2026 12:00:07", "9" * 400, ""]
)
async def test_wait_that_makes_no_sense_is_our_own(value: str) -> None:
    clock = StillClock(datetime(2026, 1, 1, 12, 0, tzinfo=UTC))
    transport = ScriptedTransport(Scripted(status=429, body={}, headers={"Retry-After": value}), OK)

    await retrieval_of(transport, clock=clock).search("docs", "q")

    assert len(clock.pauses) == 1
    assert 0.6 < clock.pauses[0] < 1


async def test_wait_that_does_not_fit_the_time_is_not_begun() -> None:
    transport, clock = ScriptedTransport(Scripted(status=503, body={}, headers={"Retry-After": "30"})), StillClock()

    with pytest.raises(SearchThrottled) as caught:
        await retrieval_of(transport, clock=clock, timeout_seconds=20).search("docs", "q")

    assert caught.value.retry_after == 30
    assert clock.pauses == []
    assert len(transport.requests) == 1


async def test_all_waits_together_stay_within_the_time() -> None:
    transport, clock = ScriptedTransport(Scripted(status=503, body={}, headers={"Retry-After": "6"})), StillClock()

    with pytest.raises(SearchThrottled):
        await retrieval_of(transport, clock=clock, timeout_seconds=20, max_retry_attempts=50).search("docs", "q")

    assert clock.pauses == [6, 6, 6]


async def test_failure_of_a_later_page_is_the_failure_of_the_search() -> None:
    more = {"@search.nextPageParameters": {"search": "q", "top": 9, "skip": 1}}

    with pytest.raises(SearchRefused):
        await retrieval_of(ScriptedTransport(hits({"t": "1"}, **more), refusal(403))).search("docs", "q")


async def test_slow_service_ends_in_a_time_out() -> None:
    transport = ScriptedTransport(Scripted(body={"value": []}, delay=30))

    with pytest.raises(SearchTimeout) as caught:
        await retrieval_of(transport, timeout_seconds=0.05).search("docs", "q")

    assert caught.value.code == "search_timeout"
    assert transport.stopped == 1


async def test_deadline_of_the_caller_stops_the_work() -> None:
    transport = ScriptedTransport(Scripted(body={"value": []}, delay=30))

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await retrieval_of(transport).search("docs", "q")

    assert transport.stopped == 1


@pytest.mark.parametrize("searches", [1, 3])
async def test_cancellation_stops_all_searches_of_a_request(searches: int) -> None:
    transport = ScriptedTransport(Scripted(body={"value": []}, delay=30))
    work = asyncio.ensure_future(retrieval_of(transport).evidence_of([EvidenceSearch(index="docs", query="q")] * searches))
    while len(transport.requests) < searches:
        await asyncio.sleep(0)

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert transport.stopped == searches


async def test_one_failed_search_stops_the_others_and_its_error_is_given() -> None:
    def answer(request: Any) -> Scripted:
        return refusal(403) if b'"bad"' in request.content else Scripted(body={"value": []}, delay=30)

    transport = ScriptedTransport(answer)
    searches = [EvidenceSearch(index="docs", query=query) for query in ("good", "bad", "other")]

    with pytest.raises(SearchRefused):
        await retrieval_of(transport).evidence_of(searches)

    assert transport.stopped == 2


async def test_searches_of_a_request_run_side_by_side() -> None:
    transport = ScriptedTransport(Scripted(body=OK.body, delay=0.1))
    loop = asyncio.get_running_loop()
    started = loop.time()

    await retrieval_of(transport).evidence_of([EvidenceSearch(index="docs", query="q")] * 10)

    assert loop.time() - started < 0.5


async def test_credential_without_a_token_is_named_as_identity() -> None:
    credential = CountingCredential(error=ClientAuthenticationError("tenant 1234 and a secret"))
    transport = ScriptedTransport(OK)

    with pytest.raises(IdentityUnavailable) as caught:
        await retrieval_of(transport, credential=credential).search("docs", "q")

    assert caught.value.message == "No token could be had for the app's identity."
    assert transport.requests == []
    assert len(credential.scopes) == 1


async def test_token_that_does_not_come_in_time_is_named_as_identity() -> None:
    with pytest.raises(IdentityUnavailable):
        await retrieval_of(ScriptedTransport(OK), credential=CountingCredential(delay=30), timeout_seconds=0.05).search(
            "docs", "q"
        )


FILTER = ODataFilter.raw("secret eq 'x' and address/city eq 'y'")
MISSING = "Invalid expression: Could not find a property named '{}' on type 'search.document'.\r\nParameter name: {}"
BLAME: list[tuple[dict[str, Any], str, str | None, str]] = [
    ({"filter": FILTER}, MISSING.format("secret", "$filter"), "$.filter", "The index has no field secret."),
    ({"filter": FILTER}, MISSING.format("city", "$filter"), "$.filter", "The index has no field address/city."),
    ({"filter": FILTER}, "'secret' is not a filterable field.\r\nParameter name: $filter", "$.filter", "refuses the filter"),
    (
        {"filter": FILTER},
        "Invalid expression: A binary operator with incompatible types was detected.",
        "$.filter",
        "refuses the filter",
    ),
    ({"select": ["nope"]}, MISSING.format("nope", "$select"), "$.select", "The index has no field nope."),
    (
        {"select": ["hidden"]},
        "The field 'hidden' is not retrievable.\r\nParameter name: $select",
        "$.select",
        "refuses the selection",
    ),
    ({"order_by": ["nope desc"]}, MISSING.format("nope", "$orderby"), "$.orderBy", "The index has no field nope."),
    ({"order_by": ["t"]}, "The field 't' is not sortable.\r\nParameter name: $orderby", "$.orderBy", "refuses the order"),
    ({"facets": ["nope,count:3"]}, MISSING.format("nope", "facets"), "$.facets", "The index has no field nope."),
    ({"highlight": ["nope"]}, "Unknown field 'nope' in highlight.", "$.highlight", "The index has no field nope."),
    ({"syntax": "full"}, "Failed to parse query string at line 1, column 8.", "$.query", "cannot read the query"),
    ({"syntax": "simple"}, "Something else.", "$.query", "cannot read the query"),
    ({"syntax": "full"}, "Bad type.\r\nParameter name: queryType", "$.syntax", "refuses this syntax"),
    ({"search_mode": "all"}, "Bad mode.\r\nParameter name: searchMode", "$.searchMode", "refuses this search mode"),
    ({}, "The query has too many terms.\r\nParameter name: search", "$.query", "cannot read the query"),
    ({"filter": FILTER}, "not even JSON", "$.filter", "refuses the filter"),
    ({}, MISSING.format("body", "$select"), None, ""),
    ({"filter": FILTER}, MISSING.format("body", "$select"), None, ""),
    ({"select": ["t"]}, MISSING.format("body", "$select"), None, ""),
    ({"select": ["t"]}, MISSING.format("t", "$select"), "$.select", "The index has no field t."),
    ({"select": ["t"]}, "Too many.\r\nParameter name: $select", "$.select", "refuses the selection"),
    ({"filter": FILTER, "select": ["t"]}, "Unknown field 'body'.", None, ""),
    ({"filter": FILTER}, "Unknown field 'v' in vector field list.", None, ""),
    ({"filter": FILTER}, "The field 'v' has no vectorizer.\r\nParameter name: vectorQueries", None, ""),
    ({"filter": FILTER}, "Unknown semantic configuration 'default'.\r\nParameter name: semanticConfiguration", None, ""),
    ({}, "Anything.", None, ""),
]


@pytest.mark.parametrize(("asked", "message", "path", "words"), BLAME, ids=lambda value: str(value)[:40])
async def test_refused_request_is_the_caller_s_or_the_operator_s(
    asked: dict[str, Any], message: str, path: str | None, words: str
) -> None:
    recorder = Recorder()
    index = index_of(
        content_fields=("body",),
        return_fields=("t", "nope", "hidden"),
        search_fields=("t",),
        vector_fields=("v",),
        semantic_configuration="default",
    )
    retrieval = retrieval_of(ScriptedTransport(refusal(400, message, "InvalidRequestParameter")), index, signals=recorder)

    if path is None:
        with pytest.raises(IndexMisconfigured) as operator:
            await retrieval.search("docs", "q", **asked)
        assert operator.value.message == "The index docs does not exist as it is configured."
        named = next((field for field in ("body", "v") if f"'{field}'" in message), None)
        noted = [] if named is None else [f"The search service refuses the configured field {named}."]
        assert getattr(operator.value, "__notes__", []) == noted
        assert recorder.events == [
            ("index_misconfigured", {"index": "docs", "field": named, "error_type": "index_misconfigured"})
        ]
        return
    with pytest.raises(InvalidQuery) as caller:
        await retrieval.search("docs", "q", **asked)
    assert [problem.path for problem in caller.value.problems] == [path]
    assert words in caller.value.message
    assert caller.value.code == "invalid_query"
    assert recorder.events == []


async def test_refusal_of_one_of_several_searches_names_its_place() -> None:
    transport = ScriptedTransport(
        lambda request: refusal(400, "x.\r\nParameter name: $filter") if b"filter" in request.content else OK
    )
    searches = [EvidenceSearch(index="docs", query="a"), EvidenceSearch(index="docs", query="b", filter=FILTER)]

    with pytest.raises(InvalidQuery) as caught:
        await retrieval_of(transport).evidence_of(searches)

    assert [problem.path for problem in caught.value.problems] == ["$.searches[1].filter"]


RANKER_OFF = [
    refusal(402, "The free query quota is used up."),
    refusal(
        400, "Semantic search is not enabled for this service.\r\nParameter name: queryType", "SemanticQueriesNotAvailable"
    ),
    refusal(400, "Semantic queries are disabled for this service."),
]


@pytest.mark.parametrize("off", RANKER_OFF, ids=lambda off: str(off.status))
async def test_ranker_that_is_off_is_an_error_unless_a_fallback_is_configured(off: Scripted) -> None:
    with pytest.raises(SemanticUnavailable) as caught:
        await retrieval_of(ScriptedTransport(off), index_of(semantic_configuration="d")).search("docs", "q")

    assert caught.value.code == "semantic_unavailable"


@pytest.mark.parametrize("off", RANKER_OFF, ids=lambda off: str(off.status))
async def test_configured_fallback_asks_without_ranking_and_says_so(off: Scripted) -> None:
    transport = ScriptedTransport(off, hits({"@search.rerankerScore": 3.0, "t": "x"}))
    index = index_of(semantic_configuration="d", semantic_fallback=True, vector_fields=("v",))

    page = await retrieval_of(transport, index).search("docs", "oak (a)", syntax="full")

    sent = transport.bodies[1]
    assert {"semanticConfiguration", "semanticQuery", "captions", "answers"}.isdisjoint(sent)
    assert sent["queryType"] == "full"
    assert sent["vectorQueries"][0]["k"] == 50
    assert page.semantic == Semantic(partial=True, reason="ranker_unavailable")
    assert (page.base_kind, page.hits[0].reranker_score) == ("fused", None)


async def test_unknown_semantic_configuration_never_falls_back() -> None:
    transport = ScriptedTransport(
        refusal(400, "Unknown semantic configuration 'd'.\r\nParameter name: semanticConfiguration")
    )

    with pytest.raises(IndexMisconfigured):
        await retrieval_of(transport, index_of(semantic_configuration="d", semantic_fallback=True)).search("docs", "q")

    assert len(transport.requests) == 1


CONFIGURED = {
    "content_fields": ("t", "body"),
    "name_field": "title",
    "key_field": "id",
    "search_fields": ("t",),
    "semantic_configuration": "default",
    "vector_fields": ("v",),
}


async def test_readiness_asks_a_real_query_of_no_hits() -> None:
    transport = ScriptedTransport(hits())
    retrieval = retrieval_of(transport, index_of(**CONFIGURED))
    for _ in range(3):
        await retrieval.check_index("docs")
    plain, ranked, *later = transport.bodies
    assert plain == {"search": "readiness", "top": 0, "select": "t,body,title,id", "searchFields": "t"}
    assert ranked["semanticConfiguration"] == "default"
    assert ranked["vectorQueries"][0]["fields"] == "v"
    assert later == [plain, plain], "what costs is asked once"


MISSING = "Invalid expression: Could not find a property named '{}'.\r\nParameter name: {}"
PROBES = [
    ([refusal(503)], SearchThrottled, "too busy"),
    ([refusal(404)], IndexMisconfigured, "does not exist"),
    ([refusal(403)], SearchRefused, "refuses the app"),
    ([Scripted(raw=b"many")], SearchFailed, "cannot be read"),
    ([Scripted(body={})], SearchFailed, "cannot be read"),
    ([refusal(400, MISSING.format("body", "$select"))], IndexMisconfigured, "ContentFields of the index docs"),
    ([refusal(400, MISSING.format("title", "$select"))], IndexMisconfigured, "NameField of the index docs"),
    ([refusal(400, MISSING.format("t", "searchFields"))], IndexMisconfigured, "ContentFields, SearchFields of the index"),
    (
        [hits(), refusal(400, "Unknown semantic configuration 'default'.\r\nParameter name: semanticConfiguration")],
        IndexMisconfigured,
        "SemanticConfiguration of the index docs",
    ),
    (
        [hits(), refusal(400, "Unknown field 'v' in vector field list.")],
        IndexMisconfigured,
        "VectorFields of the index docs",
    ),
]


@pytest.mark.parametrize(("answers", "kind", "words"), PROBES, ids=[row[2] for row in PROBES])
async def test_readiness_names_the_setting_at_fault(answers: list[Scripted], kind: type[RetrievalError], words: str) -> None:
    transport = ScriptedTransport(*answers)
    with pytest.raises(kind, match=words):
        await retrieval_of(transport, index_of(**CONFIGURED)).check_index("docs")
    assert len(transport.requests) == len(answers)


async def test_signals_tell_counts_and_no_error_text() -> None:
    recorder = Recorder()
    transport = ScriptedTransport(refusal(503), hits({"t": "x"}, {"t": "y"}))

    await retrieval_of(transport, index_of(content_fields=("t",)), signals=recorder).evidence("docs", "q")

    assert [name for name, _ in recorder.spans] == ["evidence", "search"]
    assert (
        recorder.attributes("search")
        >= {"index": "docs", "mode": "keyword", "retries": 1, "hits": 2, "filtered": False}.items()
    )
    assert (
        recorder.attributes("evidence")
        >= {"searches": 1, "hits": 2, "kept": 2, "omitted_size": 0, "truncated": False}.items()
    )
    assert ("app.search.retries", 1, {"index": "docs"}) in recorder.counts


TOKEN = Caller(query_source_authorization="expired")
HEADER = "The header x-ms-query-source-authorization is invalid."


@pytest.mark.parametrize(("status", "message"), [(401, ""), (403, "Forbidden"), (400, HEADER)])
async def test_a_refused_token_of_the_caller_is_the_callers(status: int, message: str) -> None:
    recorder = Recorder()
    refused = refusal(status, message, "InvalidRequestParameter")
    retrieval = retrieval_of(ScriptedTransport(hits(), refused), index_of(permission_filter=True), signals=recorder)
    await retrieval.search("docs", "q", caller=TOKEN)
    with pytest.raises(Forbidden) as raised:
        await retrieval.search("docs", "q", caller=TOKEN)
    assert raised.value.code == "caller_token_refused"
    assert recorder.events == []


async def test_a_refusal_is_the_operators_where_the_app_is_refused_too() -> None:
    refused = refusal(403, "Forbidden", "")
    retrieval = retrieval_of(ScriptedTransport(refused, refused, hits(), refused), index_of())
    with pytest.raises(SearchRefused):
        await retrieval.search("docs", "q")
    with pytest.raises(SearchRefused):
        await retrieval.search("docs", "q", caller=TOKEN)
    await retrieval.check_index("docs")
    with pytest.raises(Forbidden):
        await retrieval.search("docs", "q", caller=TOKEN)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ClauseLimitExceeded", "The query is too long."),
        ("InvalidRequestParameter", "Too many clauses in the query.\r\nParameter name: search"),
        ("", "maxClauseCount is set to 3000"),
    ],
)
async def test_too_many_clauses_are_the_callers_words(code: str, message: str) -> None:
    transport = ScriptedTransport(refusal(400, message, code))
    for asked in ({}, {"filter": ODataFilter.raw("a eq 1")}):
        with pytest.raises(InvalidQuery, match="use fewer words") as raised:
            await retrieval_of(transport).search("docs", "q", **asked)  # type: ignore[arg-type]
        assert (raised.value.code, raised.value.problems[0].path) == ("too_many_clauses", "$.query")
    assert len(transport.requests) == 2


@pytest.mark.parametrize("body", [{}, {"value": None}, {"value": {}}, {"value": [1]}, {"hits": []}])
async def test_a_reply_without_a_list_of_hits_is_no_empty_one(body: dict[str, Any]) -> None:
    retrieval = retrieval_of(ScriptedTransport(Scripted(body=body)))
    for call in (retrieval.search("docs", "q"), retrieval.evidence("docs", "q")):
        with pytest.raises(SearchFailed, match="cannot be read"):
            await call


async def test_sizes_of_all_searches_are_bounded_together() -> None:
    transport = ScriptedTransport(hits())
    searches = [EvidenceSearch(index="docs", query="q", size=501), EvidenceSearch(index="docs", query="r", size=500)]
    with pytest.raises(InvalidRequest, match="at most 1,000") as raised:
        await retrieval_of(transport).evidence_of(searches)
    assert raised.value.problems[0].path == "$.searches"
    assert transport.requests == []
