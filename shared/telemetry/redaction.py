"""Redactors change a text about people before it leaves the process, and secrets are always cut out.

The words and values are those of Microsoft.Extensions.Compliance.Redaction, so that services of one organisation, in .NET
and in Python, can be correlated under one key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import importlib
import re
from collections.abc import Iterable
from contextvars import ContextVar, Token
from typing import Protocol

from .schema import IDENTIFIERS, Kind
from .settings import TelemetrySettings

# Keys, tokens and principals are cut out of texts that may otherwise leave. No switch turns this off.
SECRET = "<secret>"
SECRET_HEADERS = frozenset(
    {
        "api-key",
        "authorization",
        "cookie",
        "x-functions-key",
        "x-ms-client-principal",
        "x-ms-client-principal-id",
        "x-ms-client-principal-name",
        "x-ms-query-source-authorization",
        "x-ms-token-aad-access-token",
        "x-ms-token-aad-id-token",
        "x-ms-token-aad-refresh-token",
    }
)
_MIN_SECRET_CHARACTERS = 6
_NAMES = (
    r"accountkey|sharedaccesskey|sharedaccesssignature|sig|code|api[-_]?key|x-functions-key|client[-_]?secret|password|pwd|"
    r"access[-_]?token|refresh[-_]?token|id[-_]?token|authorization|x-ms-query-source-authorization|x-ms-client-principal"
    r"(?:-id|-name)?|x-ms-token-aad-[a-z-]+"
)
_SHAPES = re.compile(
    r"\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]+"
    r"|\beyJ[A-Za-z0-9._~+/=-]{8,}"  # a token, or a principal: JSON in base64 begins like this
    r"|\b[A-Za-z0-9_-]{43,44}AzFu[A-Za-z0-9_=-]{4,12}"  # a host key of Azure Functions
    rf"|\b(?:{_NAMES})\b[\"']?\s*[=:]\s*(?:bearer\s+|basic\s+)?[\"']?[^\s\"'&;,}}]+",
    re.IGNORECASE | re.ASCII,
)
_call_secrets: ContextVar[tuple[str, ...]] = ContextVar("secrets_of_this_call", default=())


def remember_secrets(values: Iterable[str]) -> Token[tuple[str, ...]]:
    """Cut these values, and the token behind a scheme word, out of the texts of this call, until `forget_secrets`."""
    exact = {value for value in values if len(value) >= _MIN_SECRET_CHARACTERS}
    tokens = {value.partition(" ")[2].strip() for value in exact if " " in value}
    found = {value for value in exact | tokens if len(value) >= _MIN_SECRET_CHARACTERS}
    return _call_secrets.set(tuple(sorted(found, key=len, reverse=True)))


def forget_secrets(token: Token[tuple[str, ...]]) -> None:
    """Restore the secrets of the call before."""
    _call_secrets.reset(token)


def remove_secrets(text: str) -> str:
    """Return the text without the secrets of this call and without anything shaped like a secret."""
    for value in _call_secrets.get():
        text = text.replace(value, SECRET)
    return _SHAPES.sub(SECRET, text)


REDACTED = "<redacted>"
MIN_KEY_CHARACTERS = 44
_DIGEST_BYTES = 16
_MAX_REVEALED = 32_768


class RedactorUnusable(ValueError):
    """The configured redactor cannot be made. The message names the setting, never its value."""


class Redactor(Protocol):
    """Turns a text of a kind (`query`, `prompt`, `identifier`, … of `Kind`) into a text that may leave."""

    def redact(self, text: str, kind: str) -> str:
        """The text that leaves in place of `text`."""
        ...


class Erase:
    """Replaces every text by `<redacted>`."""

    def redact(self, text: str, kind: str) -> str:
        """`<redacted>` for every text."""
        return REDACTED


class Hmac:
    """Gives identifiers a value that is equal for equal ones; content is erased, since its hash could be guessed.

    The value is `{key id}:` and the base64 of the first 16 bytes of HMAC-SHA256 over the text in UTF-16 little-endian.
    """

    def __init__(self, key: str | None, key_id: str | None = None) -> None:
        self._key = hmac_key(key)
        self._prefix = f"{key_id}:" if key_id else ""

    def redact(self, text: str, kind: str) -> str:
        """The value of an identifier; `<redacted>` of anything else."""
        if kind not in IDENTIFIERS:
            return REDACTED
        digest = hmac.digest(self._key, text.encode("utf-16-le", "surrogatepass"), hashlib.sha256)
        return self._prefix + base64.b64encode(digest[:_DIGEST_BYTES]).decode("ascii")


class PassThrough:
    """Passes texts through while sensitive data is switched on, without secrets. User ids still go through `users`."""

    def __init__(self, users: Redactor) -> None:
        self._users = users

    def redact(self, text: str, kind: str) -> str:
        """Return the text without secrets; of a long text its start, since Application Insights keeps no more."""
        if kind == Kind.USER_ID:
            return self._users.redact(text, kind)
        return remove_secrets(text[:_MAX_REVEALED])


class SafeRedactor:
    """Makes any redactor safe: an empty text stays empty, and a redactor that fails or returns no text erases."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def redact(self, text: str, kind: str) -> str:
        """Return the text of the redactor, or `<redacted>` when it fails."""
        if not text:
            return ""
        try:
            redacted = self._redactor.redact(text, str(kind))
        except Exception:  # a redactor of the operator's own may raise anything, and the text must not leave
            return REDACTED
        return redacted if isinstance(redacted, str) else REDACTED


def hmac_key(key: str | None) -> bytes:
    """Return the bytes of a key in base64 of at least 44 characters (32 bytes). Raises RedactorUnusable."""
    if not key or len(key) < MIN_KEY_CHARACTERS:
        raise RedactorUnusable(f"HmacKey must be base64 of at least {MIN_KEY_CHARACTERS} characters (32 bytes).")
    try:
        return base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        raise RedactorUnusable("HmacKey must be base64.") from None


def make_redactor(settings: TelemetrySettings) -> Redactor:
    """Make the redactor that the settings name. Raises RedactorUnusable, which names the setting."""
    redactor = SafeRedactor(_make_named(settings))
    return SafeRedactor(PassThrough(redactor)) if settings.sensitive else redactor


def _make_named(settings: TelemetrySettings) -> Redactor:
    if settings.redactor == "erase":
        return Erase()
    if settings.redactor == "hmac":
        return Hmac(settings.hmac_key, settings.hmac_key_id)
    return _make_own(settings.redactor)


def _make_own(name: str) -> Redactor:
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise RedactorUnusable("Redactor must be `erase`, `hmac` or `package.module:Class`.")
    try:
        redactor = getattr(importlib.import_module(module), attribute)()
    except Exception:  # whatever a foreign module does when imported: the app goes on, erasing
        raise RedactorUnusable("Redactor names a class that cannot be made.") from None
    if not callable(getattr(redactor, "redact", None)):
        raise RedactorUnusable("Redactor names a class without `redact(text, kind)`.")
    made: Redactor = redactor
    return made
