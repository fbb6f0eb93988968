"""Settings of the export libraries, decided here and not by their defaults: they are read when those are imported."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

SWITCHES = {
    # Counts of our requests to the ingestion, sent to a Microsoft endpoint; and one metadata probe.
    "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL": "true",
    # The same kind of counts, sent to our own resource.
    "APPLICATIONINSIGHTS_SDKSTATS_DISABLED": "true",
    # A remote switch that could turn features on, offline storage among them.
    "APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED": "true",
    # A metric that carries every resource attribute.
    "APPLICATIONINSIGHTS_OPENTELEMETRY_RESOURCE_METRIC_DISABLED": "true",
    # The default probes an address of virtual machines.
    "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS": "otel",
    # The default would also send W3C baggage, which callers fill, to whatever is called.
    "OTEL_PROPAGATORS": "tracecontext",
    # Automatic spans carry addresses with queries and keys of documents.
    "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": (
        "azure_sdk,django,fastapi,flask,httpx,httpx2,psycopg2,requests,urllib,urllib3,aiohttp_client,openai"
    ),
}
"""infra/ sets the same ones as app settings, for whatever is imported before the app."""


def prepare(environ: MutableMapping[str, str] = os.environ) -> None:
    """Put the switches into the environment, over what stands there: each closes a way out."""
    environ.update(SWITCHES)
