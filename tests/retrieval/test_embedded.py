"""Retrieval against the embedded service: filters as a plain scan has them, modes, trimming, and faults on real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from emulators.azure_search.operations.faults import Fault
from emulators.azure_search.service import SearchService
from emulators.azure_search.transport import EmbeddedTransport
from shared.retrieval import (
    Caller,
    EvidenceSearch,
    IndexMisconfigured,
    IndexSettings,
    InvalidQuery,
    Retrieval,
    RetrievalError,
    RetrievalSettings,
    filter_from_json,
)
from tests.retrieval.doubles import ENDPOINT, CountingCredential
from tests.retrieval.embedded import SCHOOLS, over_http, school_service

SCHOOL: dict[str, Any] = {"key_field": "urn", "name_field": "name", "link_field": "url"}
DEFAULT = IndexSettings(name="schools", content_fields=("name", "about", "town", "roll"), key_field="urn", link_field="url")


@pytest.fixture(scope="module", name="service")
def _service() -> SearchService:
    return asyncio.run(school_service())


@pytest.fixture(params=["http", "https"])
async def reached(request: pytest.FixtureRequest, service: SearchService) -> AsyncIterator[Callable[..., Retrieval]]:
    """Makes a Retrieval over real HTTP without a token, or in process under an https name with one."""
    service.faults.clear()
    made: list[Retrieval] = []

    async with over_http(service) as address:

        def make(*indexes: IndexSettings, **settings: Any) -> Retrieval:
            endpoint = address if request.param == "http" else ENDPOINT
            transport = None if request.param == "http" else EmbeddedTransport(service)
            options = RetrievalSettings(endpoint=endpoint, indexes=indexes or (DEFAULT,), **settings)
            made.append(Retrieval(options, CountingCredential(), transport=transport))
            return made[-1]

        yield make
        for retrieval in made:
            await retrieval.close()


def _urns(keep: Callable[[dict[str, Any]], Any]) -> set[str]:
    return {school["urn"] for school in SCHOOLS if keep(school)}


FILTERS: list[tuple[Any, Callable[[dict[str, Any]], Any]]] = [
    ({"equals": {"urn": "104"}}, lambda s: s["urn"] == "104"),
    ({"equals": {"town": "King's Lynn"}}, lambda s: s["town"] == "King's Lynn"),
    ({"equals": {"town": None}}, lambda s: s["town"] is None),
    (
        {"equals": {"town": ["Bath", "Rye|Camber"], "open": True}},
        lambda s: s["town"] in ("Bath", "Rye|Camber") and s["open"],
    ),
    ({"equals": {"town": ["Bishop, Auckland", None]}}, lambda s: s["town"] in ("Bishop, Auckland", None)),
    ({"equals": {"roll": [13, 26, None]}}, lambda s: s["roll"] in (13, 26, None)),
    (
        {"template": "roll ge {n} and open eq {o}", "values": {"n": 100, "o": False}},
        lambda s: (s["roll"] or 0) >= 100 and not s["open"],
    ),
    ({"template": "roll lt {n}", "values": {"n": 50}}, lambda s: s["roll"] is not None and s["roll"] < 50),
    (
        {"template": "since ge {d}", "values": {"d": {"type": "DateTimeOffset", "value": "1970-01-01T00:00:00+01:00"}}},
        lambda s: s["since"] >= "1970",
    ),
    (
        {"template": "tags/any in {t}", "values": {"t": ["special", "rural"]}},
        lambda s: {"special", "rural"} & set(s["tags"]),
    ),
    ({"template": "not town in {t}", "values": {"t": ["Bath", "York"]}}, lambda s: s["town"] not in ("Bath", "York")),
    ({"raw": "open and tags/all(t: t ne 'rural')"}, lambda s: s["open"] and "rural" not in s["tags"]),
    ({"raw": "search.ismatch('phonics') or roll eq 13"}, lambda s: "phonics" in s["about"] or s["roll"] == 13),
]


@pytest.mark.parametrize(("written", "keep"), FILTERS, ids=[str(row[0])[:60] for row in FILTERS])
async def test_filter_agrees_with_a_plain_scan(
    reached: Callable[..., Retrieval], written: Any, keep: Callable[..., Any]
) -> None:
    page = await reached().search("schools", "*", filter=filter_from_json(written), top=100, count=True)

    assert {hit.declared["urn"] for hit in page.hits} == _urns(keep)
    assert page.count == len(page.hits) > 0


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("C++ Academy", "C Academy"),
        ("-phonics reading", "phonics reading"),
        ('"unclosed (drama', "unclosed drama"),
        ("wifi* phonic*", "wifi phonic"),
        ("AND NOT drama", "and not drama"),
        ("/phonics/ drama:", "phonics drama"),
        ("St Mary’s | Elm-Tree", "St Mary’s Elm Tree"),
    ],
)
async def test_plain_text_finds_what_its_words_find(reached: Callable[..., Retrieval], typed: str, words: str) -> None:
    retrieval = reached()

    ours = await retrieval.search("schools", typed, top=100)
    theirs = await retrieval.search("schools", words, top=100)

    assert {hit.declared["urn"] for hit in ours.hits} == {hit.declared["urn"] for hit in theirs.hits} != set()


async def test_other_syntaxes_keep_their_operators(reached: Callable[..., Retrieval]) -> None:
    retrieval = reached(replace(DEFAULT, search_fields=("name", "about")))

    simple = await retrieval.search("schools", "phonics -reading", syntax="simple", search_mode="all")
    full = await retrieval.search("schools", "about:drama AND name:ash", syntax="full", top=100)

    assert simple.hits == ()
    assert {hit.declared["urn"] for hit in full.hits} == _urns(lambda s: "drama" in s["about"] and "Ash" in s["name"])


WRONG = [
    ({"syntax": "full", "query": "/.*/.*/"}, "$.query"),
    ({"filter": {"raw": "nope eq 1"}}, "$.filter"),
    ({"filter": {"raw": "about eq 'x'"}}, "$.filter"),
    ({"filter": {"raw": "roll eq 'x'"}}, "$.filter"),
    ({"order_by": ["nope"]}, "$.orderBy"),
    ({"order_by": ["about"]}, "$.orderBy"),
    ({"select": ["nope"]}, "$.select"),
    ({"facets": ["nope"]}, "$.facets"),
    ({"facets": ["about"]}, "$.facets"),
    ({"highlight": ["roll"]}, "$.highlight"),
    ({"highlight": ["nope"]}, "$.highlight"),
]


@pytest.mark.parametrize(("asked", "path"), WRONG, ids=[str(row[0]) for row in WRONG])
async def test_refusal_of_the_service_is_the_caller_s_with_its_path(
    reached: Callable[..., Retrieval], asked: dict[str, Any], path: str
) -> None:
    retrieval = reached(IndexSettings(name="schools"))
    given = {"query": "oak", **asked}
    if "filter" in given:
        given["filter"] = filter_from_json(given["filter"])

    with pytest.raises(InvalidQuery) as caught:
        await retrieval.search("schools", **given)

    assert [problem.path for problem in caught.value.problems] == [path]
    assert ("nope" in caught.value.message) is ("nope" in str(asked))


MISCONFIGURED = [
    IndexSettings(name="nowhere"),
    IndexSettings(name="schools", content_fields=("name", "nope")),
    IndexSettings(name="schools", content_fields=("name", "secret")),
    IndexSettings(name="schools", key_field="nope", content_fields=("name",)),
    IndexSettings(name="schools", semantic_configuration="nope"),
    IndexSettings(name="schools", semantic_configuration="nope", semantic_fallback=True),
    IndexSettings(name="schools", vector_fields=("nope",)),
    IndexSettings(name="schools", vector_fields=("name",)),
    IndexSettings(name="schools", vector_fields=("blind",)),
]


@pytest.mark.parametrize("index", MISCONFIGURED, ids=lambda index: str(index).replace("None", "")[:120])
async def test_wrong_configuration_is_the_operator_s_and_never_falls_back(
    reached: Callable[..., Retrieval], index: IndexSettings
) -> None:
    retrieval = reached(index)

    with pytest.raises(IndexMisconfigured):
        await retrieval.search(index.name, "oak", filter=filter_from_json({"equals": {"urn": "104"}}))
    with pytest.raises(IndexMisconfigured):
        await retrieval.evidence(index.name, "oak")


MODES = [
    ({}, "keyword"),
    ({"semantic_configuration": "default"}, "reranker"),
    ({"vector_fields": ("meaning",)}, "fused"),
    ({"vector_fields": ("meaning",), "semantic_configuration": "default"}, "reranker"),
]


@pytest.mark.parametrize(("settings", "kind"), MODES)
async def test_each_mode_gives_evidence_by_its_score(
    reached: Callable[..., Retrieval], settings: dict[str, Any], kind: str
) -> None:
    index = IndexSettings(name="schools", content_fields=("name", "about"), **SCHOOL, **settings)

    evidence = await reached(index).evidence("schools", "safeguarding (concerns)", size=5)

    assert evidence.searches[0].score_kind == kind
    assert "about: Safeguarding concerns" in evidence.blocks[0]
    assert all(source.link and source.key and source.score for source in evidence.sources)
    assert "https://" not in evidence.text


async def test_vector_finds_what_no_keyword_does(reached: Callable[..., Retrieval]) -> None:
    index = IndexSettings(name="schools", content_fields=("about",), vector_fields=("meaning",), **SCHOOL)

    page = await reached(index).search("schools", "Phonics", top=3, filter=filter_from_json({"equals": {"urn": "101"}}))

    assert [hit.declared["urn"] for hit in page.hits] == ["101"]
    assert page.base_kind == "fused"


async def test_captions_and_answers_come_while_no_fields_bound_the_reply(reached: Callable[..., Retrieval]) -> None:
    ranked: dict[str, Any] = {"semantic_configuration": "default", **SCHOOL}
    free = await reached(IndexSettings(name="schools", **ranked)).search("schools", "safeguarding concerns")
    bound = await reached(IndexSettings(name="schools", return_fields=("name",), **ranked)).search("schools", "safeguarding")

    assert free.hits[0].captions
    assert all(not hit.captions for hit in bound.hits)
    assert bound.answers == ()
    assert all(set(hit.fields) == {"name"} for hit in bound.hits)


async def test_facets_highlights_and_pages(reached: Callable[..., Retrieval]) -> None:
    retrieval = reached()
    seen: list[str] = []
    skip: int | None = 0

    while skip is not None:
        page = await retrieval.search(
            "schools",
            "school",
            top=15,
            skip=skip,
            facets=["town,count:3"],
            highlight=["name"],
            count=True,
            order_by=["roll desc"],
            select=["name", "town", "roll"],
        )
        seen += [hit.declared["urn"] for hit in page.hits]
        skip = page.next_skip

    assert len(seen) == len(set(seen)) == page.count == 40
    assert page.facets is not None
    assert len(page.facets["town"]) == 3
    assert "<em>" in page.hits[0].highlights["name"][0]


async def test_same_query_finds_what_each_caller_may_see(reached: Callable[..., Retrieval]) -> None:
    index = IndexSettings(name="guarded", content_fields=("text",), key_field="id", permission_filter=True)
    retrieval = reached(index)
    found = {}

    for token in ("token-of-staff", "token-of-heads"):
        page = await retrieval.search("guarded", "pay review", caller=Caller(query_source_authorization=token))
        found[token] = {hit.declared["id"] for hit in page.hits}

    assert found == {"token-of-staff": {"1", "3"}, "token-of-heads": {"2", "3"}}


async def test_without_a_token_nothing_of_a_guarded_index_is_seen(reached: Callable[..., Retrieval]) -> None:
    page = await reached(IndexSettings(name="guarded", content_fields=("text",))).search("guarded", "pay review")

    assert page.hits == ()


async def test_nothing_reads_a_definition(reached: Callable[..., Retrieval], service: SearchService) -> None:
    service.definitions_need_key = True
    retrieval = reached()
    try:
        await retrieval.check_index("schools")
        assert (await retrieval.evidence("schools", "oak")).has_evidence
        assert (await retrieval.search("schools", "oak")).hits
    finally:
        service.definitions_need_key = False


MATRIX: list[tuple[str, Fault, str]] = [
    ("401", Fault(status=401), "search_refused"),
    ("403", Fault(status=403), "search_refused"),
    ("404", Fault(status=404), "index_misconfigured"),
    ("400", Fault(status=400), "index_misconfigured"),
    ("402", Fault(status=402), "semantic_unavailable"),
    ("429 once, 0.05 s", Fault(status=429, retry_after=0.05), "ok"),
    ("503 once, as a date", Fault(status=503, retry_after=1, retry_after_date=True), "ok"),
    ("429 always, 30 s", Fault(status=429, retry_after=30, times=None), "search_throttled"),
    ("503 always", Fault(status=503, times=None), "search_throttled"),
    ("500 always", Fault(status=500, times=None), "search_failed"),
    ("502 once", Fault(status=502), "ok"),
    ("504 always", Fault(status=504, times=None), "search_failed"),
    ("dropped once", Fault(dropped=True), "ok"),
    ("dropped always", Fault(dropped=True, times=None), "search_failed"),
    ("cut body once", Fault(cut=True), "ok"),
    ("no JSON", Fault(body="<html>"), "search_failed"),
    ("half JSON", Fault(body='{"value": ['), "search_failed"),
    ("slow", Fault(delay=3), "search_timeout"),
    ("partial", Fault(partial="capacityOverloaded"), "partial capacityOverloaded"),
]


@pytest.mark.parametrize(("name", "fault", "outcome"), MATRIX, ids=[row[0] for row in MATRIX])
async def test_fault_matrix(service: SearchService, name: str, fault: Fault, outcome: str) -> None:
    service.faults.clear()
    service.faults.add(fault)
    index = IndexSettings(name="schools", content_fields=("name",), semantic_configuration="default", **SCHOOL)
    async with over_http(service) as address:
        settings = RetrievalSettings(endpoint=address, indexes=(index,), timeout_seconds=2.0, max_retry_attempts=1)
        retrieval = Retrieval(settings)
        seen = await _outcome(retrieval)
        await retrieval.close()
    service.faults.clear()

    print(f"{name:22} -> {seen}")

    assert seen == outcome


async def _outcome(retrieval: Retrieval) -> str:
    try:
        page = await retrieval.search("schools", "safeguarding")
    except RetrievalError as error:
        return error.code
    if page.semantic is not None and page.semantic.partial:
        assert all(hit.reranker_score is None for hit in page.hits)
        return f"partial {page.semantic.reason}"
    return "ok" if page.hits else "no hits"


async def test_one_broken_index_fails_the_request_in_its_name(
    reached: Callable[..., Retrieval], service: SearchService
) -> None:
    guarded = IndexSettings(name="guarded", content_fields=("text",))
    service.faults.add(Fault(index="guarded", status=404))
    searches = [EvidenceSearch(index="schools", query="oak"), EvidenceSearch(index="guarded", query="pay")]

    with pytest.raises(IndexMisconfigured, match="guarded"):
        await reached(DEFAULT, guarded).evidence_of(searches)


async def test_fifty_calls_at_once(reached: Callable[..., Retrieval]) -> None:
    retrieval = reached()

    pages = await asyncio.gather(*(retrieval.search("schools", f"school {place}") for place in range(50)))

    assert all(page.hits for page in pages)
