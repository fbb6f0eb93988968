"""Retrieval: searches of configured indexes, and numbered evidence from them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.pipeline.transport import AsyncHttpTransport

from .access import NOBODY, Caller, check_rights
from .concurrency import LONG_EVIDENCE_CHARACTERS, run_in_thread_if
from .errors import CallerError, InvalidRequest, NotConfigured, Problem, TooLarge, UnknownName
from .evidence.evidence import Evidence, Found, build_evidence, candidate
from .evidence.sources import Source
from .filters.filter import ODataFilter, require_filter
from .filters.policy import check_fields
from .limits import MAX_SEARCHES, MAX_TOP
from .search.azure import ClientPool, ServiceReply
from .search.query import SearchMode, SearchQuery, Syntax, fields_to_select, visible_content
from .search.results import Hit, HitPage
from .search.retry import SYSTEM_CLOCK, Clock
from .search.searcher import Searcher
from .settings import IndexSettings, RetrievalSettings
from .telemetry import QUIET, Signals

DEFAULT_SIZE = 10
_EVERY_FIELD = "*"
"""Text of hits above which the evidence is written in a thread: it takes more than about 20 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSearch:
    """One of the searches that evidence is made of; `size` is how many hits it asks for."""

    index: str
    query: str
    filter: ODataFilter | None = None
    size: int = DEFAULT_SIZE


class Retrieval:
    """Searches of one Azure AI Search service.

    A credential given in code beats the `authentication` of the settings, which beats the app's identity. Clients are made
    on first use, in the running loop, one per index. `transport` is an azure-core transport, `signals` the telemetry.
    """

    def __init__(
        self,
        settings: RetrievalSettings,
        credential: AsyncTokenCredential | None = None,
        *,
        transport: AsyncHttpTransport[Any, Any] | None = None,
        signals: Signals = QUIET,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._settings = settings
        self._signals = signals
        self._indexes = {index.name: index for index in settings.indexes}
        self._connections = ClientPool(settings, credential, transport, clock)
        self._searcher = Searcher(settings, self._connections, signals, clock)

    @property
    def settings(self) -> RetrievalSettings:
        """The settings it was made with."""
        return self._settings

    @property
    def signals(self) -> Signals:
        """Where it tells what it does."""
        return self._signals

    def index(self, name: str) -> IndexSettings:
        """The settings of an index. Raises UnknownName, and NotConfigured where they are wrong; names are case-sensitive."""
        index = self._indexes.get(name)
        if index is None:
            message = "No index of this name is configured."
            raise UnknownName(message, problems=(Problem("$.index", UnknownName.code, message),))
        if not index.usable:
            raise NotConfigured(f"The settings of the index {name} are wrong; readiness names them.")
        return index

    async def search(
        self,
        index: str,
        query: str,
        *,
        filter: ODataFilter | None = None,  # noqa: A002 - the word of the contract
        top: int = 10,
        skip: int = 0,
        select: Sequence[str] | None = None,
        order_by: Sequence[str] | None = None,
        facets: Sequence[str] | None = None,
        highlight: Sequence[str] | None = None,
        count: bool = False,
        syntax: Syntax = "plain",
        search_mode: SearchMode | None = None,
        caller: Caller | None = None,
    ) -> HitPage:
        """The hits of one index in the service's order, uncut by relevance. Raises a RetrievalError.

        `top` is 1 to 1,000, `skip` 0 to 100,000; `select`, `order_by`, `facets` and `highlight` are lists of entries in the
        service's syntax. An empty list of values in `filter` gives no hits and `reason` `empty_filter_set`.
        """
        captions = index in self._indexes and self._indexes[index].return_fields is None
        asked = SearchQuery(
            text=query,
            filter=require_filter(filter),
            top=top,
            skip=skip,
            select=tuple(select) if select and list(select) != [_EVERY_FIELD] else None,
            order_by=tuple(order_by or ()),
            facets=tuple(facets or ()),
            highlight=tuple(highlight or ()),
            count=count,
            syntax=syntax,
            search_mode=search_mode,
            captions=captions,
            session=True,
        )
        asked.check()
        settings = self.index(index)
        return await self._searcher.search(settings, asked, caller or NOBODY)

    async def evidence(
        self,
        index: str,
        query: str,
        *,
        size: int = DEFAULT_SIZE,
        filter: ODataFilter | None = None,  # noqa: A002
        max_characters: int | None = None,
        caller: Caller | None = None,
    ) -> Evidence:
        """Numbered evidence from one index, at most `max_characters` code points of text. Raises a RetrievalError."""
        search = EvidenceSearch(index=index, query=query, filter=require_filter(filter), size=size)
        try:
            return await self.evidence_of([search], max_characters=max_characters, caller=caller)
        except CallerError as error:
            error.problems = tuple(_outside(problem) for problem in error.problems)
            raise

    async def evidence_of(
        self,
        searches: Sequence[EvidenceSearch],
        *,
        max_characters: int | None = None,
        caller: Caller | None = None,
    ) -> Evidence:
        """Numbered evidence from 1 to 10 searches, run side by side and numbered through. Raises a RetrievalError.

        Nothing is sent unless all may be. When one search fails the others are stopped, and its error is raised.
        """
        limit = self._settings.max_evidence_characters if max_characters is None else max_characters
        _check(searches, limit)
        self._check_each(searches, caller or NOBODY)
        with self._signals.span("evidence", searches=len(searches)) as span:
            found = await self._side_by_side(searches, caller or NOBODY)
            evidence = await self._made(found, limit)
            reasons = [omission.reason for omission in evidence.omitted]
            span.set(
                hits=sum(len(search.page.hits) for search in found),
                kept=len(evidence.sources),
                characters=len(evidence.text),
                truncated=any(source.truncated for source in evidence.sources),
                evidence=evidence.text,
                **{f"omitted_{reason}": reasons.count(reason) for reason in ("relevance", "size", "duplicate", "empty")},
            )
            self._tell(evidence)
        return evidence

    async def hits_for_evidence(
        self, search: EvidenceSearch, caller: Caller | None = None, *, also: Sequence[str] = ()
    ) -> Found:
        """The hits of one search with the fields that evidence shows and `also` others, not yet cut."""
        query = _query(search)
        query.check()
        index = self.index(search.index)
        # ReturnFields bound what a caller of a search sees; evidence shows the content fields.
        content = fields_to_select(dict.fromkeys((*index.content_fields, *also)), index) if index.content_fields else None
        shown = replace(index, return_fields=content)
        return Found(index=index, page=await self._searcher.search(shown, query, caller or NOBODY))

    def _check_each(self, searches: Sequence[EvidenceSearch], caller: Caller) -> None:
        """What is asked, then the rights, then the filters, each of all searches, before the search of one begins."""

        def ask(search: EvidenceSearch) -> None:
            _query(search).check()
            self.index(search.index)

        _each(searches, ask)
        _each(searches, lambda search: check_rights(self.index(search.index), caller))
        _each(searches, lambda search: check_fields(search.filter, self.index(search.index)))

    async def _side_by_side(self, searches: Sequence[EvidenceSearch], caller: Caller) -> list[Found]:
        if len(searches) == 1:
            return [await self._numbered(0, searches[0], caller)]
        tasks = []
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._numbered(place, search, caller)) for place, search in enumerate(searches)]
        except ExceptionGroup as failed:
            # The first to fail stopped the others; theirs are echoes of it.
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _numbered(self, place: int, search: EvidenceSearch, caller: Caller) -> Found:
        try:
            return await self.hits_for_evidence(search, caller)
        except InvalidRequest as error:
            error.problems = tuple(_inside(problem, place) for problem in error.problems)
            raise

    async def _made(self, found: Sequence[Found], limit: int) -> Evidence:
        relevance = self._settings.minimum_relevance
        length = sum(len(value) for search in found for hit in search.page.hits for value in _texts(hit))
        return await run_in_thread_if(length > LONG_EVIDENCE_CHARACTERS, lambda: build_evidence(found, relevance, limit))

    def _tell(self, evidence: Evidence) -> None:
        self._signals.record("app.evidence.characters", len(evidence.text))
        for reason, times in Counter(omission.reason for omission in evidence.omitted).items():
            self._signals.count("app.evidence.omitted", times, omission=reason)

    async def post(self, index: str, path: str, body: Mapping[str, Any], caller: Caller | None = None) -> ServiceReply:
        """A call of another operation of the service that reads `index`. Raises a RetrievalError; a refusal is a reply."""
        return await self._searcher.post(self.index(index), path, body, caller or NOBODY)

    def source(self, index: str | IndexSettings, hit: Hit, number: int) -> Source:
        """The source of a hit of a search; its name and link come from fields that the caller may see."""
        settings = self.index(index) if isinstance(index, str) else index
        visible = replace(settings, content_fields=visible_content(settings) or settings.return_fields or ())
        return candidate(hit, visible, "reranker" if hit.reranker_score is not None else "keyword").source(number)

    async def check_index(self, index: str) -> None:
        """Asks an index a real query of no hits with its configured fields: what readiness asks, with one try.

        The ranked and the vector side, which cost, are asked once. Raises a RetrievalError whose message names the setting.
        """
        await self._searcher.check_index(self.index(index))

    async def close(self) -> None:
        """Close what was opened. The next call opens anew."""
        await self._connections.close()


def _check(searches: Sequence[EvidenceSearch], limit: int) -> None:
    if not 1 <= len(searches) <= MAX_SEARCHES:
        problem = Problem("$.searches", "out_of_range", f"Evidence is made of 1 to {MAX_SEARCHES} searches.")
    elif limit < 0:
        problem = Problem("$.maxCharacters", "out_of_range", "Must be 0 or more.")
    elif all(1 <= search.size <= MAX_TOP for search in searches) and sum(search.size for search in searches) > MAX_TOP:
        problem = Problem("$.searches", "out_of_range", f"The sizes of all searches must sum to at most {MAX_TOP:,}.")
    else:
        return
    raise InvalidRequest(problem.message, problems=(problem,))


def _query(search: EvidenceSearch) -> SearchQuery:
    return SearchQuery(text=search.query, filter=require_filter(search.filter), top=search.size)


def _each(searches: Sequence[EvidenceSearch], check: Callable[[EvidenceSearch], None]) -> None:
    """Raises what `check` finds wrong: one error with the places of all; what is malformed goes before what is too long."""
    errors: list[CallerError] = []
    for place, search in enumerate(searches):
        try:
            check(search)
        except CallerError as error:
            error.problems = tuple(_inside(problem, place) for problem in error.problems)
            errors.append(error)
    if errors:
        worst = min(errors, key=lambda error: isinstance(error, TooLarge))
        worst.problems = tuple(problem for error in errors for problem in error.problems)
        raise worst


def _inside(problem: Problem, place: int) -> Problem:
    path = "$.size" if problem.path == "$.top" else problem.path
    return replace(problem, path=f"$.searches[{place}]{path[1:]}")


def _outside(problem: Problem) -> Problem:
    return replace(problem, path=problem.path.replace("$.searches[0]", "$", 1))


def _texts(hit: Hit) -> list[str]:
    return [value for value in (hit.declared or hit.fields).values() if isinstance(value, str)]
