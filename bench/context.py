"""What the context provider costs beside its search: `python -m bench.context`.

A turn with ten results of 1,500 characters, without and with memory, with a history of 200 messages sent again, and with a
state at its 64 KiB.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Mapping, Sequence

from shared.retrieval import ChatMessage, ContextOptions, TextSearchProvider, TextSearchResult

CALLS = 200
RESULTS = [
    TextSearchResult(text="A line of a report.\n" * 75, source_name=f"Report {number}", source_link="https://r.example/1")
    for number in range(10)
]


async def search(query: str) -> list[TextSearchResult]:
    """Ten results at once."""
    return RESULTS


def user(text: str) -> ChatMessage:
    """A message of the user."""
    return ChatMessage.of("user", text)


async def median(options: ContextOptions, messages: Sequence[ChatMessage], state: Mapping[str, object]) -> float:
    """Milliseconds of a whole turn: asking and remembering."""
    provider = TextSearchProvider(search, options)
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        turn = await provider.invoking(messages, state)
        await provider.invoked(turn.messages or (), [ChatMessage.of("assistant", "An answer.")], turn.state)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


async def main() -> None:
    """Prints the figures."""
    history = [user(f"question {number} about attendance and safeguarding") for number in range(200)]
    remembered = {"TextSearchProvider": {"recentMessagesText": [message.text for message in history[:199]]}}
    full = {"TextSearchProvider": {"recentMessagesText": ["x" * 20] * 2_700}}
    memory = ContextOptions(recent_message_memory_limit=10_000)
    for name, options, messages, state in (
        ("one question, no memory", ContextOptions(), history[:1], {}),
        ("one question, memory of 10", ContextOptions(recent_message_memory_limit=10), history[:1], remembered),
        ("200 messages sent again", memory, history, remembered),
        ("state of 64 KiB", memory, history[:1], full),
    ):
        print(f"{name}: {await median(options, messages, state):.2f} ms")


if __name__ == "__main__":
    asyncio.run(main())
