"""Where our provider decides otherwise than the original, and what comes out of it instead of being a failed search."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable

import pytest

from shared.retrieval import Forbidden, InvalidRequest, NotConfigured
from shared.retrieval.context import ChatMessage, ContextOptions, SearchTime, TextSearchProvider, TextSearchResult
from shared.retrieval.context.models import mark_from_json
from shared.retrieval.context.provider import TRACE
from tests.context.golden import Records, Redactor

FERRY = TextSearchResult(text="At 06:40.", source_name="Ferries", source_link="https://harbour.example")


class Script:
    """A search that gives `results` or raises `error`, and remembers what it was asked."""

    def __init__(self, *results: TextSearchResult, error: BaseException | None = None) -> None:
        self.results = results
        self.error = error
        self.queries: list[str] = []

    async def __call__(self, query: str) -> Iterable[TextSearchResult]:
        self.queries.append(query)
        if self.error is not None:
            raise self.error
        return list(self.results)


def user(text: str) -> ChatMessage:
    return ChatMessage.of("user", text)


@pytest.mark.parametrize("text", ["", "  ", "\u2003\n"])
async def test_an_empty_search_text_is_not_searched(text: str) -> None:
    search = Script(FERRY)
    result = await TextSearchProvider(search).invoking([user(text)])
    assert (result.status, result.added, search.queries) == ("no_results", (), [])


async def test_sources_are_numbered_and_named() -> None:
    search = Script(FERRY, TextSearchResult(text="A lighthouse\nat the pier"), TextSearchResult())
    result = await TextSearchProvider(search).invoking([user("ferry?")])
    assert result.status == "found"
    assert [(s.number, s.name, s.link) for s in result.sources] == [
        (1, "Ferries", "https://harbour.example"),
        (2, "A lighthouse at the pier", None),
        (3, "Source 3", None),
    ]


@pytest.mark.parametrize("error", [RuntimeError("away: ferry?"), TimeoutError(), asyncio.CancelledError()])
async def test_a_failed_search_never_fails_the_turn(error: BaseException) -> None:
    records = Records()
    logger = logging.Logger("test", TRACE)
    logger.addHandler(records)
    result = await TextSearchProvider(Script(error=error), logger=logger).invoking([user("ferry?")], {})
    assert (result.status, result.added) == ("search_failed", ())
    assert [record.getMessage() for record in records.kept] == ["TextSearchProvider: Failed to search for data due to error"]
    assert records.kept[0].__dict__["error.type"] == type(error).__name__
    assert records.kept[0].exc_info is None


@pytest.mark.parametrize("error", [Forbidden("no"), NotConfigured("no")])
async def test_a_missing_right_and_a_missing_setting_are_no_failed_search(error: Exception) -> None:
    provider = TextSearchProvider(Script(error=error))
    with pytest.raises(type(error), match="no"):
        await provider.invoking([user("ferry?")])
    with pytest.raises(type(error), match="no"):
        await provider.run_tool({"userQuestion": "ferry?"})


async def test_the_callers_cancellation_comes_out() -> None:
    begun = asyncio.Event()

    async def slow(query: str) -> Iterable[TextSearchResult]:
        begun.set()
        await asyncio.sleep(60)
        return []

    task = asyncio.create_task(TextSearchProvider(slow).invoking([user("ferry?")]))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    "attribution",
    [
        {"sourceType": {"value": "AIContextProvider"}, "sourceId": "Microsoft.Agents.AI.TextSearchProvider"},
        {"SourceType": "AIContextProvider", "SourceId": "TextSearchProvider"},
    ],
)
async def test_an_injected_message_stays_marked_through_json_whatever_the_filters(attribution: dict[str, object]) -> None:
    properties = json.loads(json.dumps({"_attribution": attribution}))
    injected = ChatMessage(role="user", contents=user("evidence").contents, properties=properties)
    everything = ContextOptions(
        recent_message_memory_limit=5,
        search_input_message_filter=lambda messages: messages,
        storage_input_request_message_filter=lambda messages: messages,
        storage_input_response_message_filter=lambda messages: messages,
    )
    search = Script(FERRY)
    provider = TextSearchProvider(search, everything)
    turn = await provider.invoking([injected, user("ferry?")], {})
    state = await provider.invoked(turn.messages or (), [injected], turn.state)
    assert search.queries == ["ferry?"]
    assert state == {"TextSearchProvider": {"recentMessagesText": ["ferry?"]}}


@pytest.mark.parametrize("value", [None, 5, {}, {"sourceType": 5}, {"sourceType": {"name": "x"}}])
def test_what_is_no_mark_is_none(value: object) -> None:
    assert mark_from_json(value) is None


async def test_ten_turns_with_the_whole_history_resent_stay_bounded() -> None:
    provider = TextSearchProvider(search := Script(FERRY), ContextOptions(recent_message_memory_limit=3))
    history: list[ChatMessage] = []
    state: object = {}
    for number in range(10):
        history.append(user(f"question {number}"))
        turn = await provider.invoking(history, state)  # type: ignore[arg-type]
        history = [*(turn.messages or ()), ChatMessage.of("assistant", f"answer {number}")]
        state = await provider.invoked(history, [], turn.state)
    assert state == {"TextSearchProvider": {"recentMessagesText": ["question 7", "question 8", "question 9"]}}
    last = search.queries[-1].split("\n")
    assert len(last) == len(set(last)) == 19
    assert "SourceDocName" not in search.queries[-1]


async def test_the_tool_answers_in_words() -> None:
    options = ContextOptions(search_time=SearchTime.ON_DEMAND)
    found = await TextSearchProvider(Script(FERRY), options).run_tool({"userQuestion": "ferry?", "more": 1})
    nothing = await TextSearchProvider(Script(), options).run_tool({"userQuestion": "ferry?"})
    failed = await TextSearchProvider(Script(error=OSError("ferry?")), options).run_tool({"userQuestion": "ferry?"})
    assert (found.status, nothing.status, failed.status) == ("found", "no_results", "search_failed")
    assert "Contents: At 06:40." in found.text
    assert nothing.text.startswith("No information was found for this question.")
    assert failed.text.startswith("The search could not be carried out just now")
    assert "ferry" not in failed.text


@pytest.mark.parametrize("arguments", [{}, {"userQuestion": 12}, {"userQuestion": ["a"]}, {"userquestion": "a"}])
async def test_wrong_arguments_of_the_tool_are_named(arguments: dict[str, object]) -> None:
    search = Script(FERRY)
    with pytest.raises(InvalidRequest, match=r"userQuestion (is required|must be text)\.") as caught:
        await TextSearchProvider(search).run_tool(arguments)
    assert [problem.path for problem in caught.value.problems] == ["$.userQuestion"]
    assert search.queries == []


@pytest.mark.parametrize(
    ("allowed", "wanted", "shown"), [(True, True, "ferry?"), (False, True, "<redacted>"), (True, False, "<redacted>")]
)
async def test_content_is_logged_only_where_the_application_allows_it_too(allowed: bool, wanted: bool, shown: str) -> None:
    records = Records()
    logger = logging.Logger("test", TRACE)
    logger.addHandler(records)
    options = ContextOptions(enable_sensitive_telemetry_data=wanted)
    provider = TextSearchProvider(Script(FERRY), options, logger=logger, sensitive_data_allowed=allowed)
    await provider.invoking([user("ferry?")])
    assert f"Input:{shown}\n" in records.kept[-1].getMessage()


async def test_a_failing_redactor_erases() -> None:
    records = Records()
    logger = logging.Logger("test", TRACE)
    logger.addHandler(records)
    provider = TextSearchProvider(Script(FERRY), ContextOptions(redactor=Redactor("raises")), logger=logger)
    assert (await provider.invoking([user("ferry?")])).status == "found"
    assert records.kept[-1].getMessage() == "TextSearchProvider: Search Results\nInput:<redacted>\nOutput:<redacted>"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ContextOptions(state_key=" "), "state_key must not be blank"),
        (ContextOptions(recent_message_memory_limit=-1), "recent_message_memory_limit must be 0 or more"),
        (ContextOptions(search_time="Later"), "search_time must be one of BeforeAIInvoke, On"),  # type: ignore[arg-type]
    ],
)
def test_wrong_options_are_refused_when_the_provider_is_made(options: ContextOptions, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        TextSearchProvider(Script(), options)


async def test_results_may_be_mappings_and_the_search_time_a_text() -> None:
    async def search(query: str) -> list[dict[str, str]]:
        return [{"text": "At 06:40.", "source_name": "Ferries"}]

    turn = await TextSearchProvider(search).invoking([user("ferry?")])
    assert "SourceDocName: Ferries\nContents: At 06:40.\n" in turn.added[0].text
    options = ContextOptions(search_time="OnDemandFunctionCalling")  # type: ignore[arg-type]
    assert (await TextSearchProvider(search, options).invoking([user("ferry?")])).status == "on_demand"
