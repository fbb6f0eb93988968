"""Secrets never leave, whatever the switches: keys, tokens and principals are cut out of texts that may otherwise leave."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar, Token

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
_of_this_call: ContextVar[tuple[str, ...]] = ContextVar("secrets_of_this_call", default=())


def remember_secrets(values: Iterable[str]) -> Token[tuple[str, ...]]:
    """Cut these exact values, and the token behind a scheme word, from texts of this call, until `forget_secrets`."""
    exact = {value for value in values if len(value) >= _MIN_SECRET_CHARACTERS}
    tokens = {value.partition(" ")[2].strip() for value in exact if " " in value}
    found = {value for value in exact | tokens if len(value) >= _MIN_SECRET_CHARACTERS}
    return _of_this_call.set(tuple(sorted(found, key=len, reverse=True)))


def forget_secrets(token: Token[tuple[str, ...]]) -> None:
    """The secrets of the call before."""
    _of_this_call.reset(token)


def without_secrets(text: str) -> str:
    """The text with the secrets of this call, and anything shaped like a secret, cut out."""
    for value in _of_this_call.get():
        text = text.replace(value, SECRET)
    return _SHAPES.sub(SECRET, text)
