"""Telemetry that tells operators what happens and gives away nothing of what people ask or documents say (spec 10).

Heavy libraries are imported by `set_up`, and only with a connection string. docs/telemetry.md lists every signal.
"""

from .redaction import REDACTED, Redactor, RedactorUnusable, hmac_key, redactor_of
from .rules import Kind
from .secrecy import SECRET_HEADERS
from .settings import TelemetrySettings
from .setup import set_up
from .signals import AppSignals, AppSpan
from .telemetry import Telemetry

__all__ = [
    "REDACTED",
    "SECRET_HEADERS",
    "AppSignals",
    "AppSpan",
    "Kind",
    "Redactor",
    "RedactorUnusable",
    "Telemetry",
    "TelemetrySettings",
    "hmac_key",
    "redactor_of",
    "set_up",
]
