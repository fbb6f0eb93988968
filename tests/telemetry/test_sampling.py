"""Sampling: every span by default, Azure Monitor's samplers by their names, the SDK's left to the SDK."""

from __future__ import annotations

import pytest

from shared.telemetry.providers import make_sampler


@pytest.mark.parametrize(
    ("name", "argument", "description"),
    [
        (None, None, "AlwaysOnSampler"),
        ("", "0.1", "AlwaysOnSampler"),
        ("microsoft.fixed_percentage", "0.25", "ApplicationInsightsSampler0.25"),
        ("microsoft.fixed_percentage", "1.0", "ApplicationInsightsSampler1.0"),
        ("microsoft.fixed_percentage", None, "ApplicationInsightsSampler1.0"),
        ("microsoft.fixed_percentage", "7", "ApplicationInsightsSampler1.0"),
        ("microsoft.fixed_percentage", "half", "ApplicationInsightsSampler1.0"),
        ("microsoft.rate_limited", "5", "RateLimitedSampler{5.0}"),
        ("microsoft.rate_limited", None, "AlwaysOnSampler"),
        ("microsoft.rate_limited", "-1", "AlwaysOnSampler"),
        ("traceidratio", "0.1", None),
    ],
)
def test_sampler(name: str | None, argument: str | None, description: str | None) -> None:
    environ = {"OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": argument}
    sampler = make_sampler({key: value for key, value in environ.items() if value is not None})
    assert (None if sampler is None else sampler.get_description()) == description
