"""The export with the real Azure Monitor exporters: the signals that arrive, and those that the gate holds back.

Foreign spans, records and points stand for automatic instrumentation and for libraries that log by OpenTelemetry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from azure.core.credentials import AccessToken
from azure.identity import ManagedIdentityCredential
from opentelemetry._logs import SeverityNumber
from opentelemetry.trace import Link, Status, StatusCode

from shared.telemetry import AppSignals, TelemetrySettings, make_redactor
from shared.telemetry.allow_list import AllowList
from shared.telemetry.opentelemetry import SCOPE
from shared.telemetry.providers import Exporters, Pipeline, azure_exporters, ingestion_credential
from shared.telemetry.setup import set_switches
from tests.support.ingestion import Ingestion

CANARY = "CANARY-salary-of-Jane-Roe"


class AnyToken:
    """A credential that must not be asked."""

    def get_token(self, *scopes: str, **options: object) -> AccessToken:
        raise AssertionError("asked for a token")


@pytest.fixture
def ingestion() -> Iterator[Ingestion]:
    with Ingestion() as server:
        yield server


def exporters(ingestion: Ingestion) -> Exporters:
    """The real ones, towards the local ingestion."""
    set_switches()
    return azure_exporters(TelemetrySettings(connection_string=ingestion.connection_string))


def signals_of(pipeline: Pipeline) -> AppSignals:
    """The app's signals into the pipeline."""
    allow_list = AllowList(make_redactor(TelemetrySettings()))
    allow_list.allow("index", ["schools"])
    return AppSignals(allow_list, pipeline.sink)


def leak_spans(pipeline: Pipeline) -> None:
    """Everything a span can carry, in scopes of others and under our own."""
    for scope in ("opentelemetry.instrumentation.requests", SCOPE):
        tracer = pipeline.tracers.get_tracer(scope)
        for name in (f"GET {CANARY}", "search"):
            with tracer.start_as_current_span(name, attributes={"url.full": CANARY, "db.query.text": CANARY}) as span:
                span.set_attributes({"enduser.id": CANARY, "session.id": CANARY, "app.index": CANARY, "app.hits": CANARY})
                span.set_attribute("gen_ai.response.finish_reasons", [CANARY])
                span.add_event(CANARY, {"message": CANARY})
                span.record_exception(ValueError(CANARY))
                span.add_link(span.get_span_context(), {"link": CANARY})
                span.set_status(Status(StatusCode.ERROR, CANARY))


def leak_records(pipeline: Pipeline) -> None:
    """Everything a log record can carry."""
    for scope in ("azure.core", SCOPE):
        logger = pipeline.loggers.get_logger(scope)
        for body in (CANARY, {"text": CANARY}, "search_refused"):
            logger.emit(
                severity_number=SeverityNumber.ERROR,
                severity_text=CANARY,
                body=body,
                attributes={"microsoft.custom_event.name": CANARY, "app.index": CANARY, "exception.message": CANARY},
                event_name=CANARY,
                exception=ValueError(CANARY),
            )


def leak_points(pipeline: Pipeline) -> None:
    """Everything a metric can carry."""
    for scope in ("some.library", SCOPE):
        meter = pipeline.meters.get_meter(scope)
        for name in ("canary.metric", "app.evidence.omitted"):
            meter.create_counter(name, unit="CANARY", description=CANARY).add(1, {"app.index": CANARY, "query": CANARY})
        meter.create_histogram("app.search.hits").record(2, {"app.index": CANARY})
        meter.create_gauge("app.gauge").set(1, {"query": CANARY})


LEAKS = {"spans": leak_spans, "logs": leak_records, "metrics": leak_points}


def test_our_signals_arrive(ingestion: Ingestion) -> None:
    pipeline = Pipeline(exporters(ingestion).behind_gate())
    signals = signals_of(pipeline)
    with signals.span("evidence", searches=1), signals.span("search", index="schools", query=CANARY) as span:
        span.set(hits=3, error_type="search_timeout")
        signals.event("search_refused", index="schools", status=403, error_type="search_refused")
    signals.count("app.evidence.omitted", 4, omission="size")
    pipeline.shutdown()
    outer, inner = sorted(ingestion.spans(), key=lambda row: str(row["name"]))
    assert (outer["name"], outer["success"], outer["type"]) == ("evidence", True, "InProc")
    assert (inner["name"], inner["success"], inner["type"], inner["data"]) == ("search", False, "azure.search", "search")
    assert inner["tags"]["ai.operation.parentId"] == outer["id"]
    assert inner["properties"] == {
        "app.index": "schools",
        "app.hits": "3",
        "app.error.type": "search_timeout",
        "app.search.query": "<redacted>",
    }
    (event,) = ingestion.events()
    assert event["message"] == "search_refused"
    assert event["properties"]["app.http.status"] == "403"
    assert event["tags"]["ai.operation.parentId"] == inner["id"]
    points = {point["metrics"][0]["name"]: point for point in ingestion.points()}
    assert points["app.evidence.omitted"]["properties"] == {"app.evidence.omission": "size"}
    assert points["app.evidence.omitted"]["metrics"][0]["value"] == 4
    assert points["db.client.operation.duration"]["properties"]["app.error.type"] == "search_timeout"
    assert CANARY not in ingestion.text


@pytest.mark.parametrize("kind", LEAKS)
def test_the_gate_keeps_in_what_others_send(ingestion: Ingestion, kind: str) -> None:
    pipeline = Pipeline(exporters(ingestion).behind_gate())
    LEAKS[kind](pipeline)
    with signals_of(pipeline).span("evidence"):
        pass
    pipeline.shutdown()
    assert "evidence" in ingestion.text
    assert "CANARY" not in ingestion.text


@pytest.mark.parametrize("kind", LEAKS)
def test_without_one_gate_its_canaries_are_found(ingestion: Ingestion, kind: str) -> None:
    """The negative control: without the gate the same test sees the signals that it holds back."""
    open_exporters = exporters(ingestion)
    gated = open_exporters.behind_gate()
    pipeline = Pipeline(replace(gated, **{kind: getattr(open_exporters, kind)}))
    for leak in LEAKS.values():
        leak(pipeline)
    pipeline.shutdown()
    assert "CANARY" in ingestion.text


def test_our_span_keeps_its_registered_numbers_only(ingestion: Ingestion) -> None:
    pipeline = Pipeline(exporters(ingestion).behind_gate())
    leak_spans(pipeline)
    pipeline.shutdown()
    (span,) = ingestion.spans()
    assert (span["name"], span["success"], span["properties"]) == ("search", False, {})


def test_links_of_spans_stay_in(ingestion: Ingestion) -> None:
    pipeline = Pipeline(exporters(ingestion).behind_gate())
    tracer = pipeline.tracers.get_tracer(SCOPE)
    with tracer.start_as_current_span("submit") as first:
        pass
    tracer.start_span("briefing", links=[Link(first.get_span_context(), {"text": CANARY})]).end()
    pipeline.shutdown()
    assert [span["properties"] for span in ingestion.spans()] == [{}, {}]


def test_resource_is_name_and_instance_only(ingestion: Ingestion) -> None:
    environ = {"WEBSITE_SITE_NAME": "func-a", "WEBSITE_INSTANCE_ID": "7", "OTEL_RESOURCE_ATTRIBUTES": "secret=CANARY"}
    pipeline = Pipeline(exporters(ingestion).behind_gate(), environ)
    assert pipeline.tracers.resource.attributes == {"service.name": "func-a", "service.instance.id": "7"}
    pipeline.shutdown()


def test_sampled_spans_say_how_many_they_stand_for(ingestion: Ingestion) -> None:
    environ = {"OTEL_TRACES_SAMPLER": "microsoft.fixed_percentage", "OTEL_TRACES_SAMPLER_ARG": "0.5"}
    pipeline = Pipeline(exporters(ingestion).behind_gate(), environ)
    signals = signals_of(pipeline)
    for _ in range(60):
        with signals.span("ready"):
            pass
    pipeline.shutdown()
    assert 10 < len(ingestion.spans()) < 50
    assert {span["sampleRate"] for span in ingestion.spans()} == {50.0}


def test_a_refusing_ingestion_fails_nothing() -> None:
    with Ingestion(status=400) as ingestion:
        pipeline = Pipeline(exporters(ingestion).behind_gate())
        signals = signals_of(pipeline)
        with signals.span("evidence"):
            signals.event("briefing_finished", outcome="completed")
        pipeline.shutdown()
        assert ingestion.requests
        assert ingestion.envelopes == []


AZURE = "InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint=https://uksouth-1.example/"


@pytest.mark.parametrize(
    ("in_azure", "given", "kind"),
    [
        (True, None, ManagedIdentityCredential),
        (False, None, type(None)),
        (False, AnyToken(), AnyToken),
        (True, AnyToken(), AnyToken),
    ],
)
def test_signals_go_out_as_the_apps_identity_in_azure(in_azure: bool, given: AnyToken | None, kind: type) -> None:
    settings = TelemetrySettings(connection_string=AZURE, in_azure=in_azure, client_id="a-client")
    assert isinstance(ingestion_credential(settings, given), kind)


def test_identifiers_leave_as_values_of_the_key(ingestion: Ingestion) -> None:
    pipeline = Pipeline(exporters(ingestion).behind_gate())
    settings = TelemetrySettings(redactor="hmac", hmac_key="AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", hmac_key_id="7")
    with AppSignals(AllowList(make_redactor(settings)), pipeline.sink).span("briefing", subject="100000", briefing_id=""):
        pass
    pipeline.shutdown()
    (span,) = ingestion.spans()
    assert span["properties"]["app.briefing.subject"] == "7:/K4+yiQGe63oUMVe0lrS1Q=="


def test_no_token_is_sent_to_a_loopback_ingestion(ingestion: Ingestion) -> None:
    settings = TelemetrySettings(connection_string=ingestion.connection_string, in_azure=True)
    pipeline = Pipeline(azure_exporters(settings, AnyToken()).behind_gate())
    with signals_of(pipeline).span("evidence"):
        pass
    pipeline.shutdown()
    assert ingestion.spans()
    assert "Authorization" not in ingestion.text
