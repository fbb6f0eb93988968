"""A configured index as the search of a provider."""

from __future__ import annotations

from shared.retrieval import Source, TextSearchProvider, index_search, odata
from tests.context.test_provider import user
from tests.knowledge.setting import Service, retrieval_of, school


async def test_results_are_the_evidence_of_the_index() -> None:
    service = Service({("schools", "pets"): [school("1", 3.0), school("2", 2.9), school("3", 0.1)]})
    search = index_search(retrieval_of(service), "schools", filter=odata("town eq {town}", town="Bath"), size=7)
    results = await search("pets")
    assert [(one.source_name, one.text) for one in results] == [
        ("School 1", "name: School 1\ntown: Bath"),
        ("School 2", "name: School 2\ntown: Bath"),
    ]
    assert isinstance(results[0].raw_representation, Source)
    assert (service.bodies[0]["top"], service.filters()) == (7, ["town eq 'Bath'"])
    turn = await TextSearchProvider(search).invoking([user("pets")])
    assert [(source.number, source.key) for source in turn.sources] == [(1, "1"), (2, "2")]


async def test_a_text_of_control_characters_is_not_sent() -> None:
    service = Service({})
    assert await index_search(retrieval_of(service), "schools")("\x1c") == []
    assert service.requests == []
