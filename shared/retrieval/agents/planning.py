"""Sub-queries of a conversation: made by a model where one is configured, else the last things that were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..errors import InvalidRequest, Problem
from ..search.retry import Clock
from ..settings import AgentSettings
from .models import MessageImage, PlanningActivity, RetrieveMessage, RetrieveRequest
from .wire import check_length


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """A model's sub-queries, most important first, and what making them cost."""

    queries: tuple[str, ...]
    input_tokens: int | None = None
    output_tokens: int | None = None


class Planner(Protocol):
    """Makes sub-queries of a conversation. `takes_images` says whether it understands image parts."""

    @property
    def takes_images(self) -> bool:
        """Whether image parts may be handed to it."""

    async def plan(self, messages: Sequence[RetrieveMessage], limit: int) -> QueryPlan:
        """At most `limit` sub-queries; none where nothing is asked. Raises an error of its own when it fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubQueries:
    """What to search for, in order; `activity` when a model planned."""

    queries: tuple[str, ...]
    activity: PlanningActivity | None = None


async def sub_queries(request: RetrieveRequest, agent: AgentSettings, planner: Planner | None, clock: Clock) -> SubQueries:
    """Intents as they are; messages through the planner or, without one, the last different user texts, newest first.

    Raises as `check_messages`.
    """
    if request.intents:
        return SubQueries(queries=tuple(dict.fromkeys(request.intents)))
    check_messages(request, agent, planner)
    if planner is None:
        return SubQueries(queries=last_user_texts(request.messages, agent.max_sub_queries))
    begun = clock.now()
    plan = await planner.plan(request.messages, agent.max_sub_queries)
    activity = PlanningActivity(
        id=0,
        input_tokens=plan.input_tokens,
        output_tokens=plan.output_tokens,
        elapsed_ms=round((clock.now() - begun) * 1000),
    )
    planned = tuple(dict.fromkeys(query.strip() for query in plan.queries if query.strip()))
    return SubQueries(queries=planned[: agent.max_sub_queries], activity=activity)


def check_messages(request: RetrieveRequest, agent: AgentSettings, planner: Planner | None) -> None:
    """Raises InvalidRequest for images that no model takes and for messages in which no user says anything, TooLarge.

    The agents of the service read images and conversations themselves; its knowledge bases take texts only.
    """
    if request.intents or (agent.engine == "service" and agent.knowledge_agent):
        return
    if planner is None or not planner.takes_images:
        refuse_images(request)
    last_user_texts(request.messages, agent.max_sub_queries)


def last_user_texts(messages: Sequence[RetrieveMessage], limit: int) -> tuple[str, ...]:
    """The last `limit` different texts of users, newest first. Raises InvalidRequest when there is none, TooLarge."""
    found: dict[str, str] = {}
    for place in range(len(messages) - 1, -1, -1):
        said = messages[place]
        if said.role == "user" and said.text and len(found) < limit:
            found.setdefault(said.text, f"$.messages[{place}]")
    if not found and not _shows_images(messages):
        message = "At least one message of the user needs a text."
        raise InvalidRequest(message, code="no_question", problems=(Problem("$.messages", "no_question", message),))
    for text, path in found.items():
        check_length(text, path)
    return tuple(found)


def refuse_images(request: RetrieveRequest) -> None:
    """Raises InvalidRequest naming each image part."""
    message = "An image can only be used where a model that takes images plans the queries."
    problems = tuple(
        Problem(f"$.messages[{place}].content[{part}]", "image_not_supported", message)
        for place, one in enumerate(request.messages)
        for part, content in enumerate(one.content)
        if isinstance(content, MessageImage)
    )
    if problems:
        raise InvalidRequest(message, code="image_not_supported", problems=problems)


def _shows_images(messages: Sequence[RetrieveMessage]) -> bool:
    return any(isinstance(part, MessageImage) for message in messages for part in message.content)
