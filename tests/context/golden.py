"""Drives our TextSearchProvider through a measured case and says where it differs from the original."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shared.retrieval.context import (
    ChatMessage,
    ContextOptions,
    ContextResult,
    Mark,
    OtherPart,
    SearchTime,
    TextPart,
    TextSearchProvider,
    TextSearchResult,
    ToolDefinition,
)

Json = Any
ORIGINAL_ID = "Microsoft.Agents.AI.TextSearchProvider"
LEVELS = {"Trace": 5, "Debug": 10, "Information": 20, "Warning": 30, "Error": 40, "Critical": 50, "None": 100}


class TestFailure(Exception):
    """The exception of the measured doubles."""

    __test__ = False


RAISED: dict[str, type[BaseException]] = {
    "InvalidOperationException": RuntimeError,
    "HttpRequestException": OSError,
    "TimeoutException": TimeoutError,
    "OperationCanceledException": asyncio.CancelledError,
    "TaskCanceledException": asyncio.CancelledError,
}


def _lazily(error: Exception) -> Iterator[ChatMessage]:
    raise error
    yield


def _fail(text: str) -> Any:
    raise TestFailure(text)


FILTERS: dict[str, Any] = {
    "all": lambda messages: messages,
    "none": lambda messages: [],
    "user_only": lambda messages: [m for m in messages if m.role == "user"],
    "assistant_only": lambda messages: [m for m in messages if m.role == "assistant"],
    "last_only": lambda messages: messages[-1:],
    "reverse": lambda messages: list(reversed(messages)),
    "history_only": lambda messages: [m for m in messages if m.origin.source == "ChatHistory"],
    "not_injected": lambda messages: [m for m in messages if m.origin.source != "AIContextProvider"],
    "upper": lambda messages: [ChatMessage.of(m.role, m.text.upper()) for m in messages],
    "add_hint": lambda messages: [*messages, ChatMessage.of("user", "added by the filter")],
    "as_assistant": lambda messages: [ChatMessage.of("assistant", m.text) for m in messages],
    "returns_null": lambda messages: None,
    "raises": lambda messages: _fail("filter broke"),
    "raises_late": lambda messages: _lazily(TestFailure("filter broke late")),
}


class Formatter:
    """The measured formatters by name; remembers what it saw."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.saw: list[Json] = []

    def __call__(self, results: list[TextSearchResult]) -> str | None:
        names = [None if r is None else r.source_name for r in results]
        self.saw.append({"count": len(results), "names": names})
        made: str | None = {
            "names": lambda: " | ".join(str(r.source_name) for r in results),
            "count": lambda: f"{len(results)} found",
            "crlf": lambda: "\r\n".join(str(r.text) for r in results),
            "raw": lambda: ",".join(str(r.raw_representation) for r in results),
            "empty": lambda: "",
            "blank": lambda: "   ",
            "null": lambda: None,
            "raises": lambda: _fail("formatter broke"),
            "clears": lambda: f"cleared {len(results)}",
        }[self.name]()  # type: ignore[no-untyped-call]
        if self.name == "clears":
            results.clear()
        return made


class Redactor:
    """The measured redactors by name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def redact(self, text: str, kind: str) -> str:
        assert kind in ("query", "evidence")
        if self.name == "raises":
            raise TestFailure("redactor broke")
        return {"length": f"[hidden {len(text)}]", "erasing": "", "null": text}[self.name]


def options_of(given: Mapping[str, Json] | None) -> ContextOptions | None:
    """The options of a case; the names of its doubles become the doubles."""
    if given is None:
        return None
    made: dict[str, Any] = {}
    for name, value in given.items():
        field = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_").replace("a_i_", "ai_")
        if value is not None and name.endswith("Filter"):
            value = FILTERS[value]
        elif value is not None and name == "ContextFormatter":
            value = Formatter(value)
        elif value is not None and name == "Redactor":
            value = Redactor(value)
        elif name == "SearchTime":
            value = SearchTime(value)
        made[field] = tuple(value) if isinstance(value, list) else value
    return ContextOptions(**made)


def message_of(given: Json) -> ChatMessage:
    """A message of a case."""
    if given is None:
        return None  # type: ignore[return-value]
    parts = given.get("contents")
    if parts is None:
        parts = [] if given.get("text") is None else [{"type": "text", "text": given["text"]}]
    contents = tuple(TextPart(p["text"] or "") if p["type"] == "text" else OtherPart(p["type"], p) for p in parts)
    mark = Mark(given["source"], given.get("source_id")) if "source" in given else None
    properties = dict(given.get("extra_properties", {}))
    if "attribution_json" in given:
        properties["_attribution"] = given["attribution_json"]
    return ChatMessage(
        role=given["role"], contents=contents, mark=mark, author_name=given.get("author_name"), properties=properties
    )


def messages_of(given: Json) -> Any:
    return None if given is None else [message_of(one) for one in given]


class Delegate:
    """The measured search delegate: what the case, the turn or the tool call says it does."""

    def __init__(self) -> None:
        self.calls: list[str | None] = []
        self.script: Mapping[str, Json] = {}

    def __call__(self, query: str) -> Any:
        self.calls.append(query)
        self._raise("call")
        return None if self.script.get("search_returns") == "null_task" else self._search()

    async def _search(self) -> Any:
        self._raise("await")
        returns = self.script.get("search_returns", "")
        task = asyncio.current_task()
        assert task is not None
        if returns == "cancels_then_token_check":
            task.cancel()
        if "token_check" in returns and task.cancelling():
            raise asyncio.CancelledError
        if returns == "null":
            return None
        results = [self._result(one) for one in self.script.get("search_results", [])]
        if self.script.get("search_raises", {}).get("when") == "enumerate" or returns == "lazy":
            return self._lazy(results)
        return results

    def _lazy(self, results: list[TextSearchResult]) -> Iterable[TextSearchResult]:
        yield from results
        self._raise("enumerate")

    def _raise(self, when: str) -> None:
        raises = self.script.get("search_raises")
        if raises and raises["when"] == when:
            raise RAISED[raises["type"]](raises["message"])

    @staticmethod
    def _result(given: Json) -> TextSearchResult:
        if given is None:
            return None  # type: ignore[return-value]
        return TextSearchResult(
            text=given.get("Text"),
            source_name=given.get("SourceName"),
            source_link=given.get("SourceLink"),
            raw_representation=given.get("RawRepresentation"),
        )


class Records(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__(level=0)
        self.kept: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record)

    def taken(self) -> list[Json]:
        taken, self.kept = self.kept, []
        return [
            {"level": record.levelno, "message": record.getMessage(), "exception": record.exc_info is not None}
            for record in taken
        ]


class Run:
    """One case: its providers, its states, and what differs."""

    def __init__(self, case: Json) -> None:
        self.case = case
        self.delegate = Delegate()
        self.records = Records()
        self.states: dict[str, Json] = {}
        self.differences: dict[str, list[Json]] = {}
        """What of ours differs, by aspect: each differing value, in the order of the turns, as JSON shows it."""
        logger = logging.Logger("golden", LEVELS[case.get("log_level", "Trace")])
        logger.addHandler(self.records)
        self.options = {name: options_of(o) for name, o in case.get("providers", {"": case.get("options")}).items()}
        search: Any = None if case.get("null_delegate") else self.delegate
        self.providers = {
            name: TextSearchProvider(search, options, logger=logger, sensitive_data_allowed=True)
            for name, options in self.options.items()
        }

    def compare(self, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            self.differences.setdefault(what, []).append(json.loads(json.dumps(ours)))

    async def all_turns(self) -> dict[str, list[Json]]:
        """Runs the turns; gives what of ours differs, by aspect."""
        for turn in self.case["turns"]:
            await asyncio.create_task(self._turn(turn))
        saw = [
            s
            for o in self.options.values()
            if o and isinstance(o.context_formatter, Formatter)
            for s in o.context_formatter.saw
        ]
        theirs = [{"count": s["count"], "names": s["names"]} for s in self.case.get("formatter_saw", [])]
        self.compare("formatter", saw, theirs)
        return self.differences

    async def _turn(self, turn: Json) -> None:
        session = turn.get("session", "")
        if "state_before" in turn:
            self.states[session] = turn["state_before"]
        if "foreign_value_in_state" in turn:
            self.states[session] = {"TextSearchProvider": turn["foreign_value_in_state"]}
        state = None if session is None else self.states.get(session, {})
        if turn.get("before"):
            state = json.loads(json.dumps(state))
        self.delegate.script = {**self.case, **turn}
        self.delegate.calls = []
        self.records.taken()
        error, state = await self._steps(turn, state)
        await _settled()
        if session is not None:
            self.states[session] = state
        self.compare("search_calls", self.delegate.calls, turn["search_calls"])
        self.compare("state", state, turn["state"])
        self.compare("error", error, (turn.get("error") or {}).get("stage"))
        self._compare_logs(turn)

    async def _steps(self, turn: Json, state: Json) -> tuple[str | None, Json]:
        provider = self.providers[turn.get("provider", "")]
        context = turn.get("context", {})
        task = asyncio.current_task()
        assert task is not None
        if turn.get("token") == "cancelled":
            task.cancel()
        stored: Any = messages_of(turn.get("stored_request"))
        try:
            if "request" in turn:
                result = await provider.invoking(
                    messages_of(turn["request"]),
                    state,
                    tools=context.get("tools", ()),
                    instructions=context.get("instructions"),
                )
                state = result.state
                self._compare_output(turn, result)
                await self._tool_calls(turn, provider)
                stored = messages_of(turn["stored_request"]) if "stored_request" in turn else result.messages
        except (Exception, asyncio.CancelledError):
            return "invoking", state
        try:
            if "response" in turn or "invoke_error" in turn:
                failure = TestFailure("turn") if "invoke_error" in turn else None
                state = await provider.invoked(stored, messages_of(turn.get("response")), state, error=failure)
        except Exception:
            return "invoked", state
        return None, state

    async def _tool_calls(self, turn: Json, provider: TextSearchProvider) -> None:
        for call, measured in zip(turn.get("tool_calls", []), turn.get("tool_results", []), strict=True):
            self.delegate.script = {**self.case, **turn, **call}
            try:
                reply = await provider.run_tool(call["arguments"])
            except (Exception, asyncio.CancelledError):
                self.compare("tool_result", "error", "error" if "error" in measured else "text")
                continue
            self.compare("tool_result", reply.text, measured.get("result"))

    def _compare_output(self, turn: Json, result: ContextResult) -> None:
        output = turn.get("output")
        if output is None:
            self.differences.setdefault("output", []).append(None)
            return
        ours = None if result.messages is None else [_shown(message) for message in result.messages]
        theirs = None if output["messages"] is None else [_measured(message) for message in output["messages"]]
        self.compare("messages", ours, theirs)
        self.compare("tools", [_tool(t) for t in result.tools], [_tool(t) for t in output["tools"] or []])
        self.compare("instructions", result.instructions, output["instructions"])

    def _compare_logs(self, turn: Json) -> None:
        ours, theirs = self.records.taken(), turn.get("logs")
        if theirs is None:
            return
        self.compare("exception_text", any(r["exception"] for r in ours), any("exception" in r for r in theirs))
        self.compare(
            "logs",
            [(r["level"], r["message"]) for r in ours],
            [(LEVELS[r["level"]], r["message"]) for r in theirs],
        )


async def _settled() -> None:
    """Takes back the cancellation that a case asked for."""
    task = asyncio.current_task()
    assert task is not None
    if task.cancelling():
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            task.uncancel()


def _shown(message: ChatMessage) -> tuple[str, str, str, str | None, str | None]:
    origin = message.origin
    source_id = ORIGINAL_ID if message.injected else origin.source_id
    return message.role, message.text, origin.source, source_id, message.author_name


def _measured(message: Json) -> tuple[str, str, str, str | None, str | None]:
    mark = message.get("additional_properties", {}).get("_attribution", {})
    return message["role"], message["text"], message["source"], mark.get("SourceId"), message.get("author_name")


def _tool(tool: Json) -> object:
    if isinstance(tool, ToolDefinition):
        return tool.name, tool.description, tool.parameters
    if isinstance(tool, str):
        return tool, "Tells the weather."
    if tool["description"] == "Tells the weather.":
        return tool["name"], tool["description"]
    return tool["name"], tool["description"], tool["json_schema"]


def cases(every: Sequence[Json]) -> list[Json]:
    """The cases that concern the provider itself: all but those of an agent and of the chat client overload."""
    return [case for case in every if case["group"] not in ("agent", "message_call")]
