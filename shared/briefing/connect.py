"""Connects blobs and queues as the settings say. The storage SDKs are imported here, when first used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shared.retrieval import NotConfigured

from .settings import BriefingSettings, StorageSettings
from .storage import Storage

if TYPE_CHECKING:
    from .azure_queues import AzureQueues

CONNECTION_SETTING = "BriefingStorage"
BLOB_SETTING = "BriefingStorage__blobServiceUri"
QUEUE_SETTING = "BriefingStorage__queueServiceUri"


def connect_storage(where: StorageSettings, settings: BriefingSettings, credential: Any = None) -> Storage:
    """The container and queues of briefings, without calling them yet; call it in the loop that will use them.

    `credential` is an asynchronous token credential of azure-identity; a connection string needs none.
    Raises `NotConfigured` naming what is missing.
    """
    # The SDKs take half a second to import, and most calls of the app need neither.
    from .azure_queues import queues_from_connection_string, queues_from_identity
    from .azure_storage import blobs_from_connection_string, blobs_from_identity

    if where.connection_string:
        try:
            queues = queues_from_connection_string(where.connection_string)
            blobs = blobs_from_connection_string(where.connection_string, settings.container)
        except ValueError:
            raise NotConfigured(f"{CONNECTION_SETTING} is no connection string") from None
        return replace(_storage(blobs, queues, settings), makes_missing=True)
    blob_uri = _required(where.blob_service_uri, BLOB_SETTING)
    queue_uri = _required(where.queue_service_uri, QUEUE_SETTING)
    if credential is None:
        raise NotConfigured("no identity was given for the briefing storage")
    queues = queues_from_identity(queue_uri, credential)
    return _storage(blobs_from_identity(blob_uri, settings.container, credential), queues, settings)


def _storage(blobs: Any, queues: AzureQueues, settings: BriefingSettings) -> Storage:
    done = settings.done_queue_name
    return Storage(
        blobs=blobs,
        queue=queues.queue(settings.queue_name),
        poison=queues.queue(settings.poison_queue_name),
        done=queues.queue(done) if done else None,
        release=queues.close,
    )


def _required(value: str | None, name: str) -> str:
    if not value:
        raise NotConfigured(f"{name} is not set")
    return value
