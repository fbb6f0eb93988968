"""What the queue triggers call: one message, one outcome; nothing with content is ever raised to the host."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from shared.briefing import Redeliver
from shared.retrieval import RetrievalError

from .services import Services, current_services


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A queue message as the host hands it over. `deliveries` counts from 1 and may be missing."""

    body: bytes = field(repr=False)
    id: str
    deliveries: int | None = None
    queued_at: datetime | None = None


async def take_message(message: Message, trace_context: object = None) -> None:
    """Runs the briefing of a message. Raises Redeliver, which holds no content, when the queue shall deliver it again."""
    services = current_services()
    with services.telemetry.invocation(trace_context):
        await run_message(services, message)


async def take_poison(message: Message, trace_context: object = None) -> None:
    """Marks what the queue gave up on. Never raises: such a message would come back until it expires."""
    services = current_services()
    with services.telemetry.invocation(trace_context):
        try:
            briefings = await services.briefings()
        except RetrievalError as error:
            services.log_fault("poison", error)
            return
        await briefings.handle_poison(message.body, message.id, message.queued_at)


async def run_message(services: Services, message: Message) -> None:
    """The same with given services."""
    code = await _outcome(services, message)
    if code is not None:
        # Raised outside of any handler, so that no other exception hangs on it (the host exports what it sees).
        raise Redeliver(code)


async def _outcome(services: Services, message: Message) -> str | None:
    """None when the message is done, else the code of why it shall come again."""
    if services.telemetry_unsafe:
        # What the briefing reads and writes would leave with somebody else's telemetry: the operator has to act first.
        return "telemetry_unsafe"
    try:
        briefings = await services.briefings()
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
