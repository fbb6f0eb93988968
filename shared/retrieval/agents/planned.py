"""The planned engine: every sub-query in every index side by side, thresholds, then one list of documents."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..access import Caller
from ..client import EvidenceSearch, Retrieval
from ..concurrency import LONG_EVIDENCE_CHARACTERS, run_in_thread_if
from ..errors import IndexMisconfigured, InvalidQuery, InvalidRequest, Problem
from ..evidence.escaping import escape_markup
from ..evidence.evidence import Found, candidate, document_of
from ..evidence.ranking import deduplicate, interleave, score_kind
from ..evidence.rendering import cut
from ..search.refusals import misconfigured
from ..search.results import Hit, HitPage
from ..search.retry import Clock
from .models import (
    Activity,
    PlanningActivity,
    RankingActivity,
    ReasoningActivity,
    Reference,
    RetrieveReply,
    RetrieveRequest,
    SearchActivity,
)
from .planning import SubQueries
from .targets import ResolvedTarget

# Several ranked lists become one: by rank in turns, each document once, whole entries within the size.


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A hit as it is shown: `activity` is the id of the search that found it, `content` its evidence lines."""

    activity: int
    index: str
    key: str | None
    title: str
    content: str
    source_data: Mapping[str, object] | None = None
    reranker_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a search gave: its record, the hits that stay, as entries in their order, and whether the ranker ranked."""

    activity: SearchActivity
    entries: tuple[Entry, ...]
    ranked: bool


def merged(lists: Sequence[Sequence[Entry]]) -> list[Entry]:
    """The first of each list, then the second of each, …; a document (index and key) only where it comes first."""
    first, _ = deduplicate(interleave(lists), lambda entry: None if entry.key is None else (entry.index, entry.key))
    return first


def text_of(entries: Sequence[Entry]) -> str:
    """The response text: a JSON list of `{ref_id, title, terms, content}`."""
    return _dumped([_shown(number, entry) for number, entry in enumerate(entries)])


def within(entries: Sequence[Entry], most: int) -> list[Entry]:
    """The entries, from the first, that stand whole in a response text of at most `most` characters.

    The first always stays; its content is cut where it alone is longer.
    """
    size = len("[]") - len(",")
    for number, entry in enumerate(entries):
        size += len(_dumped(_shown(number, entry))) + len(",")
        if size > most:
            return list(entries[:number]) or [_cut(entry, most)]
    return list(entries)


def _cut(entry: Entry, most: int) -> Entry:
    """The longest start of the content whose JSON fits; escapes make a character longer, so it is searched for."""
    least, longest = 0, len(entry.content)
    while least < longest:
        middle = (least + longest + 1) // 2
        fits = len(text_of([replace(entry, content=entry.content[:middle])])) <= most
        least, longest = (middle, longest) if fits else (least, middle - 1)
    return replace(entry, content=cut(entry.content, least).rstrip())


def _shown(number: int, entry: Entry) -> dict[str, object]:
    return {"ref_id": number, "title": escape_markup(entry.title), "terms": "", "content": entry.content}


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# A reply put together: merged entries within the size, their references, and the record of what was done.

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


ALL_FILTERED = "All retrieved documents were filtered because they did not meet the reranker score threshold."
NOT_APPLIED = "The reranker threshold was not applied: the hits have no reranker scores."
PARTIAL = "The semantic ranking is partial; the hits are in the order of the search."
EMPTY_SET = "The filter holds an empty list, which nothing matches; the search was not sent."
WITHOUT_TEXT = "Documents left out for want of text: {}."


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSearch:
    """One sub-query in one index."""

    query: str
    target: ResolvedTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The engine for one call."""

    retrieval: Retrieval
    request: RetrieveRequest
    caller: Caller
    clock: Clock

    async def reply(self, targets: Sequence[ResolvedTarget], queries: SubQueries) -> RetrieveReply:
        """The reply from own searches. Raises the error of the first search that fails; the others are stopped."""
        first = 0 if queries.activity is None else 1
        searches = [PlannedSearch(query=query, target=target) for query in queries.queries for target in targets]
        tasks = []
        try:
            async with asyncio.TaskGroup() as group:
                for number, search in enumerate(searches, start=first):
                    tasks.append(group.create_task(self._searched(search, number)))
        except ExceptionGroup as failed:
            # The first to fail stopped the others; theirs are echoes of it.
            raise failed.exceptions[0] from None
        found = [task.result() for task in tasks]
        return assembled(self.request, queries.activity, found, self.retrieval.settings.max_evidence_characters)

    async def _searched(self, search: PlannedSearch, number: int) -> Searched:
        target = search.target
        moment, begun = self.clock.date(), self.clock.now()
        found = await self._found(search)
        sent = found.page.reason is None
        activity = SearchActivity(
            id=number,
            index=target.index.name,
            search=search.query,
            filter=target.own_filter,
            query_time=moment if sent else None,
            elapsed_ms=round((self.clock.now() - begun) * 1000) if sent else None,
            source_data_fields=target.shown_fields,
            semantic_configuration=target.index.semantic_configuration,
        )
        long = _characters(found) > LONG_EVIDENCE_CHARACTERS
        return await run_in_thread_if(long, lambda: _made(found, activity, target))

    async def _found(self, search: PlannedSearch) -> Found:
        target = search.target
        also = target.index.return_fields or () if target.include_source_data else ()
        asked = EvidenceSearch(index=target.index.name, query=search.query, filter=target.filter, size=target.max_documents)
        try:
            return await self.retrieval.hits_for_evidence(asked, self.caller, also=also)
        except InvalidQuery as error:
            if await self._refuses_agents_filter(search, error):
                self.retrieval.signals.event(
                    "index_misconfigured", index=target.index.name, error_type=IndexMisconfigured.code
                )
                raise misconfigured(target.index) from error
            error.problems = tuple(_at_request(problem, self.request, target) for problem in error.problems)
            raise
        except InvalidRequest as error:
            error.problems = tuple(_at_request(problem, self.request, target) for problem in error.problems)
            raise

    async def _refuses_agents_filter(self, search: PlannedSearch, error: InvalidQuery) -> bool:
        """Whether it is the agent's own filter that the index refuses; beside one of the caller it is asked for alone."""
        target = search.target
        if target.agent_filter is None or any(problem.path != "$.filter" for problem in error.problems):
            return False
        if target.own_filter is None:
            return True
        alone = EvidenceSearch(index=target.index.name, query=search.query, filter=target.agent_filter, size=1)
        try:
            await self.retrieval.hits_for_evidence(alone, self.caller)
        except InvalidQuery:
            return True
        return False


def _characters(found: Found) -> int:
    texts = (value for hit in found.page.hits for value in document_of(hit).values() if isinstance(value, str))
    return sum(len(text) for text in texts)


def _made(found: Found, activity: SearchActivity, target: ResolvedTarget) -> Searched:
    hits, warnings = over_threshold(found.page, target.reranker_threshold)
    kind = score_kind(found.page)
    entries: list[Entry] = []
    empty = 0
    for hit in hits:
        shown = candidate(hit, found.index, kind)
        if not shown.body:
            empty += 1
            continue
        data = target.shown(shown.document) if target.include_source_data else None
        entries.append(
            Entry(
                activity=activity.id,
                index=target.index.name,
                key=shown.key,
                title=shown.source(len(entries) + 1).name,
                content=shown.body,
                source_data=data,
                reranker_score=hit.reranker_score,
            )
        )
    warnings += [WITHOUT_TEXT.format(empty)] if empty else []
    noted = replace(activity, count=len(hits), warning=" ".join(warnings) or None)
    return Searched(activity=noted, entries=tuple(entries), ranked=kind == "reranker")


def over_threshold(page: HitPage, threshold: float | None) -> tuple[tuple[Hit, ...], list[str]]:
    """The hits that stay and what is to be said about it. Without reranker scores a threshold drops nothing."""
    warnings = [EMPTY_SET] if page.reason else []
    if page.semantic is not None and page.semantic.partial:
        warnings.append(PARTIAL)
    if threshold is None or not page.hits:
        return page.hits, warnings
    if all(hit.reranker_score is None for hit in page.hits):
        return page.hits, [*warnings, NOT_APPLIED]
    kept = tuple(hit for hit in page.hits if hit.reranker_score is not None and hit.reranker_score >= threshold)
    return kept, warnings if kept else [*warnings, ALL_FILTERED]


def _at_request(problem: Problem, request: RetrieveRequest, target: ResolvedTarget) -> Problem:
    """The problem of a search at the member of the request that it comes from."""
    if problem.path.startswith("$.filter"):
        return replace(problem, path=target.filter_path)
    return replace(problem, path="$.messages" if request.shape == "agent" else "$.intents")
