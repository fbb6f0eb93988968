"""One message from taking it to its end: delivered, removed, given back after a wait, or given up."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass

from azure.core.exceptions import AzureError, ResourceNotFoundError
from azure.storage.queue import QueueMessage
from azure.storage.queue.aio import QueueClient

from ..configuration import QueueConfiguration
from ..dispatcher import Dispatcher
from ..invocations import Invocation, Outcome, Trace
from ..traces import new_parent
from .message_encoding import NotBase64, decode_message
from .poison import move_to_poison
from .trigger_data import trigger_data

LOG = logging.getLogger("emulators.functions_host")


@dataclass(frozen=True, kw_only=True)
class MessageProcessor:
    """How the messages of one queue are processed; `poison` is None for a poison queue, `binary` takes them as bytes."""

    function: str
    binary: bool
    queue: QueueClient
    poison: QueueClient | None
    configuration: QueueConfiguration
    taken_visibility: float
    dispatcher: Dispatcher
    open_telemetry: bool

    async def process(self, message: QueueMessage) -> None:
        """Runs the function and settles the message; storage faults leave it to come back by itself."""
        try:
            body = decode_message(message.content, self.configuration.base64)
        except NotBase64:
            await self._settle_unreadable(message)
            return
        if self.poison is not None and (message.dequeue_count or 0) > self.configuration.max_dequeue_count:
            await move_to_poison(self.queue, self.poison, message)
            return
        async with self._keep_invisible(message):
            outcome = await self.dispatcher.invoke(self._invocation(message, body))
        await self._settle(message, outcome)

    async def _settle(self, message: QueueMessage, outcome: Outcome) -> None:
        if outcome.succeeded:
            # Gone already when the message was seen again elsewhere: then it is no longer ours.
            with contextlib.suppress(ResourceNotFoundError):
                await self.queue.delete_message(message)
        elif self.poison is None:
            LOG.error("A message of %s failed: it comes back when its time is over.", self.queue.queue_name)
        elif (message.dequeue_count or 0) >= self.configuration.max_dequeue_count:
            most, poison = self.configuration.max_dequeue_count, self.poison.queue_name
            LOG.error("Message has reached MaxDequeueCount of %d. Moving message to queue '%s'.", most, poison)
            await move_to_poison(self.queue, self.poison, message)
        else:
            wait = int(self.configuration.visibility_timeout.total_seconds())
            with contextlib.suppress(ResourceNotFoundError):
                await self.queue.update_message(message, visibility_timeout=wait)

    async def _settle_unreadable(self, message: QueueMessage) -> None:
        LOG.error("A message of %s is not base64, which messageEncoding demands.", self.queue.queue_name)
        if self.poison is not None:
            await move_to_poison(self.queue, self.poison, message)

    @contextlib.asynccontextmanager
    async def _keep_invisible(self, message: QueueMessage) -> AsyncIterator[None]:
        """Keeps the message invisible while its function runs."""
        over = asyncio.Event()
        renewing = asyncio.create_task(self._renew(message, over))
        try:
            yield
        except BaseException:
            renewing.cancel()
            raise
        # A renewal that is under way is waited for: it brings the receipt with which the message is settled.
        over.set()
        await renewing

    async def _renew(self, message: QueueMessage, over: asyncio.Event) -> None:
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), self.taken_visibility / 2)
                return
            try:
                renewed = await self.queue.update_message(message, visibility_timeout=max(1, round(self.taken_visibility)))
            except AzureError:
                LOG.error("The time of a message of %s could not be renewed.", self.queue.queue_name)
                continue
            message.pop_receipt = renewed.pop_receipt

    def _invocation(self, message: QueueMessage, body: bytes) -> Invocation:
        trigger = trigger_data(message, None if self.binary else body)
        trace = Trace(parent=new_parent()) if self.open_telemetry else Trace()
        return Invocation(function=self.function, trigger=trigger, body=body, trace=trace)
