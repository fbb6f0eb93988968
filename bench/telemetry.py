"""What telemetry costs: `python -m bench.telemetry`.

An evidence call over the embedded search service with signals and without, single signals, set-up against the distro's own,
and the bound of the exporter's queue while the ingestion stalls.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from azure.core.credentials import AccessToken
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, MetricsData
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from emulators.azure_search.load import load, read_documents, read_index
from emulators.azure_search.service import SearchService
from emulators.azure_search.transport import EmbeddedTransport
from shared.retrieval import QUIET, IndexSettings, Retrieval, RetrievalSettings, Signals
from shared.telemetry import AppSignals, TelemetrySettings, make_redactor
from shared.telemetry.allow_list import AllowList
from shared.telemetry.exporters import RedactingSpanExporter
from shared.telemetry.providers import Exporters, Pipeline

SAMPLE = Path(__file__).resolve().parents[1] / "local" / "sample"
KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
CALLS = 300
TURNS = 8


class NoSpans(SpanExporter):
    """Takes spans after `delay` seconds and keeps nothing."""

    def __init__(self, delay: float = 0.0) -> None:
        self._delay = delay

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        time.sleep(self._delay)
        return SpanExportResult.SUCCESS


class KeptSpans(SpanExporter):
    """Keeps spans."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans.extend(spans)
        return SpanExportResult.SUCCESS


class NoLogs(LogRecordExporter):
    """Takes records and keeps nothing."""

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        return LogRecordExportResult.SUCCESS

    def shutdown(self) -> None:
        """Nothing to do."""

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return True


class NoMetrics(MetricExporter):
    """Takes metrics and keeps nothing."""

    def export(self, metrics_data: MetricsData, timeout_millis: float = 0, **_: object) -> MetricExportResult:
        return MetricExportResult.SUCCESS

    def force_flush(self, timeout_millis: float = 0) -> bool:
        return True

    def shutdown(self, timeout_millis: float = 0, **_: object) -> None:
        """Nothing to do."""


class AnyToken:
    """A credential that asks nobody."""

    async def get_token(self, *scopes: str, **_: object) -> AccessToken:
        return AccessToken("local", int(time.time()) + 3600)

    async def close(self) -> None:
        """Nothing to close."""

    async def __aenter__(self) -> AnyToken:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


def signals_of(pipeline: Pipeline, **settings: object) -> AppSignals:
    """The app's signals into a pipeline."""
    made = TelemetrySettings(**settings)  # type: ignore[arg-type]  # members of the settings by name
    allow_list = AllowList(make_redactor(made), sensitive=made.sensitive)
    allow_list.allow("index", ["schools"])
    return AppSignals(allow_list, pipeline.sink)


def pipeline_of(delay: float = 0.0) -> Pipeline:
    """A pipeline that sends nothing."""
    return Pipeline(Exporters(NoSpans(delay), NoLogs(), NoMetrics()).behind_gate(), {})


async def evidence_calls(service: SearchService, signals: Signals) -> list[float]:
    """Processor seconds of each of many evidence calls, in this thread: others on the machine do not count."""
    settings = RetrievalSettings(
        endpoint="https://embedded.search.windows.net",
        indexes=(IndexSettings(name="schools", key_field="id"),),
    )
    retrieval = Retrieval(settings, AnyToken(), transport=EmbeddedTransport(service), signals=signals)
    taken = []
    for _ in range(CALLS):
        start = time.thread_time()
        await retrieval.evidence("schools", "primary school", size=10)
        taken.append(time.thread_time() - start)
    await retrieval.close()
    return taken


class EverythingOut(AllowList):
    """No redaction: every attribute leaves under its own word, as plain OpenTelemetry would do it."""

    def attributes(self, allowed: frozenset[str], given: Mapping[str, object]) -> dict[str, Any]:
        return {key: value for key, value in given.items() if value is not None}


async def evidence() -> None:
    """Evidence without signals, with unredacted ones and with ours, in turns, so that all see the same machine."""
    service = SearchService()
    await load(service, read_index(SAMPLE / "indexes/schools.json"), read_documents(SAMPLE / "data/schools.jsonl"))
    redacted, raw = pipeline_of(), Pipeline(Exporters(NoSpans(), NoLogs(), NoMetrics()), {})
    erase = make_redactor(TelemetrySettings())
    ways = {
        "no signals": QUIET,
        "unredacted signals": AppSignals(EverythingOut(erase), raw.sink),
        "our signals": signals_of(redacted),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, signals in ways.items():
            taken[name].append(statistics.median(await evidence_calls(service, signals)))
    for pipeline in (redacted, raw):
        pipeline.shutdown()
    median = {name: min(medians) * 1e3 for name, medians in taken.items()}
    print("evidence call, search in process: " + ", ".join(f"{name} {ms:.2f} ms" for name, ms in median.items()))
    redaction = median["our signals"] - median["unredacted signals"]
    print(f"  redaction: {redaction * 1e3:.0f} µs, {redaction / median['no signals'] * 100:.1f} % of the call")


def each(name: str, act: Callable[[], object], times: int = 5_000) -> None:
    """Prints the microseconds of one act, the best of some turns."""
    best = min(_turn(act, times) for _ in range(3))
    print(f"{name}: {best * 1e6:.1f} µs")


def _turn(act: Callable[[], object], times: int) -> float:
    start = time.thread_time()
    for _ in range(times):
        act()
    return (time.thread_time() - start) / times


def single_signals() -> None:
    """Spans, metrics and events one at a time."""
    pipeline = pipeline_of()
    signals = signals_of(pipeline, redactor="hmac", hmac_key=KEY)
    redactor = make_redactor(TelemetrySettings(redactor="hmac", hmac_key=KEY))

    def span() -> None:
        with signals.span("search", index="schools", mode="keyword", top=10, skip=0, query="q" * 100) as running:
            running.set(hits=10, score_kind="keyword", total=40)

    def quiet_span() -> None:
        with AppSignals(AllowList(redactor)).span("search", index="schools"):
            pass

    each("span with 8 attributes and its duration", span)
    each("span without export", quiet_span)
    each("counter", lambda: signals.count("app.search.retries", index="schools"))
    each("event", lambda: signals.event("briefing_finished", outcome="completed"), 2_000)
    each("hmac of an identifier", lambda: redactor.redact("100000", "identifier"))
    pipeline.shutdown()


def gate() -> None:
    """What the gate adds to the thread that exports."""
    kept = KeptSpans()
    pipeline = Pipeline(Exporters(kept, NoLogs(), NoMetrics()), {})
    with signals_of(pipeline).span("search", index="schools", mode="keyword", top=10, query="q") as span:
        span.set(hits=10, score_kind="keyword", total=40)
    pipeline.shutdown()
    gated = RedactingSpanExporter(NoSpans())
    each("gate, one span", lambda: gated.export(kept.spans))


SET_UPS = {
    "distro's own": "from azure.monitor.opentelemetry import configure_azure_monitor\n"
    "configure_azure_monitor(connection_string=TO)",
    "ours": "from shared.telemetry import TelemetrySettings, set_up\nset_up(TelemetrySettings(connection_string=TO))",
    "ours, no connection string": "from shared.telemetry import TelemetrySettings, set_up\nset_up(TelemetrySettings())",
}
MEASURE = """
import os, threading, time
TO = "InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint=http://127.0.0.1:9/"
start = time.perf_counter()
{code}
seconds = time.perf_counter() - start
memory = int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
print(f"{{seconds * 1e3:.0f}} ms, {{memory:.0f}} MB, {{threading.active_count()}} threads", flush=True)
os._exit(0)
"""


def set_ups() -> None:
    """Import and configuration in fresh processes, the best of three."""
    for name, code in SET_UPS.items():
        ran = [_fresh(MEASURE.format(code=code)) for _ in range(3)]
        print(f"set-up, {name}: {min(ran, key=lambda said: float(said.split()[0]))}")


def _fresh(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def queue() -> None:
    """A stalled ingestion: beyond the queue spans are dropped, and the code goes on at its pace."""
    pipeline = pipeline_of(delay=5.0)
    signals = signals_of(pipeline)
    memory, start, spans = _megabytes(), time.perf_counter(), 50_000
    for _ in range(spans):
        with signals.span("ready"):
            pass
    each_span = (time.perf_counter() - start) / spans
    print(f"{spans} spans while the ingestion stalls: {each_span * 1e6:.1f} µs each, {_megabytes() - memory:.1f} MB more")


def _megabytes() -> float:
    """Memory in use by this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    asyncio.run(evidence())
    single_signals()
    gate()
    set_ups()
    queue()
