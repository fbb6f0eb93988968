"""The model writer against an OpenAI-compatible server of our own: good answers and every kind of bad ones."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from azure.core.credentials import AccessToken

from shared.answers import (
    ContentFiltered,
    DailyLimit,
    Draft,
    ModelFailed,
    ModelIncomplete,
    ModelPromptTooLong,
    ModelRefused,
    ModelSettings,
    ModelThrottled,
    ModelTimeout,
    ModelWriter,
    Rejected,
    Task,
    Usage,
    Writer,
)
from shared.answers.model import FOUNDRY_SCOPE, SCOPE, base_url, provider
from shared.briefing import DailyTokens, StorageUnavailable
from shared.retrieval import IdentityUnavailable, RetrievalError
from tests.briefing.doubles import Faults, FaultyBlobs, Step, evidence_from
from tests.briefing.memory_storage import MemoryBlobs
from tests.briefing.workbench import Workbench
from tests.support.model_server import ModelServer, Reply

EVIDENCE = evidence_from([{"name": "A School", "number_on_roll": 271}])
GOOD = "271 pupils [Evidence 1]."


def _task(**changes: Any) -> Task:
    return Task(**{"prompt": "How many pupils?", "evidence": EVIDENCE, **changes})


def _writer(server: ModelServer, tokens: DailyTokens | None = None, **changes: Any) -> ModelWriter:
    settings = ModelSettings(**{"endpoint": server.url, "deployment": "gpt", "timeout_seconds": 30.0, **changes})
    return ModelWriter(settings, tokens=tokens)


async def _written(server: ModelServer, task: Task | None = None, **changes: Any) -> Draft:
    writer = _writer(server, **changes)
    try:
        return await writer.write(task or _task())
    finally:
        await writer.close()


async def test_the_model_is_sent_fenced_evidence_and_a_capped_prompt() -> None:
    async with ModelServer(GOOD) as server:
        draft = await _written(server, max_output_tokens=123)
        await _written(server)
    assert draft == Draft(GOOD, Usage(11, 7))
    sent = server.requests[0]
    assert (sent["model"], sent["max_completion_tokens"]) == ("gpt", 123)
    fenced, prompt = (message["content"] for message in sent["messages"])
    assert EVIDENCE.text in fenced
    assert "data" in fenced
    assert (
        prompt == "How many pupils?\n\n"
        'If the data do not tell what is asked, answer with this sentence alone: "The evidence does not tell."\n'
        "Cite the evidence each point relies on as plain text [Evidence n], never as a link."
    )
    assert {message["role"] for message in sent["messages"]} == {"user"}
    assert fenced != server.requests[1]["messages"][0]["content"], "each fence is another one"


async def test_without_required_citations_none_is_asked_for() -> None:
    async with ModelServer(GOOD) as server:
        await _written(server, _task(required=False))
    assert "Cite" not in server.requests[0]["messages"][1]["content"]


async def test_a_second_try_is_told_what_was_wrong() -> None:
    async with ModelServer(GOOD) as server:
        await _written(server, _task(rejected=Rejected("First.", "Cite.")))
    assert server.requests[0]["messages"][2:] == [
        {"role": "assistant", "content": "First."},
        {"role": "user", "content": "Cite."},
    ]


async def test_a_synthesis_is_told_to_keep_markers() -> None:
    async with ModelServer(GOOD) as server:
        await _written(server, _task(material="## Facts\n271 [Evidence 1]"))
    fenced, prompt = (message["content"] for message in server.requests[0]["messages"])
    assert "271 [Evidence 1]" in fenced
    assert "Keep the markers [Evidence n]" in prompt


def _content(content: str) -> str:
    """A reply whose content is this JSON."""
    message = f'{{"role":"assistant","content":{content}}}'
    return f'{{"id":"c","choices":[{{"index":0,"finish_reason":"stop","message":{message}}}]}}'


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('[{"type": "text", "text": "Half "}, {"type": "text", "text": "and half."}]', "Half and half."),
        (r'"half \ud83d [Evidence 1]"', "half \ufffd [Evidence 1]"),
    ],
)
async def test_odd_contents_are_read(content: str, text: str) -> None:
    async with ModelServer(Reply(raw=_content(content))) as server:
        assert (await _written(server)).text == text


@pytest.mark.parametrize("usage", ['"many"', '{"prompt_tokens": "x", "completion_tokens": 1}', '{"prompt_tokens": -1}', "5"])
async def test_usage_that_is_no_count_is_not_recorded(usage: str) -> None:
    raw = _content('"Good [Evidence 1]."')[:-1] + f', "usage": {usage}}}'
    async with ModelServer(Reply(raw=raw)) as server:
        assert (await _written(server)).usage is None


async def test_a_redirect_is_not_followed() -> None:
    async with ModelServer(GOOD) as other:
        moved = Reply(status=307, raw="", headers={"Location": f"{other.url}/openai/v1/chat/completions"})
        async with ModelServer(moved) as server:
            with pytest.raises(ModelRefused, match="redirects") as raised:
                await _written(server)
        assert (other.requests, raised.value.status) == ([], 307)


async def test_a_key_is_sent_where_one_is_set() -> None:
    async with ModelServer(GOOD) as server:
        await _written(server, api_key="k3y")
    assert server.keys == ["Bearer k3y"]


@pytest.mark.parametrize(
    ("endpoint", "scope", "asked"),
    [
        ("https://model.example.org", None, []),
        ("https://openai.azure.com.example.org", None, []),
        ("https://model.example.org", "api://model/.default", ["api://model/.default"]),
    ],
)
async def test_the_token_goes_to_no_other_host(endpoint: str, scope: str | None, asked: list[str]) -> None:
    credential = Tokens(RuntimeError("none"))
    settings = ModelSettings(endpoint=endpoint, deployment="gpt", scope=scope, timeout_seconds=0.5)
    writer = ModelWriter(settings, credential)
    with pytest.raises(RetrievalError):
        await writer.write(_task())
    await writer.close()
    assert credential.scopes == asked


FAULTS = [
    pytest.param(Reply.error(429, retry_after="20"), ModelThrottled, 20.0, id="429 with seconds"),
    pytest.param(Reply.error(429, retry_after_ms="1500"), ModelThrottled, 1.5, id="429 with milliseconds"),
    pytest.param(Reply.error(429), ModelThrottled, 10.0, id="429 without a wait"),
    pytest.param(Reply.error(429, "insufficient_quota", retry_after="x"), ModelThrottled, 10.0, id="429 unreadable wait"),
    pytest.param(Reply.error(408), ModelTimeout, None, id="408"),
    pytest.param(Reply.error(500), ModelFailed, None, id="500"),
    pytest.param(Reply.error(503, retry_after="3"), ModelFailed, 3.0, id="503"),
    pytest.param(Reply.error(400), ModelRefused, None, id="400"),
    pytest.param(Reply.error(401), ModelRefused, None, id="401"),
    pytest.param(Reply.error(403), ModelRefused, None, id="403"),
    pytest.param(Reply.error(404, "DeploymentNotFound"), ModelRefused, None, id="404"),
    pytest.param(Reply.error(422), ModelRefused, None, id="422"),
    pytest.param(Reply.error(400, "content_filter"), ContentFiltered, None, id="filtered prompt"),
    pytest.param(
        Reply(status=400, raw='{"error":{"code":null,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}'),
        ContentFiltered,
        None,
        id="filtered prompt, inner code",
    ),
    pytest.param(Reply(text="Go", finish="content_filter"), ContentFiltered, None, id="filtered answer"),
    pytest.param(Reply(text=None, refusal="I cannot"), ContentFiltered, None, id="refusal"),
    pytest.param(Reply(text="Cut of", finish="length"), ModelIncomplete, None, id="cut"),
    pytest.param(Reply(text=""), ModelIncomplete, None, id="empty"),
    pytest.param(Reply(text=" \n"), ModelIncomplete, None, id="blank"),
    pytest.param(Reply(text=None), ModelIncomplete, None, id="null"),
    pytest.param(Reply(raw='{"id":"c","choices":[]}'), ModelIncomplete, None, id="no choice"),
    pytest.param(Reply(raw='{"id":'), ModelFailed, None, id="broken JSON"),
    pytest.param(Reply(raw="[]"), ModelFailed, None, id="a list"),
    pytest.param(Reply(raw='{"choices":[{}]}'), ModelFailed, None, id="a choice without a message"),
    pytest.param(Reply(text=GOOD, delay=1.0), ModelTimeout, None, id="slow"),
    pytest.param(Reply.error(429, retry_after="86400"), ModelThrottled, 86_400.0, id="429 for a day"),
    pytest.param(Reply.error(400, "context_length_exceeded"), ModelPromptTooLong, None, id="over the window"),
    pytest.param(
        Reply(
            status=429,
            raw='{"error":{"message":"Request too large on tokens per min","code":"rate_limit_exceeded"}}',
        ),
        ModelPromptTooLong,
        None,
        id="request too large",
    ),
    pytest.param(Reply(status=307, raw="", headers={"Location": "https://elsewhere.example"}), ModelRefused, None, id="307"),
    pytest.param(Reply(text="x" * 600_000), ModelIncomplete, None, id="over-long"),
    pytest.param(Reply(raw=_content("5")), ModelFailed, None, id="a number as content"),
    pytest.param(Reply(raw=_content('{"a": 1}')), ModelFailed, None, id="an object as content"),
    pytest.param(Reply(raw=_content('[{"type": "text", "text": 5}]')), ModelFailed, None, id="a part without text"),
    pytest.param(Reply(raw=_content("[" * 5_000 + "]" * 5_000)), ModelFailed, None, id="deep nesting"),
]


@pytest.mark.parametrize(("reply", "error", "wait"), FAULTS)
async def test_each_fault_has_an_error_of_its_own(reply: Reply, error: type[RetrievalError], wait: float | None) -> None:
    async with ModelServer(reply) as server:
        with pytest.raises(error, match=r"\w") as raised:
            await _written(server, timeout_seconds=0.3 if reply.delay else 30.0)
        assert len(server.requests) == 1, "who waits and tries again is decided above"
    assert raised.value.retry_after == wait
    assert "CANARY" not in raised.value.message
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


async def test_a_date_to_wait_for_is_read() -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    async with ModelServer(Reply.error(429, retry_after=moment)) as server:
        with pytest.raises(ModelThrottled, match="asks to wait") as raised:
            await _written(server)
    assert raised.value.retry_after is not None
    assert 25 <= raised.value.retry_after <= 30


async def test_an_endpoint_that_is_not_there_has_failed() -> None:
    writer = ModelWriter(ModelSettings(endpoint="http://127.0.0.1:9", deployment="gpt", timeout_seconds=30.0))
    with pytest.raises(ModelFailed, match="cannot be reached"):
        await writer.write(_task())
    await writer.close()


async def _streamed(server: ModelServer, **changes: Any) -> list[Draft]:
    writer = _writer(server, **changes)
    try:
        return [draft async for draft in writer.stream(_task())]
    finally:
        await writer.close()


async def test_a_stream_gives_the_pieces_and_at_the_end_the_usage() -> None:
    async with ModelServer(GOOD) as server:
        drafts = await _streamed(server)
    assert len(drafts) > 3
    assert "".join(draft.text for draft in drafts) == GOOD
    assert drafts[-1] == Draft("", Usage(11, 7))


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply.error(429, retry_after="1"), ModelThrottled),
        (Reply(text="Cut of", finish="length"), ModelIncomplete),
        (Reply(text="", finish="stop"), ModelIncomplete),
        (Reply(text="x", finish="content_filter"), ContentFiltered),
        (Reply(text="", refusal="no"), ContentFiltered),
        (Reply(text=GOOD, breaks_off=True), ModelFailed),
        (Reply(text=GOOD, delay=0.2), ModelTimeout),
    ],
    ids=["429", "cut", "empty", "filter", "refusal", "broken off", "slow"],
)
async def test_a_stream_can_fail_between_its_pieces(reply: Reply, error: type[RetrievalError]) -> None:
    async with ModelServer(reply) as server:
        with pytest.raises(error, match=r"\w"):
            await _streamed(server, timeout_seconds=0.5 if reply.delay else 30.0)


async def test_only_so_many_calls_run_at_once() -> None:
    async with ModelServer(Reply(text=GOOD, delay=0.05)) as server:
        writer = _writer(server, max_concurrency=2)
        await asyncio.gather(*(writer.write(_task()) for _ in range(6)))
        await writer.close()
    assert (server.most_at_once, len(server.requests)) == (2, 6)


class Tokens:
    """A credential that counts and remembers what it was asked for."""

    def __init__(self, error: Exception | None = None) -> None:
        self.scopes: list[str] = []
        self._error = error

    async def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        """A token, or the error."""
        self.scopes += scopes
        if self._error:
            raise self._error
        return AccessToken("t0ken", 9_999_999_999)


async def test_a_loopback_endpoint_is_sent_no_token() -> None:
    credential = Tokens()
    async with ModelServer(GOOD) as server:
        writer = ModelWriter(ModelSettings(endpoint=server.url, deployment="gpt"), credential)
        await writer.write(_task())
        await writer.close()
    assert (server.keys, credential.scopes) == ([None], [])


@pytest.mark.parametrize(
    ("endpoint", "scope"),
    [
        ("https://a.openai.azure.com", SCOPE),
        ("https://a.services.ai.azure.com/openai/v1", FOUNDRY_SCOPE),
    ],
)
async def test_a_token_is_asked_for_the_service_and_its_failure_names_nobody(endpoint: str, scope: str) -> None:
    credential = Tokens(RuntimeError("tenant SECRET"))
    writer = ModelWriter(ModelSettings(endpoint=endpoint, deployment="gpt"), credential)
    with pytest.raises(IdentityUnavailable, match="no token for the model") as raised:
        await writer.write(_task())
    await writer.close()
    assert credential.scopes == [scope]
    assert "SECRET" not in raised.value.message


@pytest.mark.parametrize(
    ("endpoint", "address", "kind"),
    [
        ("https://a.openai.azure.com", "https://a.openai.azure.com/openai/v1", "azure.ai.openai"),
        ("https://a.openai.azure.com/", "https://a.openai.azure.com/openai/v1", "azure.ai.openai"),
        ("https://a.openai.azure.com/openai/v1/", "https://a.openai.azure.com/openai/v1", "azure.ai.openai"),
        ("https://a.services.ai.azure.com/api/x", "https://a.services.ai.azure.com/api/x", "azure.ai.openai"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1", "openai"),
    ],
)
def test_addresses(endpoint: str, address: str, kind: str) -> None:
    assert (base_url(endpoint), provider(endpoint)) == (address, kind)


class At:
    """A clock that stands still."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> float:
        """Seconds, standing still."""
        return 0.0

    def date(self) -> datetime:
        """The moment."""
        return self.moment

    async def pause(self, seconds: float) -> None:
        """No time passes."""


EVENING = datetime(2026, 3, 1, 23, 0, tzinfo=UTC)


async def test_the_days_tokens_are_counted_for_all_processes() -> None:
    blobs = MemoryBlobs()
    async with ModelServer(GOOD) as server:
        for _ in range(2):  # 18 tokens each
            writer = _writer(server, DailyTokens(blobs, 36, At(EVENING)))
            await writer.write(_task())
            await writer.close()
        other = _writer(server, DailyTokens(blobs, 36, At(EVENING)))
        with pytest.raises(DailyLimit, match="tokens are used up") as raised:
            await other.write(_task())
        assert raised.value.retry_after == 3600.0
        assert len(server.requests) == 2
        tomorrow = _writer(server, DailyTokens(blobs, 36, At(EVENING + timedelta(hours=1))))
        assert (await tomorrow.write(_task())).text == GOOD
        await tomorrow.close()


async def test_a_stream_counts_too() -> None:
    blobs = MemoryBlobs()
    async with ModelServer(GOOD) as server:
        writer = _writer(server, DailyTokens(blobs, 1, At(EVENING)))
        async for _ in writer.stream(_task()):
            pass
        with pytest.raises(DailyLimit, match="tokens are used up"):
            async for _ in writer.stream(_task()):
                pass
        await writer.close()


async def test_a_stream_that_its_reader_leaves_counts_what_was_written() -> None:
    blobs = MemoryBlobs()
    async with ModelServer(Reply(text=GOOD * 20, delay=0.01)) as server:
        writer = _writer(server, DailyTokens(blobs, 1, At(EVENING)))
        pieces = writer.stream(_task())
        await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]  # a generator, as every stream here
        with pytest.raises(DailyLimit, match="tokens are used up"):
            await writer.write(_task())
        await writer.close()


async def test_what_a_service_does_not_count_is_estimated_for_the_limit_alone() -> None:
    blobs = MemoryBlobs()
    async with ModelServer(Reply(text=GOOD, usage=None)) as server:
        writer = _writer(server, DailyTokens(blobs, 10, At(EVENING)))
        assert (await writer.write(_task())).usage is None
        with pytest.raises(DailyLimit, match="tokens are used up"):
            await writer.write(_task())
        await writer.close()


async def test_counts_at_once_add_up() -> None:
    tokens = [DailyTokens(blobs, 10**9, At(EVENING)) for blobs in [MemoryBlobs()] for _ in range(5)]
    await asyncio.gather(*(counter.add(3) for counter in tokens for _ in range(4)))
    used, _ = await tokens[0]._read(EVENING)
    assert used == 60


async def test_tokens_that_cannot_be_stored_are_counted_with_the_next() -> None:
    memory = MemoryBlobs()
    down = [True]

    def plan(_number: int, _moment: str, step: Step) -> None:
        if down[0] and step[0] != "read":
            raise StorageUnavailable("down")

    counter = DailyTokens(FaultyBlobs(memory, Faults(plan)), 100, At(EVENING))
    await counter.add(60)
    down[0] = False
    await counter.add(60)
    with pytest.raises(DailyLimit, match="used up"):
        await DailyTokens(memory, 120, At(EVENING)).require()
    await DailyTokens(memory, 121, At(EVENING)).require()


def test_who_writes() -> None:
    assert ModelWriter(ModelSettings(endpoint="https://a", deployment="gpt")).identity == Writer("model", "gpt")


async def test_a_briefing_is_written_by_the_model_with_its_usage() -> None:
    async with ModelServer(Reply.error(429, retry_after_ms="50"), "It is good [Evidence 1].") as server:
        writer = _writer(server)
        bench = Workbench(writer=writer)
        [text] = await bench.submitted("a")
        assert await bench.briefings().handle_message(text.encode(), "m1") == "completed"
        await writer.close()
    view = await bench.view("a")
    assert (view.writer, view.usage, view.attempts) == (Writer("model", "gpt"), Usage(33, 21), 1)
    assert [section.status for section in view.sections] == ["completed"] * 3


async def test_a_briefing_over_the_days_tokens_waits_for_the_next_day() -> None:
    bench = Workbench()
    async with ModelServer(GOOD) as server:
        bench.writer = _writer(server, DailyTokens(bench.memory.blobs, 0, At(EVENING)))
        [text] = await bench.submitted("a")
        assert await bench.briefings().handle_message(text.encode(), "m1", 5, last_delivery=True) == "waiting"
        assert server.requests == []
        assert (await bench.view("a")).reason == "daily_limit"
        assert bench.memory.queue.delays[-1] == 3_600
        bench.writer = _writer(server, DailyTokens(bench.memory.blobs, 1_000, At(EVENING + timedelta(hours=1))))
        outcome = await bench.briefings().handle_message(bench.memory.queue.texts[-1].encode(), "m2", 1)
        assert (outcome, len(server.requests) > 0) == ("failed_checks", True), "written, though not as it should be"
        await bench.writer.close()
