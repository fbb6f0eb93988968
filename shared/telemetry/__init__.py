"""Telemetry that shows operators how the app works, without the words of callers and documents.

Heavy libraries are imported by `set_up`, and only with a connection string. docs/telemetry.md lists every signal.
"""

from .redaction import REDACTED, SECRET_HEADERS, Redactor, RedactorUnusable, hmac_key, make_redactor
from .schema import Kind
from .settings import TelemetrySettings
from .setup import Telemetry, set_up
from .signals import AppSignals, AppSpan

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
    "make_redactor",
    "set_up",
]
