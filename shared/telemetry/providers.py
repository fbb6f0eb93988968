"""Azure Monitor's exporters behind the gate of `exporters`, and the OpenTelemetry providers in front of them.

Imported by `setup` when there is a connection string: the import takes a third of a second.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from azure.core.credentials import TokenCredential
from azure.identity import ManagedIdentityCredential
from azure.monitor.opentelemetry.exporter import (
    ApplicationInsightsSampler,
    AzureMonitorLogExporter,
    AzureMonitorMetricExporter,
    AzureMonitorTraceExporter,
    RateLimitedSampler,
)
from opentelemetry import metrics, trace
from opentelemetry._logs import get_logger_provider, set_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter
from opentelemetry.sdk.environment_variables import OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import MetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler

from .exporters import RedactingLogExporter, RedactingMetricExporter, RedactingSpanExporter
from .opentelemetry import OtelSink
from .settings import TelemetrySettings

# Azure Monitor's own samplers. The SDK does not know them and would fall back to its default.
FIXED_PERCENTAGE = "microsoft.fixed_percentage"
RATE_LIMITED = "microsoft.rate_limited"


def make_sampler(environ: Mapping[str, str]) -> Sampler | None:
    """Return the sampler that OTEL_TRACES_SAMPLER names; None for the names that the SDK knows.

    Without a name every span is exported, also where the host has decided otherwise, since it samples its requests itself.
    """
    name, argument = environ.get(OTEL_TRACES_SAMPLER, ""), _number(environ.get(OTEL_TRACES_SAMPLER_ARG, ""))
    if name == FIXED_PERCENTAGE:
        return ApplicationInsightsSampler(argument if argument is not None and 0 <= argument <= 1 else 1.0)
    if name == RATE_LIMITED and argument is not None and argument >= 0:
        return RateLimitedSampler(argument)
    return None if name and name != RATE_LIMITED else ALWAYS_ON


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


FLUSH_MILLISECONDS = 5_000
_RETRIES = 3
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Exporters:
    """One exporter for each signal."""

    spans: SpanExporter
    logs: LogRecordExporter
    metrics: MetricExporter

    def behind_gate(self) -> Exporters:
        """The same behind the gate that lets only registered signals out."""
        return Exporters(
            RedactingSpanExporter(self.spans), RedactingLogExporter(self.logs), RedactingMetricExporter(self.metrics)
        )


class Pipeline:
    """Providers with their exporters. Queues are bounded (2,048 spans, 2,048 records); more are dropped."""

    def __init__(self, exporters: Exporters, environ: Mapping[str, str] = os.environ) -> None:
        resource = Resource(_resource(environ))
        self.tracers = TracerProvider(sampler=make_sampler(environ), resource=resource)
        self.tracers.add_span_processor(BatchSpanProcessor(exporters.spans))
        self.loggers = LoggerProvider(resource=resource)
        self.loggers.add_log_record_processor(BatchLogRecordProcessor(exporters.logs))
        # Exemplars would carry attributes that the gate cuts from points, and cost more than the point.
        self.meters = MeterProvider(
            [PeriodicExportingMetricReader(exporters.metrics)], resource, exemplar_filter=AlwaysOffExemplarFilter()
        )
        self.sink = OtelSink(self.tracers, self.meters, self.loggers)

    def install(self) -> bool:
        """Make these the process's providers; False when another was quicker."""
        trace.set_tracer_provider(self.tracers)
        metrics.set_meter_provider(self.meters)
        set_logger_provider(self.loggers)
        installed = (trace.get_tracer_provider(), metrics.get_meter_provider(), get_logger_provider())
        return installed == (self.tracers, self.meters, self.loggers)

    def flush(self) -> None:
        """Send the queued signals, at most 5 seconds for each kind."""
        self.tracers.force_flush(FLUSH_MILLISECONDS)
        self.loggers.force_flush(FLUSH_MILLISECONDS)
        self.meters.force_flush(FLUSH_MILLISECONDS)

    def shutdown(self) -> None:
        """Send the queued signals and stop the threads."""
        self.tracers.shutdown()
        self.loggers.shutdown()
        self.meters.shutdown()


def azure_exporters(settings: TelemetrySettings, credential: TokenCredential | None = None) -> Exporters:
    """Exporters to Application Insights as the app's identity, without retry files on disk."""
    options = {
        "connection_string": settings.connection_string,
        "credential": ingestion_credential(settings, credential),
        "disable_offline_storage": True,
        "retry_total": _RETRIES,
    }
    return Exporters(
        AzureMonitorTraceExporter(**options), AzureMonitorLogExporter(**options), AzureMonitorMetricExporter(**options)
    )


def ingestion_credential(settings: TelemetrySettings, credential: TokenCredential | None) -> TokenCredential | None:
    """The given credential, or in Azure the app's identity; None towards this machine, where no token may be sent."""
    if _is_loopback(settings.connection_string or ""):
        return None
    if credential is not None or not settings.in_azure:
        return credential
    return ManagedIdentityCredential(client_id=settings.client_id)


def _is_loopback(connection_string: str) -> bool:
    members = dict(member.split("=", 1) for member in connection_string.split(";") if "=" in member)
    endpoints = [value for key, value in members.items() if key.strip().lower() == "ingestionendpoint"]
    return any(urlsplit(endpoint.strip()).hostname in _LOOPBACK for endpoint in endpoints)


def _resource(environ: Mapping[str, str]) -> dict[str, str]:
    """Name and instance of the app, as the platform gives them; nothing of OTEL_RESOURCE_ATTRIBUTES."""
    return {
        "service.name": environ.get("WEBSITE_SITE_NAME") or "evidence",
        "service.instance.id": environ.get("WEBSITE_INSTANCE_ID") or f"process-{os.getpid()}",
    }
