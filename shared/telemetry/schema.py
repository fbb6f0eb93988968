"""Every signal of the app: spans, metrics and events with their attributes. Nothing else leaves the process.

`docs/telemetry.md` shows these tables; a test holds both and the calls in the code together.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

# Rules: the values that an attribute of a signal may have. An attribute without a rule does not leave the process.


class Kind(StrEnum):
    """The class of a text that a redactor is asked about; the redactor sees it as its plain word."""

    QUERY = "query"
    FILTER = "filter"
    PROMPT = "prompt"
    ANSWER = "answer"
    EVIDENCE = "evidence"
    ERROR_MESSAGE = "error_message"
    IDENTIFIER = "identifier"
    USER_ID = "user_id"


IDENTIFIERS = frozenset({Kind.IDENTIFIER, Kind.USER_ID})


@dataclass(frozen=True, slots=True)
class Number:
    """A count, length, size or duration."""


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """A word of a closed set; any other leaves as `other`."""

    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Known:
    """A name of the configuration, made known by `Telemetry.allow`; any other leaves as `other`.

    Callers name things too (an index that does not exist), so a pattern of letters would not do.
    """

    group: str


@dataclass(frozen=True, slots=True)
class ErrorType:
    """The failure: an exception (its code if it is the app's own, else its class), a registered code or an HTTP status."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the code an exception arose: module and line, read from its traceback."""


@dataclass(frozen=True, slots=True)
class Package:
    """An imported package: a name of code, since nobody imports data. Any other leaves as `other`."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text about people: identifiers are erased or counted under a key, content is erased; as it is only by the switch."""

    kind: Kind


Rule = Number | Flag | OneOf | Known | ErrorType | Package | Place | Text

OTHER = "other"


def one_of(*words: str) -> OneOf:
    """A closed set of words."""
    return OneOf(frozenset(words))


# The attributes that signals may carry: the word used in code, the name that leaves, its rule and its meaning.
#
# Names are the OpenTelemetry conventions where the Azure Monitor exporter keeps those; it drops `db.*`, `http.*`, `error.*`
# and `server.*` from spans, so everything else is named `app.*`.


@dataclass(frozen=True, slots=True)
class Attribute:
    """One row of the table. `exported` is the name in Application Insights (`customDimensions`)."""

    key: str
    exported: str
    rule: Rule
    meaning: str


_MODES = one_of("keyword", "semantic", "hybrid", "hybrid_semantic")
_SEMANTIC_REASONS = one_of(
    "capacityOverloaded",
    "match_all",
    "maxWaitExceeded",
    "order_by",
    "partial",
    "ranker_unavailable",
    "transient",
)
_OUTCOMES = one_of(
    "accepted",
    "already_final",
    "cancelled",
    "completed",
    "failed",
    "failed_checks",
    "found",
    "no_evidence",
    "no_results",
    "not_answered",
    "on_demand",
    "queued",
    "rejected",
    "waiting",
    "running",
    "search_failed",
)
_PROBLEM_CODES = one_of(
    "ambiguous_number",
    "foreign_marker",
    "html_escaped",
    "image_removed",
    "link_removed",
    "malformed_marker",
    "no_citation",
    "no_sources",
    "unknown_number",
    "unsupported_figure",
)

_ROWS = (
    # What was called
    Attribute("span", "app.operation", Known("span"), "name of the span that was timed"),
    Attribute("route", "app.route", Known("route"), "route template of the call, never its address"),
    Attribute("method", "app.http.method", one_of("GET", "POST", "DELETE"), "HTTP method"),
    Attribute("status", "app.http.status", Number(), "HTTP status answered, or got from the search service"),
    Attribute("error_type", "app.error.type", ErrorType(), "what failed: error code, HTTP status or exception class"),
    Attribute("error_place", "app.error.place", Place(), "module and line that raised it"),
    Attribute("outcome", "app.outcome", _OUTCOMES, "how it ended"),
    # Search
    Attribute("index", "app.index", Known("index"), "configured index"),
    Attribute("mode", "app.search.mode", _MODES, "what kind of search was sent"),
    Attribute("syntax", "app.search.syntax", one_of("plain", "simple", "full"), "query language asked for"),
    Attribute("top", "app.search.top", Number(), "hits asked for"),
    Attribute("skip", "app.search.skip", Number(), "hits skipped"),
    Attribute("query_characters", "app.search.query_characters", Number(), "length of the query"),
    Attribute("filtered", "app.search.filtered", Flag(), "whether a filter was sent"),
    Attribute("hits", "app.hits", Number(), "hits returned"),
    Attribute("total", "app.total", Number(), "matches counted, or briefings of the batch"),
    Attribute("score_kind", "app.score_kind", one_of("keyword", "fused", "reranker", "none"), "which score the cut went by"),
    Attribute("partial", "app.search.partial", Flag(), "semantic ranking did not happen as configured"),
    Attribute("reason", "app.reason", _SEMANTIC_REASONS, "why hits were not ranked as configured"),
    Attribute("retries", "app.retries", Number(), "tries after the first"),
    # Evidence
    Attribute("searches", "app.searches", Number(), "searches of the request"),
    Attribute("kept", "app.evidence.kept", Number(), "hits kept as evidence"),
    Attribute("omitted_relevance", "app.evidence.omitted.relevance", Number(), "left out: not relevant enough"),
    Attribute("omitted_size", "app.evidence.omitted.size", Number(), "left out: no room"),
    Attribute("omitted_duplicate", "app.evidence.omitted.duplicate", Number(), "left out: there already"),
    Attribute("omitted_empty", "app.evidence.omitted.empty", Number(), "left out: no text"),
    Attribute(
        "omission", "app.evidence.omission", one_of("relevance", "size", "duplicate", "empty"), "why hits were left out"
    ),
    Attribute("truncated", "app.evidence.truncated", Flag(), "the one hit was cut"),
    Attribute("characters", "app.characters", Number(), "length of the text made or read"),
    # Citations
    Attribute("format", "app.format", one_of("html", "markdown", "text"), "format of the answer"),
    Attribute("required", "app.citations.required", Flag(), "citations were asked for"),
    Attribute("figures", "app.citations.figures", Flag(), "figures were checked"),
    Attribute("final", "app.citations.final", Flag(), "last piece of a stream"),
    Attribute("valid", "app.citations.valid", Flag(), "the answer passed its checks"),
    Attribute("markers", "app.citations.markers", Number(), "markers resolved"),
    Attribute("citations", "app.citations.cited", Number(), "sources cited"),
    Attribute("uncited", "app.citations.uncited", Number(), "sources not cited"),
    Attribute("problems", "app.citations.problems", Number(), "problems found"),
    Attribute("problem", "app.citations.problem", _PROBLEM_CODES, "code of the problems counted"),
    # Retrieve and context
    Attribute("agent", "app.agent", Known("agent"), "configured agent"),
    Attribute("engine", "app.retrieve.engine", one_of("planned", "service"), "engine of the agent"),
    Attribute("api_version", "app.retrieve.api_version", one_of("2025-05-01-preview", "2026-04-01"), "contract asked for"),
    Attribute("sub_queries", "app.retrieve.sub_queries", Number(), "sub-queries planned"),
    Attribute("planned_by_model", "app.retrieve.planned_by_model", Flag(), "whether a model planned them"),
    Attribute("references", "app.retrieve.references", Number(), "references given"),
    Attribute("messages", "app.messages", Number(), "messages given"),
    Attribute(
        "search_time",
        "app.context.search_time",
        one_of("BeforeAIInvoke", "OnDemandFunctionCalling"),
        "when the context is searched",
    ),
    Attribute("tool", "app.tool", one_of("search", "evidence", "resolve_citations"), "tool called"),
    # Answers and briefings
    Attribute("writer", "app.writer", one_of("extractive", "model"), "which writer wrote"),
    Attribute("attempt", "app.attempt", Number(), "number of the try, from 1"),
    Attribute("definition", "app.briefing.definition", Known("definition"), "briefing definition"),
    Attribute("definition_version", "app.briefing.definition_version", Number(), "its version"),
    Attribute("section", "app.briefing.section", Number(), "place of the section in its definition, from 1"),
    Attribute("sections", "app.briefing.sections", Number(), "sections of the briefing"),
    Attribute("delivery", "app.briefing.delivery", Number(), "delivery count of the queue message, from 1"),
    Attribute("queue_wait", "app.briefing.queue_wait_seconds", Number(), "seconds between submission and start"),
    Attribute("message_bytes", "app.briefing.message_bytes", Number(), "size of the queue message"),
    Attribute("briefings", "app.briefings", Number(), "briefings in the call"),
    Attribute("percent", "app.batch.percent", Number(), "share of the batch that is final"),
    # Model calls, by the GenAI conventions
    Attribute("operation", "gen_ai.operation.name", one_of("chat"), "kind of model call"),
    Attribute("provider", "gen_ai.provider.name", one_of("azure.ai.openai", "openai"), "kind of endpoint"),
    Attribute("model", "gen_ai.request.model", Known("model"), "configured deployment"),
    Attribute("input_tokens", "gen_ai.usage.input_tokens", Number(), "tokens read by the model"),
    Attribute("output_tokens", "gen_ai.usage.output_tokens", Number(), "tokens written by the model"),
    Attribute(
        "finish_reason",
        "gen_ai.response.finish_reasons",
        one_of("stop", "length", "content_filter", "tool_calls"),
        "why the model stopped",
    ),
    Attribute("token_type", "gen_ai.token.type", one_of("input", "output"), "which tokens are counted"),
    # Operations
    Attribute("setting", "app.setting", Known("setting"), "name of a setting"),
    Attribute("field", "app.field", Known("field"), "field that the configuration names"),
    Attribute(
        "component",
        "app.component",
        one_of(
            "blobs", "briefing_definitions", "index", "done_queue", "model", "poison_queue", "queue", "setting", "telemetry"
        ),
        "what was checked",
    ),
    Attribute("library", "app.library", Package(), "library that wrote a log line"),
    Attribute("severity", "app.severity", one_of("WARNING", "ERROR", "CRITICAL"), "level of that line"),
    # Texts about people: redacted
    Attribute("briefing_id", "app.briefing.id", Text(Kind.IDENTIFIER), "id of a briefing (callers may choose it)"),
    Attribute("batch_id", "app.batch.id", Text(Kind.IDENTIFIER), "id of a batch (callers may choose it)"),
    Attribute("subject", "app.briefing.subject", Text(Kind.IDENTIFIER), "its only parameter (a urn), or all as JSON"),
    Attribute("user_id", "app.user.id", Text(Kind.USER_ID), "the caller's user id"),
    Attribute("query", "app.search.query", Text(Kind.QUERY), "the query"),
    Attribute("filter", "app.search.filter", Text(Kind.FILTER), "the filter"),
    Attribute("evidence", "app.evidence.text", Text(Kind.EVIDENCE), "the evidence text"),
    Attribute("prompt", "gen_ai.input.messages", Text(Kind.PROMPT), "the prompt"),
    Attribute("answer", "gen_ai.output.messages", Text(Kind.ANSWER), "the answer"),
    Attribute("error_message", "app.error.message", Text(Kind.ERROR_MESSAGE), "message of an exception"),
)

ATTRIBUTES: dict[str, Attribute] = {row.key: row for row in _ROWS}
EXPORTED: dict[str, Attribute] = {row.exported: row for row in _ROWS}


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
