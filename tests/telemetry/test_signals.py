"""The app's signals: how they reach the sink and the log, and that they never fail the code around them."""

from __future__ import annotations

import pytest

from shared.telemetry import AppSignals, TelemetrySettings, make_redactor
from shared.telemetry.allow_list import AllowList

from .event_lines import EventLines
from .recording_sink import EndlessSink, FailingSink, RecordingSink


class Unsayable(Exception):
    """Cannot even say its own text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def door(*, sensitive: bool = False) -> AllowList:
    settings = TelemetrySettings(enable_sensitive_data=sensitive)
    made = AllowList(make_redactor(settings), sensitive=settings.sensitive)
    made.allow("index", ["schools"])
    return made


def test_span_with_its_attributes_and_its_duration() -> None:
    sink = RecordingSink()
    with AppSignals(door(), sink).span("search", index="schools", top=10) as span:
        span.set(hits=3, top=20)
    (ended,) = sink.spans
    assert (ended.name, ended.failed) == ("search", False)
    assert ended.attributes == {"app.index": "schools", "app.search.top": 20, "app.hits": 3}
    ((name, seconds, attributes),) = sink.measured
    assert (name, attributes) == ("db.client.operation.duration", {"app.index": "schools"})
    assert 0 <= seconds < 5


def test_exception_leaves_the_span_as_its_type_and_goes_on() -> None:
    sink = RecordingSink()
    with pytest.raises(ValueError, match="CANARY"), AppSignals(door(), sink).span("evidence"):
        raise ValueError("CANARY")
    (ended,) = sink.spans
    assert ended.failed
    assert ended.attributes["app.error.type"] == "ValueError"
    assert "CANARY" not in repr(sink)


def test_error_type_that_was_set_is_not_replaced() -> None:
    sink = RecordingSink()
    with pytest.raises(ValueError, match="x"), AppSignals(door(), sink).span("search", error_type=503):
        raise ValueError("x")
    assert sink.spans[0].attributes["app.error.type"] == "503"


def test_error_that_was_handled_fails_the_span() -> None:
    sink = RecordingSink()
    with AppSignals(door(), sink).span("search") as span:
        span.set(error_type="search_timeout")
    assert sink.spans[0].failed


@pytest.mark.parametrize(("error", "message"), [(ValueError("CANARY"), "CANARY"), (Unsayable(), None)])
def test_message_of_an_exception_only_while_sensitive_data_is_on(error: Exception, message: str | None) -> None:
    sink = RecordingSink()
    with pytest.raises(type(error)), AppSignals(door(sensitive=True), sink).span("evidence"):
        raise error
    assert sink.spans[0].attributes.get("app.error.message") == message


def test_unregistered_signals_go_nowhere() -> None:
    sink = RecordingSink()
    signals = AppSignals(door(), sink)
    with signals.span("CANARY", query="CANARY") as span:
        span.set(answer="CANARY")
    signals.count("CANARY")
    signals.record("CANARY", 1)
    signals.event("CANARY")
    assert (sink.spans, sink.measured, sink.events) == ([], [], [])


def test_metrics_carry_only_their_attributes() -> None:
    sink = RecordingSink()
    signals = AppSignals(door(), sink)
    signals.count("app.search.retries", 2, index="schools", query="CANARY")
    signals.record("app.search.hits", 5, index="CANARY", mode="keyword")
    assert sink.measured == [
        ("app.search.retries", 2, {"app.index": "schools"}),
        ("app.search.hits", 5, {"app.index": "other", "app.search.mode": "keyword"}),
    ]


def test_event_goes_to_the_sink_and_in_words_to_the_log() -> None:
    sink = RecordingSink()
    with EventLines() as lines:
        AppSignals(door(), sink).event("index_misconfigured", index="schools", error_type="CANARY", query="CANARY")
    assert sink.events == [("index_misconfigured", {"app.index": "schools", "app.error.type": "_OTHER"})]
    assert lines.lines == ["ERROR index_misconfigured app.error.type=_OTHER app.index=schools"]


@pytest.mark.parametrize("sink", [FailingSink(), EndlessSink(), None])
def test_broken_or_absent_export_fails_nothing(sink: FailingSink | EndlessSink | None) -> None:
    signals = AppSignals(door(), sink)
    with signals.span("search", index="schools") as span:
        span.set(hits=1)
        reached = True
    signals.count("app.search.retries")
    signals.event("settings_problem", setting="x")
    assert reached


def test_a_signal_whose_value_cannot_be_compared_or_printed_fails_nothing() -> None:
    class Hostile:
        """Fails on every use."""

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("eq")

        def __str__(self) -> str:
            raise RuntimeError("str")

        __hash__ = None  # type: ignore[assignment]  # so unhashable too

    sink = RecordingSink()
    signals = AppSignals(door(), sink)
    with signals.span("search", index=Hostile(), error_type=Hostile(), mode=Hostile()):
        pass
    signals.event("index_misconfigured", index=Hostile())
    assert sink.events == []


@pytest.mark.parametrize(
    ("name", "status", "failed"),
    [("http_request", 404, False), ("http_request", 503, True), ("search", 429, True), ("search", None, True)],
)
def test_an_error_of_the_caller_is_no_failure_of_a_route(name: str, status: int | None, failed: bool) -> None:
    sink = RecordingSink()
    with AppSignals(door(), sink).span(name) as span:
        span.set(status=status, error_type="not_found")
    assert sink.spans[0].failed is failed
