"""Clients of a storage account, by a `connection` setting: a connection string or an identity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from azure.core.credentials_async import AsyncTokenCredential
from azure.storage.queue.aio import QueueClient

from ..settings import AppSettings

# `UseDevelopmentStorage=true` means the emulator on its own ports.
DEVELOPMENT = "usedevelopmentstorage=true"
EMULATOR = (
    "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
    "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"
    "QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;"
)


# As patient as the real host's SDK: about a second between tries; the default here would wait fifteen.
RETRIES: dict[str, Any] = {"initial_backoff": 1, "increment_base": 1, "random_jitter_range": 0, "retry_total": 3}


class BadConnection(ValueError):
    """The connection setting holds nothing that leads to an account."""


def queue_client(settings: AppSettings, connection: str, queue: str) -> QueueClient:
    """A client that neither encodes nor decodes texts; raises `BadConnection`."""
    text = settings.get(connection)
    if text:
        string = EMULATOR if text.strip().rstrip(";").casefold() == DEVELOPMENT else text
        try:
            return QueueClient.from_connection_string(string, queue, **RETRIES)
        except ValueError as error:
            raise BadConnection(f"The app setting '{connection}' is no storage connection string.") from error
    section = settings.section(connection)
    return QueueClient(_account_url(connection, section), queue, credential=_credential(section), **RETRIES)


def _account_url(connection: str, section: Mapping[str, str]) -> str:
    url = section.get("queueserviceuri") or section.get("serviceuri")
    if url:
        return url
    account = section.get("accountname")
    if not account:
        raise BadConnection(f"'{connection}' has neither a connection string nor {connection}__queueServiceUri.")
    return f"https://{account}.queue.core.windows.net"


def _credential(section: Mapping[str, str]) -> AsyncTokenCredential:
    # Loaded only for identity-based connections: it brings a whole authentication library.
    from azure.identity.aio import DefaultAzureCredential, ManagedIdentityCredential

    client_id = section.get("clientid")
    if section.get("credential", "").casefold() == "managedidentity":
        return ManagedIdentityCredential(client_id=client_id) if client_id else ManagedIdentityCredential()
    return DefaultAzureCredential()
