"""The poison queue: where a message goes, as it is, when it is given up."""

from __future__ import annotations

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.queue import QueueMessage
from azure.storage.queue.aio import QueueClient

SUFFIX = "-poison"


async def move_to_poison(queue: QueueClient, poison: QueueClient, message: QueueMessage) -> None:
    """Copies the text, unchanged, to the poison queue, which is made when it is missing, and removes the message."""
    try:
        await poison.send_message(message.content)
    except ResourceNotFoundError:
        await _create(poison)
        await poison.send_message(message.content)
    await queue.delete_message(message)


async def _create(queue: QueueClient) -> None:
    try:
        await queue.create_queue()
    except ResourceExistsError:
        return
