"""`--https`: the certificate made for the machine, and the Azure SDK against it with its real token policy."""

from __future__ import annotations

import asyncio
import ssl
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from azure.core.credentials import AccessToken, AzureKeyCredential
from azure.core.exceptions import HttpResponseError
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient
from azure.search.documents.indexes.models import SearchFieldDataType, SearchIndex, SimpleField
from cryptography import x509

from emulators.azure_search.certificates import CertificateError, make_context


@asynccontextmanager
async def served(folder: Path, *arguments: str) -> AsyncIterator[str]:
    """The address of the command, over https."""
    command = (sys.executable, "-m", "emulators.azure_search", "--port", "0", "--https", "--certificates", str(folder))
    process = await asyncio.create_subprocess_exec(*command, "--no-model", *arguments, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        address = (await asyncio.wait_for(process.stdout.readline(), 30)).decode().split()[-1]
        assert f"trust {folder / 'certificate.pem'} " in (await process.stdout.readline()).decode()
        yield address
    finally:
        process.terminate()
        await process.wait()


class Token:
    """A token credential as the Azure SDK takes them; its policy refuses plain http."""

    async def get_token(self, *scopes: str, **options: object) -> AccessToken:
        return AccessToken("token", int((datetime.now(UTC) + timedelta(hours=1)).timestamp()))

    async def close(self) -> None:
        """Nothing is open."""

    async def __aenter__(self) -> Token:
        return self

    async def __aexit__(self, *failure: object) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_the_sdk_trusts_the_certificate(tmp_path: Path, host: str) -> None:
    async with served(tmp_path, "--definitions-need-key") as address:
        endpoint = address.replace("127.0.0.1", host)
        trust = {"connection_verify": str(tmp_path / "certificate.pem")}
        fields = [SimpleField(name="id", type=SearchFieldDataType.STRING, key=True)]
        async with SearchIndexClient(endpoint, AzureKeyCredential("any"), **trust) as indexes:
            await indexes.create_index(SearchIndex(name="ma_de", fields=fields))
            async with SearchClient(endpoint, "ma_de", Token(), **trust) as client:
                await client.upload_documents([{"id": "1"}, {"id": "2"}])
                assert sorted([hit["id"] async for hit in await client.search("*")]) == ["1", "2"]
            statistics = await indexes.get_service_statistics()
            assert statistics.counters.document_counter.usage == 2
            assert statistics.counters.index_counter.usage == 1
            assert statistics.limits.max_fields_per_index == 1000
        async with SearchIndexClient(endpoint, Token(), **trust) as reader:
            for refused in (reader.get_index("ma_de"), reader.get_service_statistics()):
                with pytest.raises(HttpResponseError) as error:
                    await refused
                assert error.value.status_code == 403


async def test_a_strict_client_trusts_it_as_well(tmp_path: Path) -> None:
    async with served(tmp_path) as address, aiohttp.ClientSession() as client:
        context = ssl.create_default_context(cafile=str(tmp_path / "certificate.pem"))
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT
        async with client.get(f"{address}/indexes?api-version=2024-07-01", ssl=context) as reply:
            assert reply.status == 200


async def test_untrusted_certificate_is_an_error(tmp_path: Path) -> None:
    async with served(tmp_path) as address, aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await client.get(address)


def certificate(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "certificate.pem").read_bytes())


def test_certificate_is_no_authority(tmp_path: Path) -> None:
    context, path = make_context(tmp_path / "new", "search.test")
    assert path == tmp_path / "new" / "certificate.pem"
    assert b"PRIVATE" not in path.read_bytes()
    assert stat.S_IMODE((tmp_path / "new" / "server.pem").stat().st_mode) == 0o600
    made = certificate(tmp_path / "new")
    assert made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {"localhost", "search.test"} <= set(names.get_values_for_type(x509.DNSName))
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_certificate_is_renewed_when_needed(tmp_path: Path) -> None:
    make_context(tmp_path, "127.0.0.1")
    first = certificate(tmp_path)
    make_context(tmp_path, "localhost")
    assert certificate(tmp_path) == first
    make_context(tmp_path, "10.0.0.9")
    second = certificate(tmp_path)
    assert second != first
    make_context(tmp_path, "10.0.0.9", datetime.now(UTC) + timedelta(days=334))
    assert certificate(tmp_path) == second
    make_context(tmp_path, "10.0.0.9", datetime.now(UTC) + timedelta(days=336))
    assert certificate(tmp_path) != second
    (tmp_path / "server.pem").write_text("nonsense")
    make_context(tmp_path, "10.0.0.9")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CertificateError, match=r"give a folder that can be written with --certificates\.$"):
        make_context(tmp_path / "file", "localhost")
