"""One search of one index: rights, fields, request, tries, pages, hits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..access import Caller, check_rights
from ..concurrency import LONG_REPLY_BYTES, run_in_thread_if
from ..errors import (
    Forbidden,
    IdentityUnavailable,
    IndexMisconfigured,
    RetrievalError,
    SearchFailed,
    SearchRefused,
    SearchTimeout,
    SemanticUnavailable,
)
from ..filters.policy import check_fields
from ..limits import MAX_SKIP
from ..settings import IndexSettings, RetrievalSettings
from ..telemetry import Signals, SpanHandle
from .azure import PERMISSION_HEADER, ClientPool, IndexService, ServiceReply
from .query import (
    Plan,
    SearchQuery,
    check_named_fields,
    check_syntax,
    fields_to_select,
    plan_search,
    probe_bodies,
    returned_fields,
    without_semantic,
)
from .refusals import ServiceRefusal, configured_field, error_of_refusal, misconfigured
from .responses import Reply, next_request, parse_hits, read_page, semantic_of
from .results import HitPage, Semantic
from .retry import Clock, RetryBudget

_UNRANKED = "ranker_unavailable"
_EMPTY_SET = "empty_filter_set"
_NO_RESULTS = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class _Work:
    """One search on its way: where it goes, what was asked, which fields may be shown, its tries."""

    service: IndexService
    index: IndexSettings
    query: SearchQuery
    headers: Mapping[str, str]
    shown: Sequence[str] | None
    tries: RetryBudget

    async def send(self, body: Mapping[str, Any]) -> ServiceReply:
        """The reply to one request, after as many tries as it takes."""
        return await self.tries.run(lambda: self.service.search(body, self.headers, self.tries.leave))


class Searcher:
    """Searches of the configured service."""

    def __init__(self, settings: RetrievalSettings, connections: ClientPool, signals: Signals, clock: Clock) -> None:
        self._settings = settings
        self._connections = connections
        self._signals = signals
        self._clock = clock
        self._app_refused: dict[str, bool] = {}
        self._ranked_asked: set[str] = set()

    async def search(self, index: IndexSettings, query: SearchQuery, caller: Caller) -> HitPage:
        """The hits of a checked `query`, uncut. Raises a RetrievalError; nothing is sent where a check before it fails."""
        check_rights(index, caller)
        check_syntax(query, index)
        check_named_fields(query, index)
        check_fields(query.filter, index)
        shown = query.select or returned_fields(index)
        plan = plan_search(query, index, () if shown is None else fields_to_select(shown, index))
        if query.filter is not None and query.filter.empty:
            return HitPage(count=0 if query.count else None, reason=_EMPTY_SET, base_kind=plan.base_kind)
        work = _Work(self._connections.index(index.name), index, query, _headers(caller), shown, self._tries())
        with self._signals.span("search", **_told(index, query)) as span:
            return await self._answer(work, plan, span)

    async def post(self, index: IndexSettings, path: str, body: Mapping[str, Any], caller: Caller) -> ServiceReply:
        """A call of another operation of the service that reads `index`, with the rights, tries and time of a search."""
        check_rights(index, caller)
        tries, service = self._tries(), self._connections.index(index.name)
        async with self._limit(tries):
            return await tries.run(lambda: service.post(path, body, _headers(caller), tries.leave))

    async def check_index(self, index: IndexSettings) -> None:
        """Sends real queries of no hits with the configured fields, one try each.

        Raises a RetrievalError that names the setting. The sides of a query that cost are sent until they were taken once.
        """
        for body, ranked in probe_bodies(index, ranked=index.name not in self._ranked_asked):
            await self._probe(index, body)
            if ranked:
                self._ranked_asked.add(index.name)

    async def _probe(self, index: IndexSettings, body: Mapping[str, Any]) -> None:
        tries = self._tries(retries=0)
        service = self._connections.index(index.name)
        async with self._limit(tries):
            reply = await tries.run(lambda: service.search(body, {}, tries.leave))
        self._app_refused[index.name] = reply.status in _NO_RESULTS
        if reply.refused:
            raise self._probe_refusal(reply, index, body)
        Reply().add(reply.status, read_page(reply.body))

    def _probe_refusal(self, reply: ServiceReply, index: IndexSettings, body: Mapping[str, Any]) -> RetrievalError:
        error = self._refusal(reply, index, SearchQuery(text="*"), semantic="semanticConfiguration" in body)
        refusal = ServiceRefusal.read(reply.status, reply.body)
        field = configured_field(refusal, index)
        keys = index.keys_naming(field) if field is not None else _side_keys(refusal, body)
        if isinstance(error, IndexMisconfigured) and keys:
            named = f"the field {field}" if field is not None else "what it names"
            return IndexMisconfigured(f"{', '.join(keys)} of the index {index.name}: the search service refuses {named}.")
        return error

    def _tries(self, retries: int | None = None) -> RetryBudget:
        settings = self._settings
        most = settings.max_retry_attempts if retries is None else retries
        return RetryBudget(most, settings.timeout_seconds, self._clock, self._clock.now())

    @asynccontextmanager
    async def _limit(self, tries: RetryBudget) -> AsyncIterator[None]:
        """The total time of a search, waits and tokens included."""
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):
                yield
        except TimeoutError:
            if not tries.sent:
                raise IdentityUnavailable("No token could be had for the app's identity in time.") from None
            raise SearchTimeout("The search service did not answer in time.") from None

    async def _answer(self, work: _Work, plan: Plan, span: SpanHandle) -> HitPage:
        try:
            async with self._limit(work.tries):
                page = await self._ranked(work, plan)
        finally:
            span.set(status=work.tries.status)
            if work.tries.made:
                span.set(retries=work.tries.made)
                self._signals.count("app.search.retries", work.tries.made, index=work.index.name)
        self._tell(page, work.index, span)
        return page

    async def _ranked(self, work: _Work, plan: Plan) -> HitPage:
        try:
            return _page(await self._pages(work, plan), work, plan)
        except SemanticUnavailable:
            if not work.index.semantic_fallback:
                raise
        unranked = without_semantic(plan)
        fallen = Semantic(partial=True, reason=_UNRANKED)
        return _page(await self._pages(work, unranked), work, unranked, fallen)

    async def _pages(self, work: _Work, plan: Plan) -> Reply:
        """Every page of the reply: the service cuts what it finds too large for one."""
        reply = Reply(marks=plan.marks)
        body: Mapping[str, Any] | None = plan.body
        while body is not None:
            answer = await work.send(body)
            work.tries.status = answer.status
            self._note_refusal(work, answer)
            if answer.refused:
                raise self._refusal(answer, work.index, work.query, plan.semantic, token=bool(work.headers))
            page = await run_in_thread_if(len(answer.body) > LONG_REPLY_BYTES, partial(read_page, answer.body))
            more = reply.add(answer.status, page)
            body = next_request(page) if more and len(reply.documents) < work.query.top else None
        return reply

    def _note_refusal(self, work: _Work, reply: ServiceReply) -> None:
        """Remembers how the service takes the app's own identity: by the last query without a caller's token."""
        if not work.headers:
            self._app_refused[work.index.name] = reply.status in _NO_RESULTS

    def _refusal(
        self, reply: ServiceReply, index: IndexSettings, query: SearchQuery, semantic: bool, *, token: bool = False
    ) -> RetrievalError:
        """The error of a reply that no further try would change; the operator's ones are told.

        With a caller's `token` a refusal is the caller's, unless the service refused the app without one too.
        """
        status = reply.status
        if token and not self._app_refused.get(index.name) and _refuses_token(reply):
            message = "The search service refuses the token of x-ms-query-source-authorization; get a new one."
            return Forbidden(message, code="caller_token_refused")
        if status in _NO_RESULTS:
            self._signals.event("search_refused", index=index.name, status=status)
            return SearchRefused("The search service refuses the app's identity.")
        if status not in (400, 404) and not (status == 402 and semantic):
            return SearchFailed("The search service failed.")
        refusal = ServiceRefusal.read(status, reply.body)
        error = misconfigured(index) if status == 404 else error_of_refusal(refusal, query, index, semantic)
        if isinstance(error, IndexMisconfigured):
            field = configured_field(refusal, index)
            if field is not None:
                # For who reads the traceback; callers see the message, which names no field.
                error.add_note(f"The search service refuses the configured field {field}.")
            self._signals.event("index_misconfigured", index=index.name, field=field, error_type=error.code)
        return error

    def _tell(self, page: HitPage, index: IndexSettings, span: SpanHandle) -> None:
        kind = "reranker" if any(hit.reranker_score is not None for hit in page.hits) else page.base_kind
        span.set(hits=len(page.hits), score_kind=kind, total=page.count)
        self._signals.record("app.search.hits", len(page.hits), index=index.name, mode=mode_of(index), score_kind=kind)
        if page.semantic is not None and page.semantic.partial:
            span.set(partial=True, reason=page.semantic.reason)
            self._signals.count("app.search.partial", index=index.name, reason=page.semantic.reason)


def _side_keys(refusal: ServiceRefusal, body: Mapping[str, Any]) -> tuple[str, ...]:
    """The key of the settings behind a refused side of a query that names no field."""
    text = refusal.text.lower()
    sides = {"semanticConfiguration": ("semantic", "SemanticConfiguration"), "vectorQueries": ("vector", "VectorFields")}
    return tuple(key for member, (word, key) in sides.items() if member in body and word in text)


def _refuses_token(reply: ServiceReply) -> bool:
    return reply.status in _NO_RESULTS or (reply.status == 400 and PERMISSION_HEADER.encode() in reply.body.lower())


def _page(reply: Reply, work: _Work, plan: Plan, fallen: Semantic | None = None) -> HitPage:
    query = work.query
    hits = parse_hits(reply, work.shown, work.index.vector_fields, ranked=plan.semantic, marks=plan.marks)
    semantic = fallen or (Semantic(reason=plan.unranked_reason) if plan.unranked_reason else None)
    if plan.semantic:
        hits, semantic = semantic_of(reply, hits)
    end = query.skip + len(hits)
    more = len(hits) >= query.top and end <= MAX_SKIP and (reply.count is None or end < reply.count)
    return HitPage(
        hits=hits,
        base_kind=plan.base_kind,
        count=reply.count,
        facets=reply.facets,
        answers=reply.answers,
        semantic=semantic,
        next_skip=end if more else None,
    )


def mode_of(index: IndexSettings) -> str:
    """How queries of the index are sent: keyword, semantic, hybrid or both."""
    if index.vector_fields:
        return "hybrid_semantic" if index.semantic_configuration else "hybrid"
    return "semantic" if index.semantic_configuration else "keyword"


def _told(index: IndexSettings, query: SearchQuery) -> dict[str, object]:
    return {
        "index": index.name,
        "mode": mode_of(index),
        "syntax": query.syntax,
        "top": query.top,
        "skip": query.skip,
        "query_characters": len(query.text),
        "filtered": query.filter is not None,
        "query": query.text,
        "filter": query.filter.text if query.filter else None,
    }


def _headers(caller: Caller) -> dict[str, str]:
    token = caller.query_source_authorization
    return {PERMISSION_HEADER: token} if token else {}
