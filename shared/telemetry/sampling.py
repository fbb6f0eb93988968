"""Which spans count: all of them, or the share that OTEL_TRACES_SAMPLER names. Imported by the pipeline only.

The SDK knows nothing of Azure Monitor's own samplers and would fall back to its default, so they are made here.
"""

from __future__ import annotations

from collections.abc import Mapping

from azure.monitor.opentelemetry.exporter import ApplicationInsightsSampler, RateLimitedSampler
from opentelemetry.sdk.environment_variables import OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler

FIXED_PERCENTAGE = "microsoft.fixed_percentage"
RATE_LIMITED = "microsoft.rate_limited"


def sampler_of(environ: Mapping[str, str]) -> Sampler | None:
    """The sampler named in the environment; None leaves the OpenTelemetry names to the SDK.

    Without a name every span counts, whatever the host decided of its own: the host samples requests by itself.
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
