"""The loop of a queue trigger: polls, slower when the queue is empty, and keeps batchSize messages in hand."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from asyncio import Event, Task
from collections.abc import Sequence
from dataclasses import dataclass

from azure.core.exceptions import AzureError, ResourceNotFoundError
from azure.storage.queue import QueueMessage

from ..configuration import HostConfiguration, QueueConfiguration
from ..dispatcher import Dispatcher
from ..listeners import QueueTrigger
from ..settings import AppSettings
from .accounts import BadConnection, queue_client
from .poison import SUFFIX
from .processor import MessageProcessor

LOG = logging.getLogger("emulators.functions_host")
SHORTEST_WAIT = 0.1


class QueueListener:
    """Takes the messages of one queue for one function."""

    def __init__(self, processor: MessageProcessor) -> None:
        self._processor = processor
        self._stopping = Event()
        self._ended_one = Event()
        self._tasks: set[Task[None]] = set()
        self._loop = asyncio.create_task(self._run())
        self._loop.add_done_callback(_tell_failure)

    @property
    def running(self) -> int:
        """Messages in hand."""
        return len(self._tasks)

    @property
    def stopped(self) -> bool:
        """True when it takes no more messages."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Takes no more messages; those in hand go on."""
        self._stopping.set()
        self._ended_one.set()

    async def close(self) -> None:
        """Ends the running functions: their messages come back when their time is over."""
        self.stop()
        for task in (self._loop, *self._tasks):
            task.cancel()
        await asyncio.gather(self._loop, *self._tasks, return_exceptions=True)
        await self._processor.queue.close()
        if self._processor.poison is not None:
            await self._processor.poison.close()

    @property
    def _settings(self) -> QueueConfiguration:
        return self._processor.configuration

    async def _run(self) -> None:
        wait = SHORTEST_WAIT
        while not self._stopping.is_set():
            # Without a worker, messages would only use up their deliveries.
            taken = [] if self._processor.dispatcher.down else await self._take()
            for message in taken:
                self._begin(message)
            wait = SHORTEST_WAIT if taken else min(wait * 2, self._settings.max_polling_interval.total_seconds())
            if taken:
                await self._wait_for_room()
            else:
                await self._pause(wait)

    async def _take(self) -> Sequence[QueueMessage]:
        """The next batch; nothing when the queue is missing or storage does not answer."""
        seconds = max(1, round(self._processor.taken_visibility))
        size = self._settings.batch_size
        queue = self._processor.queue
        try:
            pages = queue.receive_messages(messages_per_page=size, visibility_timeout=seconds).by_page()
            # An empty queue has no page at all.
            page = await anext(pages, None)
            return [message async for message in page] if page is not None else []
        except ResourceNotFoundError:
            return []
        except AzureError as error:
            LOG.error("The queue %s cannot be read (%s).", queue.queue_name, type(error).__name__)
            return []

    async def _wait_for_room(self) -> None:
        while len(self._tasks) > self._settings.new_batch_threshold and not self._stopping.is_set():
            self._ended_one.clear()
            await self._ended_one.wait()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    def _begin(self, message: QueueMessage) -> None:
        task = asyncio.create_task(self._process(message))
        self._tasks.add(task)
        task.add_done_callback(self._end)

    async def _process(self, message: QueueMessage) -> None:
        try:
            await self._processor.process(message)
        except AzureError as error:
            LOG.error("A message of %s could not be settled (%s).", self._processor.queue.queue_name, type(error).__name__)

    def _end(self, task: Task[None]) -> None:
        _tell_failure(task)
        self._tasks.discard(task)
        self._ended_one.set()


def _tell_failure(task: Task[None]) -> None:
    """Logs an exception that the code above did not expect."""
    if not task.cancelled() and task.exception() is not None:
        LOG.critical("The queue trigger failed.", exc_info=task.exception())


@dataclass(frozen=True, kw_only=True)
class ListenerContext:
    """The objects that every listener of a host shares."""

    settings: AppSettings
    configuration: HostConfiguration
    dispatcher: Dispatcher
    taken_visibility: float


def start_queues(triggers: Sequence[QueueTrigger], context: ListenerContext) -> list[QueueListener]:
    """A listener for each trigger; one whose connection leads nowhere is left out, with a line."""
    listeners: list[QueueListener] = []
    for trigger in triggers:
        try:
            listeners.append(QueueListener(_make_processor(trigger, context)))
        except BadConnection as reason:
            LOG.error("The '%s' function is in error: %s", trigger.function, reason)
    return listeners


def _make_processor(trigger: QueueTrigger, context: ListenerContext) -> MessageProcessor:
    settings = context.settings
    has_poison = not trigger.queue.endswith(SUFFIX)
    return MessageProcessor(
        function=trigger.function,
        binary=trigger.binary,
        queue=queue_client(settings, trigger.connection, trigger.queue),
        poison=queue_client(settings, trigger.connection, trigger.queue + SUFFIX) if has_poison else None,
        configuration=context.configuration.queues,
        taken_visibility=context.taken_visibility,
        dispatcher=context.dispatcher,
        open_telemetry=context.configuration.open_telemetry,
    )
