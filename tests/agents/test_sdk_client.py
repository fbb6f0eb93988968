"""The SDK's own KnowledgeBaseRetrievalClient against the running app, and the earlier contract as plain HTTP."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.search.documents.knowledgebases.aio import KnowledgeBaseRetrievalClient
from azure.search.documents.knowledgebases.models import (
    KnowledgeBaseAgenticReasoningActivityRecord,
    KnowledgeBaseRetrievalRequest,
    KnowledgeBaseSearchIndexReference,
    KnowledgeRetrievalSemanticIntent,
    SearchIndexKnowledgeSourceParams,
)

KEY = AzureKeyCredential("not read by the app")


def client_of(app_url: str, name: str = "schools-agent") -> KnowledgeBaseRetrievalClient:
    return KnowledgeBaseRetrievalClient(app_url, KEY, knowledge_base_name=name)


def intent(text: str) -> KnowledgeRetrievalSemanticIntent:
    return KnowledgeRetrievalSemanticIntent(search=text)


async def test_the_sdks_client_retrieves(app_url: str) -> None:
    params = SearchIndexKnowledgeSourceParams(
        knowledge_source_name="inspections", include_reference_source_data=True, filter_add_on="outcome ne 'Good'"
    )
    request = KnowledgeBaseRetrievalRequest(intents=[intent("safeguarding concerns")], knowledge_source_params=[params])
    async with client_of(app_url) as client:
        reply = await client.retrieve(request, headers={"x-functions-key": "the caller's"})
    assert reply.response is not None
    assert reply.references is not None
    assert reply.activity is not None
    entries = json.loads(reply.response[0].content[0].text)  # type: ignore[attr-defined]
    assert [str(entry["ref_id"]) for entry in entries] == [reference.id for reference in reply.references]
    first = reply.references[0]
    assert isinstance(first, KnowledgeBaseSearchIndexReference)
    assert first.source_data is not None
    assert first.source_data["id"] == first.doc_key
    assert all(reference.source_data["outcome"] != "Good" for reference in reply.references if reference.source_data)
    assert isinstance(reply.activity[-1], KnowledgeBaseAgenticReasoningActivityRecord)
    assert reply.activity[-1].reasoning_tokens is None


async def test_the_sdks_client_reads_our_errors(app_url: str) -> None:
    request = KnowledgeBaseRetrievalRequest(intents=[intent("a")])
    async with client_of(app_url, "nobody") as client:
        with pytest.raises(ResourceNotFoundError, match="no agent of this name"):
            await client.retrieve(request)
    wrong = KnowledgeBaseRetrievalRequest(
        intents=[intent("a")],
        knowledge_source_params=[SearchIndexKnowledgeSourceParams(knowledge_source_name="trusts")],
    )
    async with client_of(app_url) as client:
        with pytest.raises(HttpResponseError, match="no index of this name") as caught:
            await client.retrieve(wrong)
    assert caught.value.status_code == 400
    assert caught.value.error is not None
    assert caught.value.error.code == "unknown_index"


ADDRESSES = [
    ("agents('schools-agent')/retrieve", 200),
    ("agents(%27schools-agent%27)/retrieve", 200),
    ("agents/schools-agent/retrieve", 200),
    ("agents('schools%2Dagent')/retrieve", 200),
    ("agents('a%2Fb')/retrieve", 404),
    ("agents('o''brien')/retrieve", 404),
    ("agents(schools-agent)/retrieve", 400),
    ("agents('')/retrieve", 400),
]


@pytest.mark.parametrize(("path", "status"), ADDRESSES)
async def test_addresses_through_the_host(app_url: str, path: str, status: int) -> None:
    from yarl import URL

    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "safeguarding"}]}]}
    url = URL(f"{app_url}/{path}?api-version=2025-05-01-preview", encoded=True)
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as reply:
        assert reply.status == status
        answered: dict[str, Any] = await reply.json()
    assert answered.keys() == ({"response", "activity", "references"} if status == 200 else {"error"})
