"""Logs stay closed: lines of libraries, warnings, threads and finalizers reach neither a handler nor the ingestion."""

from __future__ import annotations

import logging

import pytest

from shared.telemetry import AppSignals, TelemetrySettings, make_redactor
from shared.telemetry.allow_list import AllowList
from shared.telemetry.logging import RedactedLogHandler, passes
from tests.support.ingestion import Ingestion

from .event_lines import EventLines
from .fresh_process import run
from .recording_sink import RecordingSink

NOISE = """
import asyncio, gc, logging, os, sys, threading, warnings
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
azure = logging.getLogger("azure")
azure.addHandler(logging.StreamHandler(sys.stdout))
azure.setLevel(logging.DEBUG)
from shared.telemetry import TelemetrySettings, set_up
telemetry = set_up(TelemetrySettings(connection_string=os.environ["TO"])) if {guarded} else None

class Finalizer:
    def __del__(self):
        raise ValueError("CANARY finalizer")

async def lost():
    async def fail():
        raise ValueError("CANARY task")
    task = asyncio.ensure_future(fail())
    await asyncio.sleep(0)
    del task
    gc.collect()

def noise():
    for name in ("azure.core.pipeline", "openai", "httpx", "aiohttp.access", "urllib3", "CANARY.logger", "shared.api", None):
        for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL):
            logging.getLogger(name).log(level, "CANARY %s", "CANARY arg", extra={{"CANARY": "CANARY"}}, stack_info=True)
        try:
            raise KeyError("CANARY key")
        except KeyError:
            logging.getLogger(name).exception("CANARY")
    warnings.warn("CANARY warning")
    thread = threading.Thread(target=lambda: int("CANARY thread"))
    thread.start()
    thread.join()
    Finalizer()
    gc.collect()
    asyncio.run(lost())

logging.getLogger("late").addHandler(logging.StreamHandler(sys.stdout))
if telemetry:
    with telemetry.invocation():
        noise()
        logging.getLogger("azure_functions_worker").warning("worker line")
    telemetry.flush()
else:
    noise()
"""


def test_nothing_of_what_libraries_write_leaves() -> None:
    with Ingestion() as ingestion:
        said = run(NOISE.format(guarded=True), {"TO": ingestion.connection_string})
    assert "CANARY" not in said.out + said.err + ingestion.text
    assert "worker line" in said.err
    said_of = [event["properties"] for event in ingestion.events()]
    seen = {(row.get("app.library"), row.get("app.error.type")) for row in said_of}
    assert {("asyncio", "ValueError"), ("threading", "ValueError"), ("gc", "ValueError"), ("warnings", None)} <= seen
    assert ("azure", "KeyError") in seen
    assert ("other", "KeyError") in seen


@pytest.mark.parametrize(
    "text", ["CANARY arg", "CANARY key", "CANARY warning", "CANARY thread", "CANARY finalizer", "CANARY task"]
)
def test_without_the_guard_the_same_noise_is_seen(text: str) -> None:
    said = run(NOISE.format(guarded=False))
    assert text in said.out + said.err


def test_an_export_that_fails_is_said_in_the_log_once_a_minute_and_not_sent() -> None:
    clock, sink = iter([0.0, 30.0, 61.0]), RecordingSink()
    withheld = RedactedLogHandler(lambda: next(clock))
    withheld.signals = AppSignals(AllowList(make_redactor(TelemetrySettings())), sink)
    loggers = (("azure.monitor.opentelemetry.exporter", "x"), ("urllib3", "OtelBatch"), ("opentelemetry.sdk", "x"))
    with EventLines() as heard:
        for name, thread in loggers:
            record = logging.LogRecord(name, logging.ERROR, "", 1, "CANARY", None, None)
            record.threadName = thread
            withheld.handle(record)
    assert heard.lines == ["WARNING telemetry_export app.severity=ERROR"] * 2
    assert sink.events == []


@pytest.mark.parametrize(
    ("name", "passing"),
    [
        ("azure_functions_worker", True),
        ("azure_functions_worker.dispatcher", True),
        ("azure_functions", True),
        ("shared.telemetry.events", True),
        ("shared.retrieval.context.provider", True),
        ("emulators.functions_host", True),
        ("azure", False),
        ("azure.functions", False),
        ("localhost", False),
        ("shared.api", False),
        ("root", False),
        ("", False),
    ],
)
def test_loggers_that_pass(name: str, passing: bool) -> None:
    assert passes(name) is passing
