"""The attributes that signals may carry: the word used in code, the name that leaves, its rule and its meaning.

Names are the OpenTelemetry conventions where the Azure Monitor exporter keeps those; it drops `db.*`, `http.*`, `error.*`
and `server.*` from spans, so everything else is named `app.*`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .rules import ErrorType, Flag, Kind, Known, Number, Package, Place, Rule, Text, one_of


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
    "on_demand",
    "queued",
    "rejected",
    "retrying",
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
