"""The real SDK on the transport: its own token policy under an https name, its models, its errors."""

from __future__ import annotations

import time
from typing import Any

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import (
    HttpResponseError,
    IncompleteReadError,
    ResourceNotFoundError,
    ServiceResponseError,
)
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient
from azure.search.documents.indexes.models import (
    KnowledgeBase,
    KnowledgeSourceReference,
    SearchIndexKnowledgeSource,
    SearchIndexKnowledgeSourceParameters,
)
from azure.search.documents.knowledgebases.aio import KnowledgeBaseRetrievalClient
from azure.search.documents.knowledgebases.models import (
    KnowledgeBaseRetrievalRequest,
    KnowledgeRetrievalSemanticIntent,
)
from azure.search.documents.models import VectorizableTextQuery

from emulators.azure_search.analysis.embedding import HashedWords
from emulators.azure_search.load import load
from emulators.azure_search.operations.faults import Fault
from emulators.azure_search.service import SearchService
from emulators.azure_search.transport import EmbeddedTransport

from .hotels import DEFINITION, DOCUMENTS, Caller
from .test_vectors import definition as vector_definition

ENDPOINT = "https://embedded.search.windows.net"


class OneToken:
    """A credential that gives one token and counts how often it was asked."""

    def __init__(self) -> None:
        self.scopes: list[str] = []

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        """The token."""
        self.scopes += scopes
        return AccessToken("token-of-the-app", int(time.time()) + 3600)

    async def close(self) -> None:
        """Nothing is held."""

    async def __aenter__(self) -> OneToken:
        return self

    async def __aexit__(self, *args: object) -> None:
        return None


def client(service: SearchService, index: str = "inns", credential: Any = None, **options: Any) -> SearchClient:
    chosen = credential or OneToken()
    return SearchClient(ENDPOINT, index, chosen, transport=EmbeddedTransport(service), retry_total=0, **options)


async def test_token_policy_runs(inns: Caller) -> None:
    credential = OneToken()
    inns.service.capture.on = True
    async with client(inns.service, credential=credential) as search:
        found = [hit["id"] async for hit in await search.search("river")]
    assert found == ["4", "1"]
    assert credential.scopes == ["https://search.azure.com/.default"]
    assert inns.service.capture.requests[-1].headers["authorization"] == "Bearer token-of-the-app"


async def test_counts_facets_pages_and_lookups(inns: Caller) -> None:
    async with client(inns.service) as search:
        page = await search.search("*", facets=["rating"], include_total_count=True, order_by=["id"], top=3)
        assert await page.get_count() == 4
        assert await page.get_facets() == {"rating": [{"count": 2, "value": 3}, {"count": 1, "value": 5}]}
        assert [hit["id"] async for hit in page] == ["1", "2", "3"]
        assert await search.get_document_count() == 4
        assert (await search.get_document("1"))["name"] == "The Bell's Inn"
        with pytest.raises(ResourceNotFoundError, match="Not Found"):
            await search.get_document("99")


async def test_the_sdk_follows_continuation(empty: Caller) -> None:
    fields = [{"name": "id", "type": "Edm.String", "key": True}, {"name": "n", "type": "Edm.Int32"}]
    await empty.make({"name": "inns", "fields": fields}, [{"id": str(n), "n": n} for n in range(120)])
    async with client(empty.service) as search:
        assert [hit["n"] async for hit in await search.search("*", order_by=["n"])] == list(range(120))


async def test_upload_merge_and_delete(inns: Caller) -> None:
    async with client(inns.service) as search:
        results = await search.upload_documents([{"id": "9", "name": "New"}])
        assert [(each.key, each.succeeded, each.status_code) for each in results] == [("9", True, 201)]
        results = await search.merge_documents([{"id": "77"}])
        assert [(each.succeeded, each.status_code) for each in results] == [(False, 404)]
        assert (await search.delete_documents([{"id": "9"}]))[0].succeeded


async def test_index_definitions_pass_through_the_models(empty: Caller) -> None:
    await empty.make(DEFINITION, DOCUMENTS)
    async with SearchIndexClient(ENDPOINT, OneToken(), transport=EmbeddedTransport(empty.service)) as indexes:
        index = await indexes.get_index("inns")
        assert [field.name for field in index.fields][:2] == ["id", "name"]
        index.name = "copy"
        assert (await indexes.create_index(index)).name == "copy"
        assert [each.name async for each in indexes.list_indexes()] == ["copy", "inns"]
        assert (await indexes.create_or_update_index(index)).name == "copy"
        await indexes.delete_index("copy")
        empty.service.definitions_need_key = True
        with pytest.raises(HttpResponseError, match="does not allow calls to definitions"):
            await indexes.get_index("inns")


async def test_hybrid_through_the_vectorizer() -> None:
    caller = Caller(SearchService(embedder=HashedWords()))
    documents = [{"id": "1", "text": "red apple"}, {"id": "2", "text": "red car"}]
    rows = HashedWords().embed([each["text"] for each in documents]).tolist()
    await caller.make(vector_definition(), [{**each, "w": row} for each, row in zip(documents, rows, strict=True)])
    async with client(caller.service, "vec") as search:
        query = VectorizableTextQuery(text="car", k_nearest_neighbors=2, fields="w")
        assert [hit["id"] async for hit in await search.search("car", vector_queries=[query])] == ["2", "1"]


async def test_sdk_modes() -> None:
    service = SearchService(embedder=HashedWords())
    fields = {"titleField": {"fieldName": "text"}, "prioritizedContentFields": [{"fieldName": "text"}]}
    semantic = {"configurations": [{"name": "s", "prioritizedFields": fields}]}
    documents = [{"id": "1", "text": "red apple"}, {"id": "2", "text": "red car"}]
    await load(service, {**vector_definition(), "semantic": semantic}, documents)
    transport = EmbeddedTransport(service)
    async with client(service, "vec") as search:
        query = VectorizableTextQuery(text="car", k_nearest_neighbors=2, fields="w")
        page = await search.search(
            "car",
            vector_queries=[query],
            query_type="semantic",
            semantic_configuration_name="s",
            query_caption="extractive",
        )
        hits = [hit async for hit in page]
    assert hits[0]["@search.reranker_score"] > hits[1]["@search.reranker_score"]
    assert hits[0]["@search.captions"][0].highlights == "<em>red car.</em>"
    async with SearchIndexClient(ENDPOINT, OneToken(), transport=transport) as indexes:
        parameters = SearchIndexKnowledgeSourceParameters(search_index_name="vec")
        source = SearchIndexKnowledgeSource(name="source", search_index_parameters=parameters)
        assert (await indexes.create_knowledge_source(source)).name == "source"
        base = KnowledgeBase(name="base", knowledge_sources=[KnowledgeSourceReference(name="source")])
        assert (await indexes.create_knowledge_base(base)).name == "base"
    retrieval = KnowledgeBaseRetrievalClient(ENDPOINT, OneToken(), knowledge_base_name="base", transport=transport)
    async with retrieval:
        request = KnowledgeBaseRetrievalRequest(intents=[KnowledgeRetrievalSemanticIntent(search="car")])
        answer = await retrieval.retrieve(request)
    assert answer.references is not None
    assert [(each["id"], each["docKey"]) for each in answer.references] == [("0", "2")]


FAULTS: list[tuple[Fault, type[Exception], str]] = [
    (Fault(status=503), HttpResponseError, "A fault on order"),
    (Fault(status=429, retry_after=1), HttpResponseError, "A fault on order"),
    (Fault(dropped=True), ServiceResponseError, "dropped"),
    (Fault(cut=True), IncompleteReadError, "middle of the body"),
    (Fault(delay=0.3), ServiceResponseError, "timed out"),
]


@pytest.mark.parametrize(("fault", "error", "message"), FAULTS)
async def test_sdk_sees_faults(inns: Caller, fault: Fault, error: type[Exception], message: str) -> None:
    inns.service.faults.add(fault)
    async with client(inns.service) as search:
        with pytest.raises(error, match=message):
            [hit async for hit in await search.search("river", read_timeout=0.1)]


async def test_sdk_sees_service_errors(inns: Caller) -> None:
    async with client(inns.service) as search:
        with pytest.raises(HttpResponseError, match="Could not find a property named 'stars'"):
            [hit async for hit in await search.search("river", filter="stars eq 3")]
