"""What the queue triggers call: one message, one outcome; nothing with content is ever raised to the host."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from shared.briefing import Redeliver
from shared.retrieval import RetrievalError

from .services import Services, current_services

PUT_BACK_SECONDS = 300
POISON_PUT_BACK_SECONDS = 3_600
"""How long a message waits for faulty settings to be mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A queue message as the host hands it over. `deliveries` counts from 1 and may be missing."""

    body: bytes = field(repr=False)
    id: str
    deliveries: int | None = None
    queued_at: datetime | None = None


async def handle_queue_message(message: Message, trace_context: object = None) -> None:
    """Runs the briefing of a message. Raises Redeliver, which holds no content, when the queue shall deliver it again."""
    services = current_services()
    with services.telemetry.invocation(trace_context):
        await run_message(services, message)


async def handle_poison_message(message: Message, trace_context: object = None) -> None:
    """Marks what the queue gave up on. Raises Redeliver where that can neither be stored nor put back."""
    services = current_services()
    with services.telemetry.invocation(trace_context):
        code = await poison_outcome(services, message)
    if code is not None:
        raise Redeliver(code)


async def remove_expired(trace_context: object = None) -> None:
    """Removes briefings older than `RetentionDays`. Never raises: the next day's call goes on."""
    services = current_services()
    with services.telemetry.invocation(trace_context):
        await remove_expired_of(services)


async def remove_expired_of(services: Services) -> None:
    """The same with given services. Without storage there is nothing to remove."""
    if services.settings.storage is None:
        return
    try:
        await (await services.briefings()).remove_expired()
    except asyncio.CancelledError:
        raise
    except Exception as error:  # the host would export the whole text of whatever leaves here
        services.log_fault("retention", error)


async def run_message(services: Services, message: Message) -> None:
    """Runs the briefing of a message with given services. Raises as `handle_queue_message`."""
    code = await message_outcome(services, message)
    if code is not None:
        # Raised outside of any handler, so that no other exception hangs on it (the host exports what it sees).
        raise Redeliver(code)


async def poison_outcome(services: Services, message: Message) -> str | None:
    """None when the message is marked or put back, else the code of why it shall come again."""
    try:
        briefings = await services.briefings()
    except RetrievalError as error:
        return await _put_back(services, message, error.code, poison=True)
    try:
        await briefings.handle_poison(message.body, message.id, message.queued_at)
    except Redeliver as error:
        return error.code
    return None


async def message_outcome(services: Services, message: Message) -> str | None:
    """None when the message is done or waits, else the code of why it shall come again."""
    if services.telemetry_unsafe:
        # What the briefing reads and writes would leave with somebody else's telemetry: the operator has to act first.
        return await _put_back(services, message, "telemetry_unsafe")
    try:
        briefings = await services.briefings()
    except RetrievalError as error:
        return await _put_back(services, message, error.code)
    except Exception as error:  # the host would export the whole text of whatever leaves here
        services.log_fault("briefing", error)
        return "internal_error"
    try:
        await briefings.handle_message(
            message.body,
            message.id,
            message.deliveries,
            message.queued_at,
            last_delivery=services.is_last_delivery(message.deliveries),
        )
    except asyncio.CancelledError:
        raise
    except (Redeliver, RetrievalError) as error:
        return error.code
    except Exception as error:  # the host would export the whole text of whatever leaves here
        services.log_fault("briefing", error)
        return "internal_error"
    return None


async def _put_back(services: Services, message: Message, code: str, *, poison: bool = False) -> str | None:
    """None when a copy of the message waits on its queue, so that a fault of the settings costs no briefing; else the code.

    The queue counts deliveries and gives up on a message; settings are mended by people, who take longer.
    """
    services.signals.event("briefing_retried", error_type=code)
    try:
        storage = await services.storage_as_it_is()
        queue = storage.poison if poison else storage.queue
        delay = POISON_PUT_BACK_SECONDS if poison else PUT_BACK_SECONDS
        await queue.put(message.body.decode(errors="replace"), delay_seconds=delay)
    except Exception as error:  # whatever hinders it, the queue keeps the message
        services.log_fault("briefing", error)
        return code
    return None
