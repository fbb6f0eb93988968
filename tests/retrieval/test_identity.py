"""The real azure-identity against an identity endpoint of our own, the search side under its https name."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from azure.identity import aio

from shared.retrieval import (
    Authentication,
    EvidenceSearch,
    IdentityUnavailable,
    IndexSettings,
    Retrieval,
    RetrievalSettings,
    SearchFailed,
    make_credential,
)
from tests.retrieval.doubles import ENDPOINT, CountingCredential, Scripted, ScriptedTransport, hits

HEADER = "identity-header"


@dataclass(slots=True)
class IdentityEndpoint:
    """App Service's identity endpoint: counts what it is asked and answers as told."""

    seconds: float = 3600
    statuses: list[int] = field(default_factory=list)
    delay: float = 0.0
    asked: list[dict[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        """A token with its number in it, or the next status of the list."""
        self.asked.append({**request.query, "header": request.headers.get("X-IDENTITY-HEADER", "")})
        await asyncio.sleep(self.delay)
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            return web.json_response({"statusCode": status, "message": "tenant 1234 refuses"}, status=status)
        token = {
            "access_token": f"managed-{len(self.asked)}",
            "expires_on": str(int(time.time() + self.seconds)),
            "resource": "https://search.azure.com",
            "token_type": "Bearer",
        }
        return web.json_response(token)


@pytest.fixture
async def identity(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[IdentityEndpoint]:
    """The endpoint, and the variables by which App Service tells of it."""
    endpoint = IdentityEndpoint()
    app = web.Application()
    app.router.add_get("/msi/token", endpoint.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    monkeypatch.setenv("IDENTITY_ENDPOINT", f"http://127.0.0.1:{runner.addresses[0][1]}/msi/token")
    monkeypatch.setenv("IDENTITY_HEADER", HEADER)
    yield endpoint
    await runner.cleanup()


def retrieval_with(transport: ScriptedTransport, *names: str, **settings: Any) -> Retrieval:
    """Retrieval that finds its own identity."""
    indexes = tuple(IndexSettings(name=name, content_fields=("t",)) for name in names or ("docs",))
    return Retrieval(RetrievalSettings(endpoint=ENDPOINT, indexes=indexes, **settings), transport=transport)


def sent_tokens(transport: ScriptedTransport) -> list[str]:
    """The tokens of the requests."""
    return [request.headers["Authorization"] for request in transport.requests]


async def test_fifty_calls_use_one_token_of_the_managed_identity(identity: IdentityEndpoint) -> None:
    transport = ScriptedTransport(hits({"t": "x"}))
    retrieval = retrieval_with(transport)

    await asyncio.gather(*(retrieval.search("docs", "q") for _ in range(50)))
    await retrieval.close()

    assert sent_tokens(transport) == ["Bearer managed-1"] * 50
    assert identity.asked == [{"api-version": "2019-08-01", "resource": "https://search.azure.com", "header": HEADER}]


async def test_indexes_share_one_credential(identity: IdentityEndpoint) -> None:
    transport = ScriptedTransport(hits({"t": "x"}))
    retrieval = retrieval_with(transport, "a", "b", "c")

    await retrieval.search("a", "q")
    await retrieval.evidence_of([EvidenceSearch(index=name, query="q") for name in ("b", "c", "a")])
    await retrieval.close()

    assert len(identity.asked) == 1


@pytest.mark.parametrize(("client_id", "sent"), [("client-7", "client-7"), (None, None), ("", None), ("  ", None)])
async def test_user_assigned_identity_is_named_and_blank_is_absent(
    identity: IdentityEndpoint, client_id: str | None, sent: str | None
) -> None:
    retrieval = retrieval_with(ScriptedTransport(hits()), client_id=client_id)

    await retrieval.search("docs", "q")
    await retrieval.close()

    assert identity.asked[0].get("client_id") == sent


async def test_authentication_names_another_managed_identity(identity: IdentityEndpoint) -> None:
    other = Authentication(managed_identity_client_id="other")
    retrieval = retrieval_with(ScriptedTransport(hits()), client_id="mine", authentication=other)

    await retrieval.search("docs", "q")
    await retrieval.close()

    assert identity.asked[0]["client_id"] == "other"


async def test_credential_in_code_beats_everything(identity: IdentityEndpoint) -> None:
    transport, credential = ScriptedTransport(hits()), CountingCredential()
    index = IndexSettings(name="docs")
    other = Authentication(managed_identity_client_id="other")
    retrieval = Retrieval(
        RetrievalSettings(endpoint=ENDPOINT, indexes=(index,), authentication=other), credential, transport=transport
    )

    await retrieval.search("docs", "q")
    await retrieval.close()

    assert identity.asked == []
    assert sent_tokens(transport) == ["Bearer token-1"]
    assert not credential.closed


async def test_expired_token_is_renewed_and_the_new_one_is_sent(identity: IdentityEndpoint) -> None:
    transport = ScriptedTransport(hits())
    retrieval = retrieval_with(transport)
    identity.seconds = 1

    await retrieval.search("docs", "q")
    identity.seconds = 3600
    await asyncio.sleep(1.5)
    await retrieval.search("docs", "q")
    await retrieval.search("docs", "q")
    await retrieval.close()

    assert sent_tokens(transport) == ["Bearer managed-1", "Bearer managed-2", "Bearer managed-2"]


async def test_refusal_of_the_endpoint_says_identity_and_nothing_of_it(identity: IdentityEndpoint) -> None:
    identity.statuses = [400] * 20
    transport = ScriptedTransport(hits())
    retrieval = retrieval_with(transport, client_id="client-7")

    with pytest.raises(IdentityUnavailable) as caught:
        await retrieval.search("docs", "q")
    await retrieval.close()

    assert caught.value.code == "identity_unavailable"
    assert not any(word in str(caught.value) for word in ("1234", "client-7", "tenant"))
    assert transport.requests == []


async def test_endpoint_that_recovers_gives_a_token(identity: IdentityEndpoint) -> None:
    identity.statuses = [500]
    transport = ScriptedTransport(hits())
    retrieval = retrieval_with(transport)

    await retrieval.search("docs", "q")
    await retrieval.close()

    assert sent_tokens(transport) == ["Bearer managed-2"]


async def test_failed_identity_is_asked_again_by_the_next_call(identity: IdentityEndpoint) -> None:
    identity.statuses = [400]
    retrieval = retrieval_with(ScriptedTransport(hits()))

    with pytest.raises(IdentityUnavailable):
        await retrieval.search("docs", "q")
    await retrieval.search("docs", "q")
    await retrieval.close()


@pytest.mark.parametrize("fault", ["slow", "failing"])
async def test_identity_takes_no_more_than_the_time_of_a_search(identity: IdentityEndpoint, fault: str) -> None:
    identity.delay = 2.5 if fault == "slow" else 0
    identity.statuses = [500] * 50
    retrieval = retrieval_with(ScriptedTransport(hits()), timeout_seconds=0.4)

    with pytest.raises(IdentityUnavailable):
        await retrieval.search("docs", "q")
    await retrieval.close()


async def test_service_that_refuses_the_token_is_asked_with_a_new_one_next_time(identity: IdentityEndpoint) -> None:
    transport = ScriptedTransport(Scripted(status=401, body={}), hits())
    retrieval = retrieval_with(transport)

    with pytest.raises(Exception, match="refuses the app's identity"):
        await retrieval.search("docs", "q")
    await retrieval.search("docs", "q")
    await retrieval.close()

    assert len(transport.requests) == 2


@pytest.mark.parametrize(
    ("host", "scope"),
    [
        ("unit.search.windows.net", "https://search.azure.com/.default"),
        ("unit.search.azure.us", "https://search.azure.us/.default"),
        ("unit.search.azure.cn", "https://search.azure.cn/.default"),
    ],
)
async def test_token_is_asked_for_the_cloud_of_the_endpoint(host: str, scope: str) -> None:
    settings = RetrievalSettings(endpoint=f"https://{host}/", indexes=(IndexSettings(name="docs"),))
    credential = CountingCredential()

    await Retrieval(settings, credential, transport=ScriptedTransport(hits())).search("docs", "q")

    assert credential.scopes == [(scope,)]


async def test_plain_http_on_this_machine_is_asked_without_a_token(identity: IdentityEndpoint) -> None:
    transport = ScriptedTransport(hits({"t": "x"}))
    settings = RetrievalSettings(endpoint="http://127.0.0.1:9/", indexes=(IndexSettings(name="docs"),))
    credential = CountingCredential()

    await Retrieval(settings, credential, transport=transport).search("docs", "q")

    headers = {name.lower() for name in transport.requests[0].headers}
    assert headers.isdisjoint({"authorization", "api-key"})
    assert credential.scopes == []
    assert identity.asked == []
    assert transport.requests[0].url.startswith("http://127.0.0.1:9/indexes('docs')/docs/search.post.search?")


@pytest.mark.parametrize("endpoint", ["http://127.unit.example", "http://127.0.0.1.example", "http://localhost.example"])
async def test_plain_http_elsewhere_sends_nothing(endpoint: str) -> None:
    transport = ScriptedTransport(hits())
    settings = RetrievalSettings(endpoint=endpoint, indexes=(IndexSettings(name="docs"),), max_retry_attempts=0)

    with pytest.raises(SearchFailed):
        await Retrieval(settings, CountingCredential(), transport=transport).search("docs", "q")

    assert transport.requests == []


KINDS = [
    ({"IDENTITY_ENDPOINT": "http://127.0.0.1:1/"}, None, aio.ManagedIdentityCredential),
    ({"WEBSITE_INSTANCE_ID": "x"}, None, aio.ManagedIdentityCredential),
    ({}, None, aio.ChainedTokenCredential),
    ({"IDENTITY_ENDPOINT": "", "WEBSITE_INSTANCE_ID": ""}, None, aio.ChainedTokenCredential),
    ({}, Authentication(managed_identity_client_id="m"), aio.ManagedIdentityCredential),
    (
        {"WEBSITE_INSTANCE_ID": "x"},
        Authentication(tenant_id="tenant", client_id="c", client_secret="s"),
        aio.ClientSecretCredential,
    ),
]


@pytest.mark.parametrize(("environ", "authentication", "kind"), KINDS)
async def test_developer_credentials_are_only_for_developers(
    environ: dict[str, str], authentication: Authentication | None, kind: type
) -> None:
    credential = make_credential(None, authentication, environ)

    assert type(credential) is kind
    await credential.close()


async def test_client_secret_goes_to_the_configured_authority(identity: IdentityEndpoint) -> None:
    hellos: list[bytes] = []

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hellos.append(await reader.read(3))
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    secret = Authentication(
        tenant_id="00000000-0000-0000-0000-000000000001",
        client_id="c",
        client_secret="hush",
        authority_host=f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}",
    )
    retrieval = retrieval_with(ScriptedTransport(hits()), authentication=secret, timeout_seconds=0.5)

    with pytest.raises(IdentityUnavailable):
        await retrieval.search("docs", "q")
    await retrieval.close()
    server.close()
    await server.wait_closed()

    assert hellos[0].startswith(b"\x16\x03"), "a TLS handshake"
    assert identity.asked == []
    assert "hush" not in repr(secret)


async def test_nothing_is_left_over_after_close(identity: IdentityEndpoint) -> None:
    server = web.Application()
    server.router.add_post("/{tail:.*}", _found)
    runner = web.AppRunner(server)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    retrieval = Retrieval(RetrievalSettings(endpoint=address, indexes=(IndexSettings(name="docs"),)))
    before = set(asyncio.all_tasks())

    await asyncio.gather(*(retrieval.search("docs", "q") for _ in range(50)))
    await retrieval.close()
    await retrieval.search("docs", "again after close")
    await retrieval.close()
    await runner.cleanup()
    gc.collect()

    assert set(asyncio.all_tasks()) == before


async def _found(_: web.Request) -> web.Response:
    return web.json_response({"value": [{"@search.score": 1.0, "t": "x"}]})


def test_each_loop_gets_its_own_clients() -> None:
    transport, credential = ScriptedTransport(hits()), CountingCredential()
    settings = RetrievalSettings(endpoint=ENDPOINT, indexes=(IndexSettings(name="docs"),))
    retrieval = Retrieval(settings, credential, transport=transport)

    for _ in range(2):
        asyncio.run(_one(retrieval))

    assert len(transport.requests) == 2


async def _one(retrieval: Retrieval) -> None:
    await retrieval.search("docs", "q")
