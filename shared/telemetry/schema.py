"""Every signal the app sends: spans, metrics and events with their attributes. What is not in here does not leave.

`docs/telemetry.md` shows these tables; a test holds both and the calls in the code together.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from .attributes import ATTRIBUTES


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A span by name. Its duration in seconds is recorded in `duration`, with those of its attributes the metric has."""

    name: str
    meaning: str
    attributes: frozenset[str]
    client: bool = False
    server: bool = False
    """Whether it answers callers: an error of theirs (status 400 to 499) is none of the app."""
    duration: str = "app.operation.duration"
    constants: Mapping[str, str] = field(default_factory=dict)
    """Attributes by which Application Insights tells the kind of a dependency."""


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric by name; `gauge`-like values are histograms too, since several processes send them."""

    name: str
    meaning: str
    unit: str
    kind: Literal["counter", "histogram"]
    attributes: frozenset[str]


@dataclass(frozen=True, slots=True)
class EventRow:
    """A log record by name; its level decides its severity."""

    name: str
    meaning: str
    level: int
    attributes: frozenset[str]


_WHERE = "error_type error_place"
_FAILURE = f"{_WHERE} error_message"


def _keys(words: str) -> frozenset[str]:
    keys = frozenset(words.split())
    unknown = keys - ATTRIBUTES.keys()
    if unknown:
        raise ValueError(f"attributes without a rule: {sorted(unknown)}")
    return keys


def _span(name: str, meaning: str, words: str) -> SpanRow:
    return SpanRow(name, meaning, _keys(f"{words} {_FAILURE}"))


def _metric(name: str, meaning: str, unit: str, kind: Literal["counter", "histogram"], words: str) -> MetricRow:
    return MetricRow(name, meaning, unit, kind, _keys(words))


def _event(name: str, meaning: str, level: int, words: str) -> EventRow:
    return EventRow(name, meaning, level, _keys(words))


_SPAN_ROWS = (
    replace(
        _span("http_request", "one call of a route", "route method status user_id"),
        server=True,
        duration="app.http.duration",
    ),
    replace(
        _span(
            "search",
            "one search of an index, retries included",
            "index mode syntax top skip query_characters filtered hits total score_kind partial reason retries status "
            "query filter",
        ),
        client=True,
        duration="db.client.operation.duration",
        constants={"db.system.name": "azure.search", "db.operation.name": "search"},
    ),
    _span(
        "evidence",
        "searches made into numbered evidence",
        "searches hits kept omitted_relevance omitted_size omitted_duplicate omitted_empty truncated characters evidence",
    ),
    _span(
        "citations",
        "markers of a whole answer checked or resolved",
        "format required figures valid markers citations uncited problems characters answer",
    ),
    _span(
        "citations_stream",
        "one piece of a streamed answer",
        "format required final valid markers citations uncited problems characters",
    ),
    _span(
        "retrieve",
        "one call of an agent",
        "agent engine api_version messages sub_queries planned_by_model searches hits references characters",
    ),
    _span("context", "context looked up for a conversation", "outcome search_time messages hits characters"),
    _span("context_remember", "a finished turn stored in the state", "messages"),
    _span("tool", "a tool called by an agent host", "tool outcome hits"),
    _span("answer", "evidence, writer, check and resolve", "outcome writer attempt valid problems kept characters"),
    replace(
        _span(
            "chat",
            "one call of the model",
            "operation provider model input_tokens output_tokens finish_reason attempt prompt answer",
        ),
        client=True,
        duration="gen_ai.client.operation.duration",
        constants={"gen_ai.system": "openai"},
    ),
    _span("submit", "briefings accepted and queued", "briefings batch_id"),
    _span(
        "briefing",
        "one delivery of one queue message",
        "outcome delivery queue_wait definition definition_version sections message_bytes briefing_id batch_id subject",
    ),
    _span("section", "one section of a briefing", "outcome section definition kept valid problems attempt writer"),
    _span("synthesis", "the step over the checked sections", "outcome definition valid problems attempt"),
    _span("batch", "progress of a batch read", "total percent batch_id"),
    _span("retry_batch", "failed briefings of a batch queued anew", "briefings batch_id"),
    _span("erase", "briefings cancelled or erased", "briefings briefing_id batch_id"),
    _span("ready", "readiness looked at", "status"),
)

_METRIC_ROWS = (
    _metric("app.operation.duration", "time of a span", "s", "histogram", "span outcome error_type"),
    _metric("app.http.duration", "time of an HTTP call", "s", "histogram", "route method status error_type"),
    _metric("db.client.operation.duration", "time of a search", "s", "histogram", "index mode error_type"),
    _metric(
        "gen_ai.client.operation.duration", "time of a model call", "s", "histogram", "operation provider model error_type"
    ),
    _metric(
        "gen_ai.client.token.usage", "tokens of a model call", "{token}", "histogram", "operation provider model token_type"
    ),
    _metric("app.search.hits", "hits of a search", "{hit}", "histogram", "index mode score_kind"),
    _metric("app.search.retries", "tries after the first", "{try}", "counter", "index error_type"),
    _metric("app.search.partial", "searches not ranked as configured", "{search}", "counter", "index reason"),
    _metric("app.evidence.characters", "length of evidence", "{character}", "histogram", ""),
    _metric("app.evidence.omitted", "hits left out", "{hit}", "counter", "omission"),
    _metric("app.citations.problems", "problems in answers", "{problem}", "counter", "problem"),
    _metric("app.briefing.outcomes", "ends of queue deliveries", "{briefing}", "counter", "outcome definition"),
    _metric("app.briefing.queue_wait", "time between submission and start", "s", "histogram", "definition"),
    _metric("app.briefing.submitted", "briefings accepted", "{briefing}", "counter", "definition"),
    _metric("app.briefing.in_batch", "progress of batches when read", "%", "histogram", ""),
)

_EVENT_ROWS = (
    _event("telemetry_started", "export is set up", logging.INFO, ""),
    _event("telemetry_sensitive", "sensitive data is exported: the switch is on", logging.WARNING, ""),
    _event("telemetry_sensitive_refused", "the switch is on in Azure without its confirmation: off", logging.WARNING, ""),
    _event("telemetry_unsafe", "somebody else installed a provider before the app", logging.ERROR, ""),
    _event("telemetry_failed", "export could not be set up; the app runs without", logging.ERROR, _WHERE),
    _event("telemetry_export", "signals could not be sent (in the log only)", logging.WARNING, "severity error_type"),
    _event("telemetry_redactor", "the configured redactor cannot be used; texts are erased", logging.ERROR, "error_type"),
    _event("log_withheld", "a library logged a warning or error", logging.WARNING, f"library severity {_WHERE}"),
    _event("settings_problem", "a setting is missing or wrong", logging.ERROR, "setting"),
    _event("not_ready", "a part of readiness is not well", logging.WARNING, "component index error_type"),
    _event("index_misconfigured", "a configured index or field does not exist", logging.ERROR, "index field error_type"),
    _event("search_refused", "the search service refuses the app's identity", logging.ERROR, "index status error_type"),
    _event(
        "request_failed",
        "a call ended in an error of ours",
        logging.ERROR,
        f"route status {_WHERE}",
    ),
    _event(
        "briefing_finished",
        "a briefing got its final status",
        logging.INFO,
        "outcome definition definition_version delivery",
    ),
    _event("briefing_fault", "a fault of ours in a briefing", logging.ERROR, _WHERE),
    _event(
        "briefing_retried",
        "a delivery ended in a redelivery",
        logging.WARNING,
        "error_type",
    ),
    _event("briefing_rejected", "a queue message was rejected", logging.WARNING, "error_type message_bytes"),
    _event("poison_message", "a message reached the poison queue", logging.ERROR, "message_bytes"),
)

SPANS: dict[str, SpanRow] = {row.name: row for row in _SPAN_ROWS}
METRICS: dict[str, MetricRow] = {row.name: row for row in _METRIC_ROWS}
EVENTS: dict[str, EventRow] = {row.name: row for row in _EVENT_ROWS}
