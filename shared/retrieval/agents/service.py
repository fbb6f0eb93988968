"""The service engine: the search service's own agent or knowledge base does it, called with the app's identity."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from ..access import Caller
from ..client import Retrieval
from ..errors import (
    IndexMisconfigured,
    InvalidQuery,
    NotConfigured,
    Problem,
    RetrievalError,
    SearchFailed,
    SearchRefused,
    SemanticUnavailable,
)
from ..graphemes import cut
from ..knowledge.assembling import LEFT_OUT, SHORTENED
from ..knowledge.replies import Activity, RetrieveReply, SearchActivity
from ..knowledge.service_json import agent_body, knowledge_base_body, reply_from_service
from ..search.azure import ServiceReply
from ..settings import AgentSettings
from .models import AGENT_VERSION, KNOWLEDGE_BASE_VERSION, RetrieveRequest
from .planning import last_user_texts, refuse_images
from .targets import ResolvedTarget

_REFUSED = (401, 403)


async def ask_service(
    retrieval: Retrieval,
    agent: AgentSettings,
    request: RetrieveRequest,
    targets: Sequence[ResolvedTarget],
    caller: Caller,
) -> RetrieveReply:
    """The service's reply. Raises a RetrievalError: what the service says about a fault goes no further."""
    path, body = _call(agent, request, targets)
    reply = await retrieval.post(targets[0].index.name, path, body, caller)
    if reply.refused:
        raise _error(reply, agent)
    made = reply_from_service(reply.body, targets)
    return _within(made, retrieval.settings.max_evidence_characters)


def _call(
    agent: AgentSettings, request: RetrieveRequest, targets: Sequence[ResolvedTarget]
) -> tuple[str, dict[str, object]]:
    if agent.knowledge_agent:
        return _path("agents", agent.knowledge_agent, AGENT_VERSION), agent_body(request, targets)
    if agent.knowledge_base:
        refuse_images(request)
        queries = request.intents or last_user_texts(request.messages, agent.max_sub_queries)
        body = knowledge_base_body(request, queries, targets)
        return _path("knowledgebases", agent.knowledge_base, KNOWLEDGE_BASE_VERSION), body
    raise NotConfigured(f"The agent {agent.name} names neither KnowledgeAgent nor KnowledgeBase.")


def _path(collection: str, name: str, version: str) -> str:
    doubled = name.replace("'", "''")
    return f"/{collection}('{quote(doubled, safe='')}')/retrieve?api-version={version}"


def _error(reply: ServiceReply, agent: AgentSettings) -> RetrievalError:
    if reply.status == 404:
        return IndexMisconfigured(f"The agent {agent.name} does not exist in the search service as it is configured.")
    if reply.status in _REFUSED:
        return SearchRefused("The search service refuses the app's identity.")
    if reply.status == 402:
        return SemanticUnavailable("The semantic ranker of the search service is switched off or over its quota.")
    if reply.status == 400:
        message = "The search service refuses the request: a filter, a threshold or an index of it does not fit."
        return InvalidQuery(message, problems=(Problem("$", InvalidQuery.code, message),))
    return SearchFailed("The search service answered in an unexpected way.")


def _within(reply: RetrieveReply, most: int) -> RetrieveReply:
    """The reply with whole entries, from the first, that stand in `most` characters; a text that is no list stays.

    The first always stays; its content is cut where it alone is longer.
    """
    try:
        entries = json.loads(reply.text)
    except ValueError:
        return reply
    if len(reply.text) <= most or not isinstance(entries, list) or not entries:
        return reply
    kept = len(entries)
    while kept > 1 and len(_dumped(entries[:kept])) > most:
        kept -= 1
    shown = {str(entry.get("ref_id")) for entry in entries[:kept] if isinstance(entry, dict)}
    first = _shortened(entries[0], most) if kept == 1 else entries[0]
    notices = [SHORTENED.format(most)] if first is not entries[0] else []
    notices += [LEFT_OUT.format(len(entries) - kept, most)] if kept < len(entries) else []
    notice = " ".join(notices)
    return RetrieveReply(
        text=_dumped([first, *entries[1:kept]]),
        references=tuple(one for one in reply.references if one.id in shown),
        activity=_first_noted(reply, notice),
    )


def _shortened(entry: Any, most: int) -> Any:
    """The entry with the longest start of its content with which it stands in `most` characters."""
    content = entry.get("content") if isinstance(entry, dict) else None
    if not isinstance(content, str) or len(_dumped([entry])) <= most:
        return entry
    lengths = range(len(content) + 1)
    fitting = bisect_right(lengths, most, key=lambda length: len(_dumped([{**entry, "content": content[:length]}])))
    return {**entry, "content": cut(content, max(0, fitting - 1)).rstrip()}


def _first_noted(reply: RetrieveReply, notice: str) -> tuple[Activity, ...]:
    noted: list[Activity] = []
    for one in reply.activity:
        if isinstance(one, SearchActivity) and notice:
            one, notice = replace(one, warning=" ".join(filter(None, (one.warning, notice)))), ""
        noted.append(one)
    return tuple(noted)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
