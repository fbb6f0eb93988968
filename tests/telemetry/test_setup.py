"""Set-up in processes of their own: once, off, unsafe, broken, joined to the host's trace, and nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ingestion import Ingestion

from .fresh_process import run

SET_UP = """
import os
from shared.telemetry import TelemetrySettings, set_up
settings = TelemetrySettings(connection_string=os.environ.get("TO"))
"""


@pytest.fixture
def ingestion() -> Iterator[Ingestion]:
    with Ingestion() as server:
        yield server


def test_set_up_twice_sends_each_signal_once(ingestion: Ingestion) -> None:
    said = run(
        SET_UP
        + """
first, second = set_up(settings), set_up(TelemetrySettings(connection_string=os.environ["TO"]))
other = set_up(TelemetrySettings(connection_string=os.environ["TO"], redactor="none"))
assert first is second and first.exporting and not first.unsafe
with second.signals.span("evidence"):
    second.signals.event("briefing_finished", outcome="completed")
    other.signals.count("app.evidence.omitted", 2, omission="size")
second.flush()
print("done")
""",
        {"TO": ingestion.connection_string},
    )
    assert said.out == "done\n"
    assert [span["name"] for span in ingestion.spans()] == ["evidence"]
    names = [event["message"] for event in ingestion.events()]
    assert sorted(names) == ["briefing_finished", "telemetry_redactor", "telemetry_started", "telemetry_started"]
    omitted = [p["metrics"][0]["value"] for p in ingestion.points() if p["metrics"][0]["name"] == "app.evidence.omitted"]
    assert omitted == [2]


def test_nothing_is_imported_or_sent_without_a_connection_string() -> None:
    said = run(
        SET_UP
        + """
import sys
telemetry = set_up(settings)
with telemetry.invocation(object(), ["secret"]), telemetry.signals.span("search", hits=1):
    telemetry.signals.count("app.search.retries")
telemetry.flush()
print(telemetry.exporting, telemetry.unsafe, [name for name in sys.modules if name.startswith(("opentelemetry", "azure"))])
"""
    )
    assert said.out == "False False []\n"


FOREIGN = {
    "tracer": "from opentelemetry import trace; from opentelemetry.sdk.trace import TracerProvider\n"
    "trace.set_tracer_provider(TracerProvider())",
    "meter": "from opentelemetry import metrics; from opentelemetry.sdk.metrics import MeterProvider\n"
    "metrics.set_meter_provider(MeterProvider())",
    "logger": "from opentelemetry._logs import set_logger_provider; from opentelemetry.sdk._logs import LoggerProvider\n"
    "set_logger_provider(LoggerProvider())",
    "distro": "from azure.monitor.opentelemetry import configure_azure_monitor\n"
    "configure_azure_monitor(connection_string=os.environ['TO'], enable_live_metrics=False, "
    "enable_performance_counters=False)",
}


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.parametrize("connected", [True, False])
def test_a_provider_that_was_there_first_is_unsafe(ingestion: Ingestion, foreign: str, connected: bool) -> None:
    said = run(
        f"import os\n{FOREIGN[foreign]}\n"
        + SET_UP
        + f"""
import logging
if not {connected}:
    settings = TelemetrySettings()
telemetry = set_up(settings)
with telemetry.signals.span("evidence"):
    pass
logging.getLogger("azure.core").error("CANARY")
telemetry.flush()
print(telemetry.unsafe, telemetry.exporting)
""",
        {"TO": ingestion.connection_string, "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL": "true"},
    )
    assert said.out == "True False\n"
    assert "CANARY" not in ingestion.text
    assert ingestion.spans() == []


def test_a_provider_that_comes_while_ours_is_built_is_noticed(ingestion: Ingestion) -> None:
    said = run(
        f"""
import os
from shared.telemetry import TelemetrySettings
from shared.telemetry.providers import Pipeline, azure_exporters
pipeline = Pipeline(azure_exporters(TelemetrySettings(connection_string=os.environ["TO"])).behind_gate())
{FOREIGN["logger"]}
print(pipeline.install())
""",
        {"TO": ingestion.connection_string, "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL": "true"},
    )
    assert said.out == "False\n"


def test_placeholders_of_the_api_are_not_a_provider() -> None:
    said = run(
        "from opentelemetry import _logs, metrics, trace\n"
        "trace.get_tracer_provider(), metrics.get_meter_provider(), _logs.get_logger_provider()\n"
        + SET_UP
        + "print(set_up(settings).unsafe)"
    )
    assert said.out == "False\n"


def test_whoever_comes_later_gets_no_provider(ingestion: Ingestion) -> None:
    run(
        SET_UP
        + """
import logging
from azure.monitor.opentelemetry import configure_azure_monitor
telemetry = set_up(settings)
off = {name: {"enabled": False} for name in ("azure_sdk", "requests", "urllib", "urllib3")}
configure_azure_monitor(connection_string=os.environ["TO"], enable_live_metrics=False, enable_performance_counters=False,
    instrumentation_options=off)
from opentelemetry import trace
with telemetry.invocation(), trace.get_tracer("other").start_as_current_span("CANARY"):
    logging.getLogger("azure.core").error("CANARY")
with telemetry.signals.span("evidence"):
    pass
telemetry.flush()
trace.get_tracer_provider().force_flush()
""",
        {"TO": ingestion.connection_string},
    )
    assert [span["name"] for span in ingestion.spans()] == ["evidence"]
    assert "CANARY" not in ingestion.text


@pytest.mark.parametrize("broken", ["InstrumentationKey=CANARY", "CANARY", "InstrumentationKey=;IngestionEndpoint=CANARY"])
def test_a_broken_connection_string_leaves_the_app_running(broken: str) -> None:
    said = run(
        "import logging; logging.basicConfig()\n"
        + SET_UP
        + """
telemetry = set_up(settings)
with telemetry.signals.span("evidence"):
    print(telemetry.exporting, telemetry.unsafe)
""",
        {"TO": broken},
    )
    assert said.out == "False False\n"
    assert "telemetry_failed app.error.place=shared.telemetry.providers:" in said.err
    assert "CANARY" not in said.err


@pytest.mark.parametrize("status", [200, 206, 402, 429, 439, *(pytest.param(n, marks=pytest.mark.slow) for n in (500, 503))])
def test_nothing_is_written_to_disk(status: int, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    with Ingestion(status=status) as ingestion:
        run(
            SET_UP
            + """
telemetry = set_up(settings)
with telemetry.signals.span("evidence", evidence="CANARY"):
    pass
from shared.telemetry.setup import _process
_process.pipeline.tracers.force_flush(3000)
os._exit(0)
""",
            {"TO": ingestion.connection_string, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)},
        )
        assert ingestion.requests
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("members", [("trace_parent", "trace_state"), ("Traceparent", "Tracestate")])
@pytest.mark.parametrize("flag", ["00", "01"])
def test_spans_join_the_trace_of_the_invocation(ingestion: Ingestion, members: tuple[str, str], flag: str) -> None:
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    run(
        SET_UP
        + f"""
from types import SimpleNamespace
telemetry = set_up(settings)
context = SimpleNamespace(**{{"{members[0]}": "00-{trace}-{parent}-{flag}", "{members[1]}": "k=v"}})
with telemetry.invocation(context), telemetry.signals.span("http_request"):
    with telemetry.invocation(context), telemetry.signals.span("evidence"):
        telemetry.signals.event("briefing_finished")
with telemetry.invocation(), telemetry.signals.span("ready"):
    pass
telemetry.flush()
""",
        {"TO": ingestion.connection_string},
    )
    spans = {span["name"]: span for span in ingestion.spans()}
    assert spans["http_request"]["tags"]["ai.operation.id"] == trace
    assert spans["http_request"]["tags"]["ai.operation.parentId"] == parent
    assert spans["evidence"]["tags"]["ai.operation.parentId"] == spans["http_request"]["id"]
    assert spans["ready"]["tags"]["ai.operation.id"] != trace
    (event,) = [event for event in ingestion.events() if event["message"] == "briefing_finished"]
    assert event["tags"]["ai.operation.parentId"] == spans["evidence"]["id"]


@pytest.mark.parametrize(
    "context", ["None", "object()", "SimpleNamespace(trace_parent='CANARY', trace_state=7)", "Failing()"]
)
def test_an_unreadable_trace_context_is_none(ingestion: Ingestion, context: str) -> None:
    run(
        SET_UP
        + f"""
from types import SimpleNamespace
class Failing:
    @property
    def trace_parent(self):
        raise RuntimeError("CANARY")
telemetry = set_up(settings)
with telemetry.invocation({context}), telemetry.signals.span("ready"):
    pass
telemetry.flush()
""",
        {"TO": ingestion.connection_string},
    )
    assert [span["name"] for span in ingestion.spans()] == ["ready"]
    assert "CANARY" not in ingestion.text


@pytest.mark.parametrize(
    ("members", "event"),
    [
        ("enable_sensitive_data=True", "telemetry_sensitive"),
        ("enable_sensitive_data=True, in_azure=True", "telemetry_sensitive_refused"),
        ("enable_sensitive_data=True, in_azure=True, confirm_sensitive_in_azure=True", "telemetry_sensitive"),
        ("redactor='hmac', hmac_key='CANARY'", "telemetry_redactor app.error.type=RedactorUnusable"),
        ("redactor='CANARY:Class'", "telemetry_redactor app.error.type=RedactorUnusable"),
    ],
)
def test_what_is_decided_at_start_is_said(members: str, event: str) -> None:
    said = run(f"import logging; logging.basicConfig()\n{SET_UP}\nset_up(TelemetrySettings({members}))")
    assert said.err.strip().partition(":shared.telemetry.events:")[2] == event


def test_switches_are_put_into_the_environment(ingestion: Ingestion) -> None:
    said = run(
        SET_UP
        + """
set_up(settings)
from azure.monitor.opentelemetry.exporter.statsbeat._state import is_statsbeat_enabled
import threading
print(is_statsbeat_enabled(), os.environ["APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED"], threading.active_count())
""",
        {"TO": ingestion.connection_string, "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL": "false"},
    )
    assert said.out == "False true 4\n"
