"""Queues in Azure Queue Storage: the only file that imports its SDK, loaded when storage is first connected."""

from __future__ import annotations

from typing import Any

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.queue.aio import QueueClient, QueueServiceClient

from .azure_errors import RETRIES, translated

NEVER = -1


class AzureQueue:
    """A queue to put messages on, their text as it is: `messageEncoding` is none in host.json."""

    def __init__(self, queue: QueueClient, *, create_queue: bool = False) -> None:
        self._queue = queue
        self._create_queue = create_queue

    async def put(self, text: str, *, delay_seconds: int = 0) -> None:
        """Puts a message that never expires, hidden for the delay."""
        with translated():
            await self._queue.send_message(text, visibility_timeout=delay_seconds, time_to_live=NEVER)

    async def check(self) -> None:
        """Returns when the queue can be reached, having made it where that is wanted."""
        with translated():
            try:
                await self._queue.get_queue_properties()
            except ResourceNotFoundError:
                if not self._create_queue:
                    raise
                await _create(self._queue)

    async def close(self) -> None:
        """Ends its connections."""
        await self._queue.close()


class AzureQueues:
    """The queues of one account over one client's connections."""

    def __init__(self, service: QueueServiceClient, *, create_queues: bool = False) -> None:
        self._service = service
        self._create_queues = create_queues

    def queue(self, name: str) -> AzureQueue:
        """One queue of the account."""
        return AzureQueue(self._service.get_queue_client(name), create_queue=self._create_queues)

    async def close(self) -> None:
        """Ends the connections that the queues share."""
        await self._service.close()


def queues_from_connection_string(text: str) -> AzureQueues:
    """The queues of the local emulator; a missing one is made on its first check."""
    return AzureQueues(QueueServiceClient.from_connection_string(text, **RETRIES), create_queues=True)


def queues_from_identity(uri: str, credential: Any) -> AzureQueues:
    """The queues behind a service address, reached with a token credential of azure-identity."""
    return AzureQueues(QueueServiceClient(uri, credential=credential, **RETRIES))


async def _create(queue: QueueClient) -> None:
    try:
        await queue.create_queue()
    except ResourceExistsError:
        return  # another process was first
