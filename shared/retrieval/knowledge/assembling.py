"""A reply put together: merged entries within the size, their references, and the record of what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..agents.models import RetrieveRequest
from .merging import Entry, Searched, merged, text_of, within
from .replies import Activity, PlanningActivity, RankingActivity, ReasoningActivity, Reference, RetrieveReply, SearchActivity

CHARACTERS_PER_TOKEN = 3
"""What a token of `maxOutputSizeInTokens` is taken for: fewer than usual text has, so that the text keeps within."""

LEFT_OUT = "Documents left out to keep the reply within {1} characters: {0}."
SHORTENED = "The document was cut to keep the reply within {} characters."


def assembled(
    request: RetrieveRequest, planning: PlanningActivity | None, found: Sequence[Searched], limit: int
) -> RetrieveReply:
    """The reply from what the searches gave; `limit` is in characters of the response text."""
    if request.max_output_tokens is not None:
        limit = min(limit, request.max_output_tokens * CHARACTERS_PER_TOKEN)
    entries = merged([one.entries for one in found])
    kept = within(entries, limit)
    notices = _notices(entries, kept, limit)
    searches = [_noted(one.activity, notices.get(one.activity.id)) for one in found]
    return RetrieveReply(
        text=text_of(kept),
        references=tuple(_reference(number, entry) for number, entry in enumerate(kept)),
        activity=tuple(_activity(request, planning, searches, any(one.ranked for one in found))),
    )


def _activity(
    request: RetrieveRequest, planning: PlanningActivity | None, searches: Sequence[SearchActivity], ranked: bool
) -> Sequence[Activity]:
    done: list[Activity] = [*([planning] if planning is not None else []), *searches]
    # Each contract closes with a record of its own: what the ranker or the reasoning took, which only the service knows.
    if request.shape == "knowledge_base":
        return [*done, ReasoningActivity(id=len(done))]
    return [*done, RankingActivity(id=len(done))] if ranked else done


def _reference(number: int, entry: Entry) -> Reference:
    return Reference(
        id=str(number),
        activity_source=entry.activity,
        index=entry.index,
        doc_key=entry.key,
        title=entry.title,
        source_data=entry.source_data,
        reranker_score=entry.reranker_score,
    )


def _notices(entries: Sequence[Entry], kept: Sequence[Entry], limit: int) -> dict[int, str]:
    left_out = Counter(entry.activity for entry in entries[len(kept) :])
    notices = {activity: LEFT_OUT.format(count, limit) for activity, count in left_out.items()}
    if kept and kept[0] != entries[0]:
        earlier = notices.get(kept[0].activity)
        notices[kept[0].activity] = " ".join(filter(None, (SHORTENED.format(limit), earlier)))
    return notices


def _noted(activity: SearchActivity, notice: str | None) -> SearchActivity:
    return replace(activity, warning=" ".join(filter(None, (activity.warning, notice))) or None)
